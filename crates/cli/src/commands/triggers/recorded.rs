//! The recorded messages on which a new keyword is tried.

use contracts::events::{TextBody, TurnTextRecorded};
use event_core::Position;
use skills::LabelledRequest;

use crate::{context::Context, failure::Failure};

/// The number of events at the end of the log in which messages are looked up.
const MAX_EVENTS: u64 = 50_000;
/// The number of events that are read at once.
const EVENTS_PER_READ: usize = 512;

/// Returns the messages of the latest turns of the log, without labels. Messages whose text was removed are skipped.
pub(super) fn recorded_messages(context: &Context) -> Result<Vec<LabelledRequest>, Failure> {
    let (log, texts) = (context.log_reader()?, context.texts());
    let mut position = Position(log.head()?.0.saturating_sub(MAX_EVENTS));
    let mut messages = Vec::new();
    loop {
        let events = log.read_after(position, EVENTS_PER_READ)?;
        let Some(last) = events.last() else { return Ok(messages) };
        position = last.position;
        for event in &events {
            let body = event.read::<TurnTextRecorded>().map_err(|error| Failure::Failed(error.to_string()))?;
            let text = match body.map(|body| body.text) {
                Some(TextBody::Inline(text)) => Some(text),
                Some(TextBody::Stored { hash, .. }) => texts.get(hash.0)?,
                None => None,
            };
            messages.extend(text.map(|text| LabelledRequest { text, expected: None }));
        }
    }
}
