//! Formats decisions as text and as JSON, for every decision kind.

use std::fmt::Write as _;

use contracts::{ChainEntry, ChainSlot as _, Decision, DecisionKind, Verdict};
use serde_json::{Value, json};

/// A decision kind whose entries can be described in words.
///
/// The why-view, banners, the JSON of commands and of the page, and the reports of a backtest read decisions only
/// through this trait.
pub trait Explain: DecisionKind {
    /// Noun for a candidate in the singular, such as `model`.
    const NOUN: &'static str;

    /// Describes in a few words why the winning entry was chosen, such as `rule "tests"`.
    fn summary(winner: &ChainEntry<Self>) -> String;

    /// Describes the reason for the verdict of an entry in one or more lines. The failure and the attempts of the entry
    /// are not included.
    fn reason(entry: &ChainEntry<Self>) -> String;

    /// Returns the name of a failure as used in JSON.
    fn failure_name(failure: &Self::Failure) -> &'static str;

    /// Describes a failure, starting with its name. The default is the name alone.
    fn failure(failure: &Self::Failure) -> String {
        Self::failure_name(failure).to_owned()
    }

    /// Returns the noun for the source of the attempts in a slot, such as `rule`.
    fn attempt_noun(slot: Self::Slot) -> &'static str;

    /// Returns whether the text of a reason already states that all attempts failed. If not, the failure of an entry
    /// with attempts is that of its first attempt.
    fn covers_attempts(_reason: &Self::Reason) -> bool {
        false
    }
}

/// Formats the reason for the verdict of an entry in one or more lines, including its failure and its attempts.
pub fn reason_text<K: Explain>(entry: &ChainEntry<K>) -> String {
    let mut text = K::reason(entry);
    if entry.verdict == Verdict::Deferred {
        text.push_str(" — outranked");
    }
    let mut attempts = entry.attempts.as_slice();
    if let Some(failure) = &entry.failure
        && !K::covers_attempts(&entry.reason)
    {
        let _ = write!(text, " ({})", K::failure(failure));
        attempts = attempts.get(1..).unwrap_or_default();
    }
    let noun = K::attempt_noun(entry.slot);
    for attempt in attempts {
        let (name, failure) = (&attempt.name, K::failure(&attempt.failure));
        let _ = write!(text, "\n{noun} \"{name}\" →\n{} rejected ({failure})", attempt.candidate);
    }
    text
}

/// Formats the candidate of an entry; `no model` (or the noun of the decision kind) if it has none.
pub(crate) fn candidate_text<K: Explain>(entry: &ChainEntry<K>) -> String {
    entry.candidate.as_ref().map_or_else(|| format!("no {}", K::NOUN), ToString::to_string)
}

/// Converts the chain of a decision to JSON, one object for each entry. Each has its reason as text (`reason`) and as
/// data (`because`).
pub fn chain_json<K: Explain>(decision: &Decision<K>) -> Vec<Value> {
    decision.chain.iter().map(entry_json).collect()
}

/// Converts an entry of the chain to JSON: number and name of the slot, verdict, candidate, reason, failure and
/// attempts. `candidate` and `failure` are null if the entry has none.
fn entry_json<K: Explain>(entry: &ChainEntry<K>) -> Value {
    let noun = K::attempt_noun(entry.slot);
    let attempts = entry.attempts.iter().map(|attempt| {
        json!({
            "source": noun,
            "name": attempt.name,
            "candidate": attempt.candidate,
            "failure": K::failure_name(&attempt.failure),
        })
    });
    json!({
        "number": entry.slot.number(),
        "slot": entry.slot.name(),
        "verdict": entry.verdict.name(),
        "candidate": entry.candidate,
        "reason": reason_text(entry),
        "because": entry.reason,
        "failure": entry.failure.as_ref().map(K::failure_name),
        "attempts": attempts.collect::<Vec<_>>(),
    })
}
