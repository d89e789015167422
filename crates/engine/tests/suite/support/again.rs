//! Repeats decisions from the log and its texts alone (decision D14).

use std::sync::Arc;

use catalogue::registry_from_text;
use contracts::{
    Decision, MessageText, Turn,
    events::{PolicyLoaded, RouteDecided, SkillReused, SkillRouted, TextBody, TurnStarted, TurnTextRecorded},
};
use engine::RouterState;
use event_bus::{EventLog, ProjectionSet as _, TextStore};
use event_core::{EventType, Position, Recorded, encode_state};
use router_core::{Decided, Policy, decide};

use super::Desk;

/// Whether the user's text is available when a decision is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    /// The recorded text is available.
    Kept,
    /// Only the recorded matches of text predicates are available (decision D9).
    Purged,
}

/// Repeats a recorded decision from the events before it; panics if the log has not all of its inputs.
pub(crate) fn repeat_decision(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    event: &RouteDecided,
    words: Words,
) -> Decided {
    let before = log.read_after(Position::ORIGIN, usize::try_from(event.based_on.0).unwrap()).unwrap();
    let mut state = RouterState::default();
    for event in &before {
        state.advance(event).unwrap();
    }
    let (at, turn) = started(&before, event);
    let text = if words == Words::Kept { message(&before, texts, event) } else { String::new() };
    let message = match words {
        Words::Kept => MessageText::Present(&text),
        Words::Purged => MessageText::Matched(&event.matched),
    };
    let policy = policy(&before, texts, event);
    let skills = selected_skills(&before, event);
    let turn = Turn { skills: &skills, ..Turn::new(&turn, at, message) };
    state.with_views(at, |views| decide(&turn, &policy, views))
}

/// Returns the skills that the skill decision of a turn loads: its own one, or that of a hook.
fn selected_skills(before: &[Recorded], event: &RouteDecided) -> Vec<String> {
    let reused = before.iter().filter_map(|event| event.read::<SkillReused>().unwrap());
    let hook = reused.filter(|reused| reused.turn == event.turn).map(|reused| reused.decision).next();
    let mut decided =
        before.iter().filter_map(|recorded| Some((recorded.event.id, recorded.read::<SkillRouted>().unwrap()?)));
    let own = decided.find(|(id, routed)| routed.turn == Some(event.turn) || Some(*id) == hook);
    own.and_then(|(_, routed)| Some(routed.decision.chosen?.loaded().to_vec())).unwrap_or_default()
}

/// Repeats every decision of a log and compares the bytes; returns their number.
pub(crate) fn all_are_the_same(desk: &Desk, words: Words) -> usize {
    let decided = desk.all::<RouteDecided>();
    for event in &decided {
        let again = repeat_decision(desk.log.as_ref(), desk.texts.as_ref(), event, words);
        let bytes = |decision: &Decision| encode_state("decision", decision).unwrap();
        assert_eq!(again.decision, event.decision);
        assert_eq!(bytes(&again.decision), bytes(&event.decision));
        assert_eq!(again.matched, event.matched);
    }
    decided.len()
}

/// Returns time and content of the last event of a type that satisfies `holds`; panics without one.
fn last<E: EventType>(events: &[Recorded], holds: impl Fn(&E) -> bool) -> (event_core::Timestamp, E) {
    let mut found = events.iter().rev().filter_map(|event| Some((event.event.at, event.read::<E>().unwrap()?)));
    found.find(|(_, event)| holds(event)).unwrap_or_else(|| panic!("the log has no such `{}`", E::KIND))
}

/// Returns time and content of the start of a decision's turn.
fn started(events: &[Recorded], decided: &RouteDecided) -> (event_core::Timestamp, TurnStarted) {
    last(events, |event: &TurnStarted| event.turn == decided.turn)
}

/// Returns the message of a decision's turn.
fn message(events: &[Recorded], texts: &dyn TextStore, decided: &RouteDecided) -> String {
    match last(events, |event: &TurnTextRecorded| event.turn == decided.turn).1.text {
        TextBody::Inline(text) => text,
        TextBody::Stored { hash, .. } => texts.get(hash.0).unwrap().unwrap(),
    }
}

/// Loads the policy of a decision with its list of models.
fn policy(events: &[Recorded], texts: &dyn TextStore, decided: &RouteDecided) -> Policy {
    let (_, loaded) = last(events, |event: &PolicyLoaded| event.hash == decided.policy);
    let models = texts.get(decided.catalogue.0).unwrap().unwrap();
    let registry = Arc::new(registry_from_text(&models).unwrap());
    let text = texts.get(loaded.hash.0).unwrap().unwrap();
    Policy::load(&text, registry, loaded.home.as_deref()).unwrap()
}
