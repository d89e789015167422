//! Replay repeats every decision from the log alone, and detects a change of any byte.

use contracts::{
    Failure, OutageScope,
    events::{LogRetained, RouteDecided, TurnStarted},
};
use event_bus::Expected;
use event_core::{EventId, NewEvent, Payload, Recorded, Timestamp, encode};
use what_if::{Range, ReplayReport, WhatIfError, replay};

use crate::past::Past;

/// A policy that reads text, clock, budget and touched files.
const POLICY: &str = r#"
rules:
  - {name: commits, when: {message_matches: "(?i)\\bcommit"}, use: haiku}
  - {name: budget, when: {cost_today_exceeds_usd: 0.05}, use: sonnet}
  - {name: code, when: {file_extensions_in_context: [.rs, .ts]}, use: opus}
global_default: haiku
"#;

fn replayed(past: &Past) -> ReplayReport {
    replay(&*past.log, &*past.texts, &Range::default(), |_| {}).unwrap()
}

#[test]
fn every_decision_comes_out_the_same_with_and_without_the_text() {
    let past = Past::under(POLICY);
    let with_text = replayed(&past);
    assert_eq!((with_text.decisions, with_text.without_text, &with_text.divergence), (9, 0, &None));
    let without = replayed(&past.without_text());
    assert_eq!((without.decisions, without.without_text, &without.divergence), (9, 9, &None));
    assert_eq!(without.digest, with_text.digest);
}

/// Appends the event by which sessions are removed from a log.
fn append_retention(past: &Past) {
    let retained = NewEvent::new(EventId([9; 16]), Timestamp(0), EventId([9; 16]), &LogRetained::sample()).unwrap();
    past.log.append(Expected::Any, Timestamp(0), &[retained]).unwrap();
    past.log.sync().unwrap();
}

/// Removes the payload of an event.
fn purge(event: &mut Recorded) {
    event.purged = Some(*blake3::hash(&event.event.payload).as_bytes());
    event.event.payload = Payload::default();
}

/// After sessions were removed from the log, the decisions of the others are compared although they may have read
/// patterns of them: with the recommendation that they recorded. Decisions that were removed are counted.
#[test]
fn decisions_from_before_a_retention_are_repeated_with_the_recommendation_they_recorded() {
    for policy in [POLICY, "pattern: {min_sample_size: 1}\nglobal_default: haiku\n", "global_default: haiku\n"] {
        let complete = replayed(&Past::under(policy));
        let first = Past::under(policy).events().iter().find_map(|event| event.read::<TurnStarted>().unwrap()).unwrap();
        let past = Past::under(policy).with_events(|event| {
            let is_evidence = ["turn.ended", "eval.completed"].contains(&&*event.event.kind);
            if is_evidence || event.event.correlation == first.turn.0 {
                purge(event);
            }
        });
        append_retention(&past);
        let repeated = replayed(&past);
        assert_eq!((complete.decisions, complete.with_recorded_patterns, complete.removed), (9, 0, 0));
        assert_eq!((repeated.decisions, repeated.with_recorded_patterns, repeated.removed), (8, 8, 1), "{policy}");
        assert_eq!(repeated.divergence, None, "{policy}");
    }
}

/// A decision before a retention that was changed is found, and one that names an outage is left out if calls before it
/// were removed.
#[test]
fn a_changed_decision_from_before_a_retention_shows_and_one_with_unknown_outages_is_left_out() {
    let mut decided_so_far = 0;
    let change = |decided: &mut RouteDecided| {
        decided.decision.chain[0].failure =
            Some(Failure::ProviderUnavailable(OutageScope::ModelSpecific(decided.decision.chosen.clone().unwrap())));
    };
    for (removes_calls, expected) in [(false, (4, 0, true)), (true, (8, 1, false))] {
        decided_so_far = 0;
        let past = Past::under(POLICY).with_events(|event| {
            if let Some(mut decided) = event.read::<RouteDecided>().unwrap() {
                decided_so_far += 1;
                if decided_so_far == 4 {
                    change(&mut decided);
                    event.event.payload = encode("route.decided", &decided).unwrap().into();
                }
            } else if removes_calls && event.event.kind.starts_with("llm.call") {
                purge(event);
            }
        });
        append_retention(&past);
        let repeated = replayed(&past);
        assert_eq!((repeated.decisions, repeated.without_outages, repeated.divergence.is_some()), expected);
    }
    assert_eq!(decided_so_far, 9);
}

#[test]
fn the_digest_is_that_of_the_decisions_and_of_nothing_else() {
    let (one, again, other) = (Past::under(POLICY), Past::under(POLICY), Past::under("global_default: opus"));
    assert_eq!(replayed(&one).digest, replayed(&again).digest);
    assert_ne!(replayed(&one).digest, replayed(&other).digest);
}

#[test]
fn a_decision_that_comes_out_differently_ends_the_replay_with_both() {
    let mut seen = 0;
    let past = Past::under(POLICY).with_events(|event| {
        if let Some(mut decided) = event.read::<RouteDecided>().unwrap() {
            seen += 1;
            if seen == 4 {
                decided.decision.chain.pop();
                event.event.payload = encode("route.decided", &decided).unwrap().into();
            }
        }
    });
    let replayed = replayed(&past);
    assert_eq!(replayed.decisions, 4);
    let divergence = replayed.divergence.unwrap();
    assert_eq!(divergence.recorded.chain.len() + 1, divergence.again.chain.len());
}

#[test]
fn a_turn_that_was_changed_after_it_was_decided_shows() {
    let past = Past::under(POLICY).with_events(|event| {
        if let Some(mut started) = event.read::<TurnStarted>().unwrap() {
            started.spent_today.0 += 1_000_000_000;
            started.extensions.clear();
            event.event.payload = encode("turn.started", &started).unwrap().into();
        }
    });
    assert!(replayed(&past).divergence.is_some());
}

#[test]
fn a_decision_of_another_decider_is_counted_and_not_judged() {
    let past = Past::under(POLICY).with_events(|event| {
        if let Some(mut decided) = event.read::<RouteDecided>().unwrap() {
            decided.decider += 1;
            decided.decision.chain.clear();
            event.event.payload = encode("route.decided", &decided).unwrap().into();
        }
    });
    let replayed = replayed(&past);
    assert_eq!((replayed.decisions, replayed.divergence), (0, None));
    assert_eq!(replayed.other_deciders.values().sum::<u64>(), 9);
}

#[test]
fn a_range_holds_its_turns_only() {
    let past = Past::under(POLICY);
    let starts: Vec<_> = past
        .events()
        .iter()
        .filter_map(|event| Some((event.event.at, event.read::<TurnStarted>().unwrap()?)))
        .collect();
    let (third, session) = (starts[3].0, starts[0].1.session.clone());
    let count = |range: Range| replay(&*past.log, &*past.texts, &range, |_| {}).unwrap().decisions;
    assert_eq!(count(Range { from: Some(third), ..Range::default() }), 6);
    assert_eq!(count(Range { to: Some(third), ..Range::default() }), 3);
    assert_eq!(count(Range { session: Some(session), ..Range::default() }), 9);
    assert_eq!(count(Range { session: Some("another".try_into().unwrap()), ..Range::default() }), 0);
}

#[test]
fn a_policy_that_is_gone_is_named() {
    let past = Past::under(POLICY);
    past.texts_without_policies();
    let gone = replay(&*past.log, &*past.texts, &Range::default(), |_| {}).unwrap_err();
    assert!(matches!(gone, WhatIfError::TextMissing { .. }), "{gone}");
}

#[test]
fn a_turn_whose_start_was_lost_is_counted_and_the_others_go_on() {
    let mut starts = 0;
    let past = Past::under(POLICY).with_events(|event| {
        if event.read::<TurnStarted>().unwrap().is_some() {
            starts += 1;
            if starts == 9 {
                // As a repair marks it.
                event.event.kind = "log.lost".into();
                event.event.payload = Payload::default();
            }
        }
    });
    let again = replayed(&past);
    assert_eq!((again.decisions, again.without_start, &again.divergence), (8, 1, &None));
    let (report, _) = past.try_on(&[("opus", "global_default: opus")]);
    assert_eq!(
        report.excluded.get("its start was lost from the log").map(|total| total.turns),
        Some(1),
        "{:?}",
        report.excluded
    );
}
