//! The recorded messages on which a new keyword is tried.

use std::collections::BTreeSet;

use contracts::events::{SkillPromptRecorded, SkillReused, TextBody, TurnTextRecorded};
use event_core::{EventId, Position, Recorded};
use skills::LabelledRequest;

use crate::{commands::record_before_report, context::Context, failure::Failure};

/// The number of events at the end of the log in which messages are looked up.
const MAX_EVENTS: u64 = 50_000;
/// The number of events that are read at once.
const EVENTS_PER_READ: usize = 512;

/// Returns the latest messages of the log, without labels: messages of turns, and prompts of hooks without a turn. Messages whose
/// text was removed are skipped. Decisions that hooks kept are recorded before.
pub(super) fn recorded_messages(context: &Context) -> Result<Vec<LabelledRequest>, Failure> {
    record_before_report(context);
    let (log, texts) = (context.log_reader()?, context.texts());
    let mut position = Position(log.head()?.0.saturating_sub(MAX_EVENTS));
    let mut messages = Vec::new();
    // The decisions of hooks whose message is that of a turn.
    let mut reused = BTreeSet::new();
    loop {
        let events = log.read_after(position, EVENTS_PER_READ)?;
        let Some(last) = events.last() else { break };
        position = last.position;
        for event in &events {
            if let Some(body) = read::<SkillReused>(event)? {
                reused.insert(body.decision);
            }
            let Some((decision, body)) = message_of(event)? else { continue };
            let text = match body {
                TextBody::Inline(text) => Some(text),
                TextBody::Stored { hash, .. } => texts.get(hash.0)?,
            };
            messages.extend(text.map(|text| (decision, LabelledRequest { text, expected: None })));
        }
    }
    let is_own = |decision: &Option<EventId>| decision.is_none_or(|decision| !reused.contains(&decision));
    Ok(messages.into_iter().filter(|(decision, _)| is_own(decision)).map(|(_, message)| message).collect())
}

/// Returns the message that an event records, with the id of the decision for that of a hook; `None` if it records none.
fn message_of(event: &Recorded) -> Result<Option<(Option<EventId>, TextBody)>, Failure> {
    if let Some(body) = read::<SkillPromptRecorded>(event)? {
        return Ok(Some((Some(body.decision), body.text)));
    }
    Ok(read::<TurnTextRecorded>(event)?.map(|body| (None, body.text)))
}

/// Decodes an event of the type `E`; `None` if it has another type.
fn read<E: event_core::EventType>(event: &Recorded) -> Result<Option<E>, Failure> {
    event.read::<E>().map_err(|error| Failure::Failed(error.to_string()))
}
