//! Records for tests.

use contracts::{KeywordOutcome, SessionId, SkillOutcome, SkillSlot, TurnId};
use event_core::{EventId, Timestamp};

use super::record::RoutingRecord;

/// Creates the record of a decision by a layer, number `number` of the session `s`, that loads the skill `database` after
/// one clear keyword match, at one minute after the record before.
pub(crate) fn record(number: u8, slot: SkillSlot) -> RoutingRecord {
    let session = SessionId::try_from("s").unwrap();
    RoutingRecord {
        event: EventId([number; 16]),
        at: Timestamp::from_secs(1_771_684_200 + 60 * u64::from(number)),
        turn: Some(TurnId::derive(&session, &number.to_string())),
        session,
        summary: format!("request {number}"),
        request_tokens: None,
        files: 0,
        context: None,
        slot,
        layer_reached: slot.layer().min(1),
        keyword: Some(KeywordOutcome::Clear),
        tree: None,
        matched: Vec::new(),
        suppressed: Vec::new(),
        outcome: SkillOutcome::load("database"),
        secondary: Vec::new(),
        confidence: Some(contracts::Score::ONE),
        alternatives: Vec::new(),
        correction: None,
        routing_tokens: 0,
        needed: None,
    }
}
