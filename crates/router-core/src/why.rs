//! The why-view: the text that shows a decision with its chain on one screen (004 §7.4), for every decision kind.

use contracts::{ChainSlot as _, Decision, SessionId, TurnId, events::RouteFallback};
use event_core::Timestamp;

use crate::explain::{Explain, candidate_text, reason_text};

/// The first line of the explanation of a decision: the turn that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhyHeader {
    /// The id of the decided turn.
    pub turn: TurnId,
    /// The id of its session.
    pub session: SessionId,
    /// The time when the turn started.
    pub at: Timestamp,
}

/// Formats the explanation of a decision (its why-view) in the layout of 004 §7.4: an optional header, the chosen
/// candidate, then one numbered entry for each evaluated slot. No line ends with a space.
pub fn why<K: Explain>(header: Option<&WhyHeader>, decision: &Decision<K>) -> String {
    let mut text = String::new();
    if let Some(WhyHeader { turn, session, at }) = header {
        push_line(&mut text, &format!("Turn {turn} · session {session} · {}", utc_second(*at)));
    }
    let choice_line = match decision.winner() {
        Some(winner) => format!("Chose: {:<53} ({})", candidate_text(winner), K::summary(winner)),
        None => format!("Chose: no {}, the turn is refused", K::NOUN),
    };
    push_line(&mut text, &choice_line);
    push_line(&mut text, "");
    push_line(&mut text, "Chain:");
    for entry in &decision.chain {
        let number = entry.slot.number();
        let reason = reason_text(entry);
        let mut lines = reason.lines();
        let first_line = lines.next().unwrap_or_default();
        push_line(
            &mut text,
            &format!("  [{number}] {:<22} {:<14}  {first_line}", entry.slot.name(), entry.verdict.name()),
        );
        for line in lines {
            push_line(&mut text, &format!("{:45}{line}", ""));
        }
    }
    text
}

/// Formats the explanation of a fallback to another model, which happened at the time `at`: the models that failed,
/// then the new decision with its whole chain.
pub fn why_fallback(step: &RouteFallback, at: Timestamp) -> String {
    let failures = step.failed.iter().map(|failures| format!("{} failed ({})", failures.model, failures.class.name()));
    let failures = failures.collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    push_line(&mut text, &format!("Step {} · {} · before its answer began, {failures}", step.step, utc_second(at)));
    text.push_str(&why(None, &step.decision));
    text
}

/// Formats a time in UTC, rounded to the second; empty if the time is out of range.
fn utc_second(at: Timestamp) -> String {
    let at = i64::try_from(at.0).ok().and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok());
    at.map(|at| format!("{at:.0}")).unwrap_or_default()
}

/// Appends a line without its trailing spaces.
fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}
