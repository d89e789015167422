//! The counts of decisions per rule: worked examples, and a comparison with counting naively.

use contracts::{
    ChainEntry, Decision, Reason, Slot, TurnId, Verdict,
    events::{RouteDecided, RouteFallback},
};
use engine::{Hits, MAX_RULES, RuleHits};
use event_core::{EventId, NewEvent, Position, Projection, Recorded, Timestamp};
use proptest::prelude::*;

const DAY: u64 = 86_400;

/// A decision by a rule, or by none.
fn decision(rule: Option<&str>) -> Decision {
    let reason =
        rule.map_or(Reason::GlobalDefault, |name| Reason::Rule { name: name.to_owned(), budget: None, cut: false });
    let (slot, verdict) = (Slot::ConfiguredRules, Verdict::Chose);
    let won = ChainEntry { slot, verdict, candidate: None, reason, failure: None, attempts: Vec::new() };
    Decision { chosen: None, chain: vec![won] }
}

fn fold(events: &[(u64, Option<String>, bool)]) -> RuleHits {
    let mut hits = RuleHits::default();
    for (number, (seconds, rule, fell)) in (1_u64..).zip(events) {
        let (at, decision) = (Timestamp::from_secs(*seconds), decision(rule.as_deref()));
        let id = EventId::derive(&[&number.to_le_bytes()]);
        let turn = TurnId(id);
        let event = if *fell {
            NewEvent::new(id, at, id, &RouteFallback { turn, decision, ..RouteFallback::sample() })
        } else {
            NewEvent::new(id, at, id, &RouteDecided { turn, decision, ..RouteDecided::sample() })
        };
        hits.apply(&Recorded::new(Position(number), at, event.unwrap())).unwrap();
    }
    hits
}

#[test]
fn a_rule_is_counted_in_all_and_on_the_latest_day_also_for_a_step_after_a_failure() {
    let rule = |name: &str| Some(name.to_owned());
    let events = [(1, rule("a"), false), (2, rule("a"), true), (3, rule("b"), false), (DAY, rule("b"), false)];
    let hits = fold(&events);
    assert_eq!(hits.of("a"), Hits { total: 2, latest_day: 0 });
    assert_eq!(hits.of("b"), Hits { total: 2, latest_day: 1 });
    assert_eq!(hits.of("never"), Hits::default());
    assert_eq!(hits.latest_day(), 1);
}

#[test]
fn a_day_on_which_no_rule_won_is_a_day() {
    let hits = fold(&[(1, Some("a".to_owned()), false), (DAY, None, false)]);
    assert_eq!(hits.of("a"), Hits { total: 1, latest_day: 0 });
}

#[test]
fn of_too_many_rules_the_one_goes_that_has_not_won_for_longest() {
    let many = (0..MAX_RULES as u64).map(|number| (number * DAY, Some(format!("rule {number}")), false));
    let hits = fold(&many.chain([(7, Some("new".to_owned()), false)]).collect::<Vec<_>>());
    assert_eq!(hits.iter().count(), MAX_RULES);
    assert_eq!((hits.of("rule 0").total, hits.of("rule 1").total, hits.of("new").total), (0, 1, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_are_what_counting_by_hand_gives(
        events in prop::collection::vec((0..4 * DAY, prop::option::of("[abc]"), any::<bool>()), 0..40)
    ) {
        let hits = fold(&events);
        let day = events.iter().map(|(seconds, ..)| seconds / DAY).max().unwrap_or(0);
        prop_assert_eq!(hits.latest_day(), day);
        for name in ["a", "b", "c"] {
            let won = || events.iter().filter(|(_, rule, _)| rule.as_deref() == Some(name));
            let on_day = won().filter(|(seconds, ..)| seconds / DAY == day).count() as u64;
            prop_assert_eq!(hits.of(name), Hits { total: won().count() as u64, latest_day: on_day });
        }
    }
}
