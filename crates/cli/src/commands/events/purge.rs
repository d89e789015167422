//! `events purge`: removes private text from the log.

use contracts::SessionId;
use engine::{PurgeScope, plan_purge};
use event_bus::{SledLog, SystemClock, TextFiles};
use serde_json::json;

use crate::{
    context::Context,
    failure::Failure,
    moment,
    screen::{GOOD, count_noun, outln, styled},
};

/// Removes the text of messages from the log and from the files beside it. If they are set, `before` limits this to
/// text written before that time, and `session` to one session. Without `yes`, prints the plan and changes nothing.
///
/// # Errors
/// [`Failure::Invalid`] for an invalid time or session id; [`Failure::Failed`] if another process has the log open or a
/// file cannot be written.
pub(super) fn purge(context: &Context, before: Option<&str>, session: Option<&str>, yes: bool) -> Result<(), Failure> {
    let now = event_bus::Clock::now(&SystemClock);
    let before = before.map(|text| moment::parse_moment(text, now)).transpose().map_err(Failure::Invalid)?;
    let session = session.map(SessionId::try_from).transpose().map_err(|error| Failure::Invalid(error.to_string()))?;
    let scope = PurgeScope { before, session };
    if !yes {
        let plan = plan_purge(context.log_reader()?.as_ref(), scope)?;
        let (events, texts, bytes) = (plan.events(), plan.texts(), plan.bytes);
        let json = json!({ "events": events, "texts": texts, "bytes": bytes, "done": false });
        return context.print(&json, || {
            outln!(
                "would remove the text of {} ({bytes} bytes) and {} beside the log",
                count_noun(events, "event"),
                count_noun(texts, "text")
            );
            outln!("  the events keep their places, times and hashes; decisions, calls and costs stay as they are");
            outln!("  rules on text then use what they matched when the text was there");
            outln!("Nothing was changed. Add --yes to do this; there is no way back.");
        });
    }
    // The plan is made while the log is locked: it would remove a text that another process stores before it appends
    // the event that refers to it.
    let opened = SledLog::open(context.home.log());
    let (log, _) = opened.map_err(|error| {
        context.in_use_failure(error, "a purge replaces the log's files, which the gateway has open")
    })?;
    let plan = plan_purge(&log, scope)?;
    let texts = plan.texts();
    let (log, purged) = plan.execute(log, &TextFiles::open(context.home.log()), &SystemClock)?;
    drop(log);
    let json = json!({
        "events": purged.events, "texts": texts, "bytes": purged.bytes, "done": true, "old_copies": purged.old_copies,
    });
    context.print(&json, || {
        outln!(
            "{} the text of {} ({} bytes) and {} beside the log",
            styled(GOOD, "removed"),
            count_noun(purged.events, "event"),
            purged.bytes,
            count_noun(texts, "text")
        );
        for path in &purged.old_copies {
            outln!("  an old copy may still hold text: {}", path.display());
        }
    })
}
