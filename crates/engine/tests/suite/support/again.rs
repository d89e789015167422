//! Decisions made again, from nothing but the log and the texts beside it (decision D14).

use std::sync::Arc;

use adapters::catalogue::registry_from_text;
use contracts::{
    Decision, MessageText,
    facts::{PolicyLoaded, RouteDecided, TextBody, TurnStarted, TurnTextRecorded},
};
use engine::{RouterState, captured_turn};
use event_bus::{EventLog, TextStore};
use event_core::{Event, Position, Projected, Recorded, encode_state};
use router_core::{Decided, Policy, decide};

use super::Desk;

/// Whether the words of the user are still there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    Kept,
    /// Only which text predicates matched is known (decision D9).
    Purged,
}

/// Makes a recorded decision again.
pub(crate) fn decide_again(log: &dyn EventLog, texts: &dyn TextStore, fact: &RouteDecided, words: Words) -> Decided {
    let before = log.read_after(Position::ORIGIN, usize::try_from(fact.based_on.0).unwrap()).unwrap();
    let mut state = Projected::<RouterState>::default();
    for fact in &before {
        state.advance(fact).unwrap();
    }
    let (at, turn) = started(&before, fact);
    let message = match words {
        Words::Kept => MessageText::Present(message(&before, texts, fact)),
        Words::Purged => MessageText::Matched(fact.matched.clone()),
    };
    let policy = policy(&before, texts, fact);
    let turn = captured_turn(&turn, at, message);
    state.state().with_views(at, |views| decide(&turn, &policy, views))
}

/// Makes every decision of a log again, and compares the bytes; how many they are.
pub(crate) fn all_are_the_same(desk: &Desk, words: Words) -> usize {
    let decided = desk.all::<RouteDecided>();
    for fact in &decided {
        let again = decide_again(desk.log.as_ref(), desk.texts.as_ref(), fact, words);
        let bytes = |decision: &Decision| encode_state("decision", decision).unwrap();
        assert_eq!(again.decision, fact.decision);
        assert_eq!(bytes(&again.decision), bytes(&fact.decision));
        assert_eq!(again.matched, fact.matched);
    }
    decided.len()
}

/// The last fact of a kind for which something holds.
fn last<E: Event>(facts: &[Recorded], holds: impl Fn(&E) -> bool) -> (event_core::Timestamp, E) {
    let mut found = facts.iter().rev().filter_map(|fact| Some((fact.event.at, fact.read::<E>().unwrap()?)));
    found.find(|(_, fact)| holds(fact)).unwrap_or_else(|| panic!("the log has no such `{}`", E::KIND))
}

fn started(facts: &[Recorded], decided: &RouteDecided) -> (event_core::Timestamp, TurnStarted) {
    last(facts, |fact: &TurnStarted| fact.turn == decided.turn)
}

fn message(facts: &[Recorded], texts: &dyn TextStore, decided: &RouteDecided) -> String {
    match last(facts, |fact: &TurnTextRecorded| fact.turn == decided.turn).1.text {
        TextBody::Inline(text) => text,
        TextBody::Stored { hash, .. } => texts.get(hash.0).unwrap().unwrap(),
    }
}

fn policy(facts: &[Recorded], texts: &dyn TextStore, decided: &RouteDecided) -> Policy {
    let (_, loaded) = last(facts, |fact: &PolicyLoaded| fact.hash == decided.policy);
    let models = texts.get(decided.catalogue.0).unwrap().unwrap();
    let registry = Arc::new(registry_from_text(&models).unwrap());
    let text = texts.get(loaded.hash.0).unwrap().unwrap();
    Policy::load(&text, registry, loaded.home.as_deref()).unwrap()
}
