//! State and position of a projection advance together.

use event_core::{Checkpoint, Position, Projected, Projection as _, ProjectionError};
use proptest::prelude::*;

use crate::events::{CoffeeSoldV1, Till, day, recorded, sold};

/// Returns a projection after the events of [`day`].
fn folded(cups: u64) -> Projected<Till> {
    let mut till = Projected::<Till>::default();
    for event in day(cups) {
        till.advance(&event).unwrap();
    }
    till
}

#[test]
fn a_event_already_seen_changes_nothing() {
    let mut till = folded(3);
    for event in day(3) {
        till.advance(&event).unwrap();
    }
    assert_eq!(till, folded(3));
    assert_eq!(till.state(), &Till { millicents: 6, cups: 3 });
}

/// A gap in the positions is an error and leaves the state unchanged.
#[test]
fn a_missing_event_is_noticed_and_the_state_stays() {
    let mut till = folded(3);
    let error = till.advance(&recorded(5, &sold(5))).unwrap_err();
    assert!(matches!(error, ProjectionError::Gap { name: Till::NAME, at: Position(3), given: Position(5) }));
    assert_eq!(error.to_string(), "projection `acme.till` stands at 3 and was given 5");
    assert_eq!(till, folded(3));
}

#[test]
fn an_unreadable_event_stops_the_projection_where_it_stands() {
    let mut till = folded(2);
    let mut event = recorded(3, &sold(3));
    event.event.version = 9;
    let error = till.advance(&event).unwrap_err();
    assert_eq!(error.to_string(), "projection `acme.till` cannot read the event at position 3");
    assert_eq!(till.position(), Position(2));
    till.advance(&recorded(3, &CoffeeSoldV1 { cents: 1 })).unwrap();
    assert_eq!(till.state().millicents, 1_003);
}

/// A missing or damaged checkpoint, one of another version and one after the head are ignored: the projection starts
/// from the default state.
#[test]
fn a_checkpoint_that_is_of_no_use_means_starting_over() {
    let saved = folded(4).checkpoint().unwrap();
    let resume = |checkpoint: Option<&Checkpoint>, head| Projected::<Till>::resume(checkpoint, Position(head));
    assert_eq!(resume(Some(&saved), 4), folded(4));
    assert_eq!(resume(Some(&saved), 100), folded(4));
    let none = Projected::<Till>::default();
    assert_eq!(resume(None, 100), none);
    assert_eq!(resume(Some(&saved), 3), none, "the log ends before it: a restored backup");
    assert_eq!(resume(Some(&Checkpoint { version: 6, ..saved.clone() }), 4), none, "another version of the fold");
    let mut damaged = saved;
    damaged.state.push(0);
    assert_eq!(resume(Some(&damaged), 4), none);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_state_resumed_anywhere_is_the_state_rebuilt(cups in 0_u64..40, share in 0_u64..=100) {
        let saved = folded(cups * share / 100).checkpoint().unwrap();
        prop_assert_eq!(saved.version, Till::VERSION);
        let mut resumed = Projected::<Till>::resume(Some(&saved), Position(cups));
        prop_assert_eq!(resumed.position(), saved.position);
        // Events that are folded already are ignored.
        for event in day(cups) {
            resumed.advance(&event).unwrap();
        }
        prop_assert_eq!(resumed, folded(cups));
    }
}
