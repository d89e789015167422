//! `events retain`: removes the contents of old sessions from the log.

use engine::{RetentionPlan, RetentionScope, plan_retention};
use event_bus::{Clock as _, PurgeOutcome, SledLog, SystemClock, TextFiles};
use serde_json::{Value, json};

use crate::{
    context::Context,
    failure::Failure,
    moment,
    screen::{GOOD, count_noun, outln, styled},
};

/// The units of a size, in bytes.
const UNITS: [(&str, u64); 3] = [("KB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

/// Removes the contents of the sessions whose last event is before `before`, and of the oldest ones above `max_size`. Without
/// `yes`, prints the plan and changes nothing.
///
/// # Errors
/// [`Failure::Invalid`] for an invalid time or size; [`Failure::Failed`] if another process has the log open or a file
/// cannot be written.
pub(super) fn retain(
    context: &Context,
    before: Option<&str>,
    max_size: Option<&str>,
    yes: bool,
) -> Result<(), Failure> {
    let now = SystemClock.now();
    let before = before.map(|text| moment::parse_moment(text, now)).transpose().map_err(Failure::Invalid)?;
    let max_bytes = max_size.map(parse_size).transpose().map_err(Failure::Invalid)?;
    let scope = RetentionScope { before, max_bytes };
    if !yes {
        let plan = plan_retention(context.log_reader()?.as_ref(), scope, now)?;
        return context.print(&plan_json(&plan, None), || {
            outln!("would remove {}", description(&plan));
            outln!("  their decisions and costs stay as totals; places, times and hashes of the events stay");
            outln!(
                "  `why`, `sessions` and `replay` no longer know them, and patterns learned from them are forgotten"
            );
            outln!("Nothing was changed. Add --yes to do this; there is no way back.");
        });
    }
    let opened = SledLog::open(context.home.log());
    let (log, _) = opened.map_err(|error| {
        let setting = "the setting `retention` of gateway.yaml does this whenever the gateway starts";
        context.in_use_failure(error, &format!("this replaces the log's files, which the gateway has open ({setting})"))
    })?;
    let (plan, outcome) = execute(context, log, scope)?;
    context.print(&plan_json(&plan, Some(&outcome)), || {
        outln!("{} {}", styled(GOOD, "removed"), description(&plan));
        for path in &outcome.old_copies {
            outln!("  an old copy may still have them: {}", path.display());
        }
    })
}

/// Removes the sessions that exceed the limits from an open log, and closes the log. Returns the executed plan.
fn execute(context: &Context, log: SledLog, scope: RetentionScope) -> Result<(RetentionPlan, PurgeOutcome), Failure> {
    let plan = plan_retention(&log, scope, SystemClock.now())?;
    let (log, outcome) = plan.clone().execute(log, &TextFiles::open(context.home.log()), &SystemClock)?;
    drop(log);
    Ok((plan, outcome))
}

/// Removes the sessions that exceed the limits when the gateway starts, and prints a note if there were any.
///
/// # Errors
/// [`Failure::Failed`] if the log cannot be opened or written.
pub(in crate::commands) fn retain_at_start(context: &Context, scope: RetentionScope) -> Result<(), Failure> {
    if scope == RetentionScope::default() || !context.home.log().exists() {
        return Ok(());
    }
    let (log, _) = SledLog::open(context.home.log())?;
    let (plan, outcome) = execute(context, log, scope)?;
    if outcome.events != 0 {
        context.print_note(&format!("removed {}, as `retention` in gateway.yaml demands", description(&plan)));
    }
    Ok(())
}

/// Describes the sessions of a plan in one line.
fn description(plan: &RetentionPlan) -> String {
    format!(
        "{} with {}: {} of {} events and {} beside the log",
        count_noun(plan.sessions(), "session"),
        count_noun(plan.turns(), "turn"),
        size(plan.bytes),
        plan.events(),
        count_noun(plan.texts(), "text")
    )
}

/// Converts a plan to JSON; `outcome` is the result of executing the plan; `None` if nothing was changed.
fn plan_json(plan: &RetentionPlan, outcome: Option<&PurgeOutcome>) -> Value {
    json!({
        "sessions": plan.sessions(), "turns": plan.turns(), "events": plan.events(), "texts": plan.texts(),
        "bytes": plan.bytes, "done": outcome.is_some(),
        "old_copies": outcome.map(|outcome| outcome.old_copies.clone()).unwrap_or_default(),
    })
}

/// Formats a number of bytes with its unit.
fn size(bytes: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, unit)| *unit <= bytes);
    unit.map_or_else(|| count_noun(bytes, "byte"), |(name, unit)| format!("{} {name}", bytes / unit))
}

/// Parses a size such as `500MB`.
///
/// # Errors
/// A message with the expected formats.
fn parse_size(text: &str) -> Result<u64, String> {
    let upper = text.to_ascii_uppercase();
    let parsed =
        UNITS.iter().find_map(|(name, unit)| upper.strip_suffix(name)?.trim().parse::<u64>().ok()?.checked_mul(*unit));
    parsed.ok_or_else(|| format!("`{text}` is no size: write 500MB or 2GB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_has_a_unit() {
        assert_eq!(parse_size("500MB"), Ok(500_000_000));
        assert_eq!(parse_size("2 gb"), Ok(2_000_000_000));
        for text in ["", "5", "MB", "-1MB", "99999999999999999999GB"] {
            assert!(parse_size(text).unwrap_err().contains("500MB"), "{text}");
        }
        assert_eq!(size(2_400_000), "2 MB");
        assert_eq!(size(1), "1 byte");
    }
}
