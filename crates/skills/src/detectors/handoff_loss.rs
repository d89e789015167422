//! Telephone Game: handoffs lose information (AP-03).

use event_core::EventId;
use serde::{Deserialize, Serialize};

use super::detection::{AntiPattern, Detection, Signal};

/// A handoff of a chain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HandoffRecord {
    /// The id of the event of the handoff.
    pub event: EventId,
    /// The length of its findings in characters.
    pub findings_chars: u64,
    /// The tokens of the handoff itself.
    pub coordination_tokens: u64,
    /// The tokens of the work before it.
    pub work_tokens: u64,
}

/// The number of handoffs in a row with shorter summaries that is a loss.
const SHRINKING: usize = 3;

/// Detects summaries that get shorter over three handoffs in a row, and a chain with more tokens for coordination than
/// for work. `chain` has the handoffs of one chain in their order.
pub fn detect_handoff_loss(chain: &[HandoffRecord]) -> Vec<Detection> {
    let hint = |signal, events| Detection::new(AntiPattern::Ap03TelephoneGame, signal, events);
    let mut found = Vec::new();
    let shrinks =
        |pair: &[HandoffRecord]| matches!(pair, [first, second] if second.findings_chars < first.findings_chars);
    let longest = chain.chunk_by(|first, second| shrinks(&[*first, *second])).max_by_key(|run| run.len());
    if let Some(run) = longest.filter(|run| SHRINKING <= run.len()) {
        let lengths = run.iter().map(|handoff| handoff.findings_chars).collect();
        found.push(hint(Signal::ShrinkingSummaries(lengths), run.iter().map(|handoff| handoff.event).collect()));
    }
    let sum = |of: fn(&HandoffRecord) -> u64| chain.iter().map(of).fold(0_u64, u64::saturating_add);
    let (coordination_tokens, work_tokens) =
        (sum(|handoff| handoff.coordination_tokens), sum(|handoff| handoff.work_tokens));
    if work_tokens < coordination_tokens {
        let signal = Signal::Coordination { coordination_tokens, work_tokens };
        found.push(hint(signal, chain.iter().map(|handoff| handoff.event).collect()));
    }
    found
}
