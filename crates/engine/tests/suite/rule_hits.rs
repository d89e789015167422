//! The counts of decisions per rule: worked examples, and a comparison with counting naively.

use contracts::{
    ChainEntry, Decision, Reason, Slot, TurnId, Verdict,
    events::{DecisionMode, RouteDecided, RouteFallback},
};
use engine::{Hits, MAX_RULES, RuleHits};
use event_core::{EventId, NewEvent, Position, Projection, Recorded, Timestamp};
use proptest::prelude::*;

const DAY: u64 = 86_400;

/// Creates a decision by a rule, or by none.
fn decision(rule: Option<&str>) -> Decision {
    let reason =
        rule.map_or(Reason::GlobalDefault, |name| Reason::Rule { name: name.to_owned(), budget: None, cut: false });
    let (slot, verdict) = (Slot::ConfiguredRules, Verdict::Chose);
    let won = ChainEntry { slot, verdict, candidate: None, reason, failure: None, attempts: Vec::new() };
    Decision { chosen: None, chain: vec![won] }
}

/// The kind of a decision: about a live turn, about an imported turn, or after a failed model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Live,
    Imported,
    Fallback,
}

use Kind::{Fallback, Imported, Live};

fn fold(events: &[(u64, Option<String>, Kind)]) -> RuleHits {
    let mut hits = RuleHits::default();
    for (number, (seconds, rule, kind)) in (1_u64..).zip(events) {
        let (at, decision) = (Timestamp::from_secs(*seconds), decision(rule.as_deref()));
        let id = EventId::derive(&[&number.to_le_bytes()]);
        let turn = TurnId(id);
        let decided = |mode| RouteDecided { turn, mode, decision: decision.clone(), ..RouteDecided::sample() };
        let event = match kind {
            Live => NewEvent::new(id, at, id, &decided(DecisionMode::Live)),
            Imported => NewEvent::new(id, at, id, &decided(DecisionMode::Observed)),
            Fallback => NewEvent::new(
                id,
                at,
                id,
                &RouteFallback { turn, decision: decision.clone(), ..RouteFallback::sample() },
            ),
        };
        hits.apply_recorded(&Recorded::new(Position(number), at, event.unwrap())).unwrap();
    }
    hits
}

/// Creates a decision of this kind by a rule, `seconds` after the start.
fn by(name: &str, seconds: u64, kind: Kind) -> (u64, Option<String>, Kind) {
    (seconds, Some(name.to_owned()), kind)
}

#[test]
fn a_hit_is_a_turn_so_a_fallback_is_none_and_imported_turns_are_counted_apart() {
    let events = [
        by("a", 1, Live),
        by("a", 2, Fallback),
        by("b", 3, Live),
        by("b", DAY, Live),
        by("a", DAY, Imported),
        by("a", 2 * DAY, Imported),
    ];
    let hits = fold(&events);
    assert_eq!(hits.for_rule("a"), Hits { live: 1, imported: 2, latest_day: 0 });
    assert_eq!(hits.for_rule("b"), Hits { live: 2, imported: 0, latest_day: 1 });
    assert_eq!(hits.for_rule("never"), Hits::default());
    assert_eq!(hits.latest_day(), 1, "an imported turn is of no day");
}

#[test]
fn a_day_on_which_no_rule_won_is_a_day() {
    let hits = fold(&[by("a", 1, Live), (DAY, None, Live)]);
    assert_eq!(hits.for_rule("a"), Hits { live: 1, imported: 0, latest_day: 0 });
}

#[test]
fn of_too_many_rules_the_one_goes_that_has_not_won_for_longest() {
    let many = (0..MAX_RULES as u64).map(|number| by(&format!("rule {number}"), number * DAY, Live));
    let hits = fold(&many.chain([by("new", 7, Live)]).collect::<Vec<_>>());
    assert_eq!(hits.iter().count(), MAX_RULES);
    assert_eq!((hits.for_rule("rule 0").live, hits.for_rule("rule 1").live, hits.for_rule("new").live), (0, 1, 1));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hits_are_what_counting_by_hand_gives(
        events in prop::collection::vec(
            (0..4 * DAY, prop::option::of("[abc]"), prop::sample::select(vec![Live, Imported, Fallback])),
            0..40,
        )
    ) {
        let hits = fold(&events);
        let live_days = events.iter().filter(|(.., kind)| *kind == Live).map(|(seconds, ..)| seconds / DAY);
        let day = live_days.max().unwrap_or(0);
        prop_assert_eq!(hits.latest_day(), day);
        for name in ["a", "b", "c"] {
            let count = |wanted: Kind, of_day: Option<u64>| {
                let won = events.iter().filter(|(_, rule, kind)| rule.as_deref() == Some(name) && *kind == wanted);
                won.filter(|(seconds, ..)| of_day.is_none_or(|day| seconds / DAY == day)).count() as u64
            };
            let expected = Hits { live: count(Live, None), imported: count(Imported, None), latest_day: 0 };
            prop_assert_eq!(Hits { latest_day: 0, ..hits.for_rule(name) }, expected);
            prop_assert_eq!(hits.for_rule(name).latest_day, count(Live, Some(day)));
        }
    }
}
