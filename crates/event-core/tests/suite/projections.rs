//! State and position of a projection advance together.

use std::cell::Cell;

use event_core::{
    Checkpoint, CodecError, DecodedEvent, EventSet, EventSubset, Position, Projected, Projection, ProjectionError,
    Recorded,
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

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
fn an_event_folded_before_changes_nothing() {
    let mut till = folded(3);
    for event in day(3) {
        till.advance(&event).unwrap();
    }
    assert_eq!(till, folded(3));
    assert_eq!(till.state(), &Till { millicents: 6, cups: 3 });
}

/// A gap in the positions is an error and leaves the state unchanged.
#[test]
fn a_gap_in_positions_is_an_error_and_the_state_is_unchanged() {
    let mut till = folded(3);
    let error = till.advance(&recorded(5, &sold(5))).unwrap_err();
    assert!(matches!(error, ProjectionError::Gap { name: Till::NAME, at: Position(3), given: Position(5) }));
    assert_eq!(error.to_string(), "projection `acme.till` is at position 3 and got the event at position 5");
    assert_eq!(till, folded(3));
}

#[test]
fn an_undecodable_event_stops_the_projection_at_its_position() {
    let mut till = folded(2);
    let mut event = recorded(3, &sold(3));
    event.event.version = 9;
    let error = till.advance(&event).unwrap_err();
    assert_eq!(error.to_string(), "projection `acme.till` cannot read the event at position 3");
    assert_eq!(till.position(), Position(2));
    till.advance(&recorded(3, &CoffeeSoldV1 { cents: 1 })).unwrap();
    assert_eq!(till.state().millicents, 1_003);
}

/// The second projection uses the value that was decoded for the first.
#[test]
fn an_event_is_decoded_once_for_several_projections() {
    let event = recorded(1, &sold(450));
    let decoded = DecodedEvent::<CountedDecoding>::new(&event);
    let (mut first, mut second) = (Projected::<Decodings>::default(), Projected::<Decodings>::default());
    first.advance_decoded(&decoded).unwrap();
    second.advance_decoded(&decoded).unwrap();
    assert_eq!((first.state().0, second.state().0), (1, 1));
    assert_eq!(DECODINGS.get(), 1);
}

/// The value of the producer is folded without decoding the payload, which here is not decodable.
#[test]
fn a_value_that_the_producer_supplies_is_not_decoded() {
    let mut event = recorded(1, &sold(450));
    event.event.payload = vec![0xff].into();
    let mut till = Projected::<Till>::default();
    till.advance_decoded(&DecodedEvent::with_value(&event, sold(450))).unwrap();
    assert_eq!(till.state(), &Till { millicents: 450, cups: 1 });
}

#[test]
fn a_purged_event_advances_the_position_only() {
    let mut till = folded(1);
    till.advance(&recorded(2, &sold(2)).with_purged(Some([0; 32]))).unwrap();
    assert_eq!((till.state().cups, till.position()), (1, Position(2)));
}

thread_local! {
    /// Number of times that [`CountedDecoding`] was decoded in this thread.
    static DECODINGS: Cell<u64> = const { Cell::new(0) };
}

/// A set of all events that counts how often one is decoded.
#[derive(Debug)]
struct CountedDecoding;

impl EventSet for CountedDecoding {
    fn decode(_event: &Recorded) -> Result<Option<Self>, CodecError> {
        DECODINGS.set(DECODINGS.get() + 1);
        Ok(Some(Self))
    }
}

impl<'a> EventSubset<'a, CountedDecoding> for &'a CountedDecoding {
    fn includes(_kind: &str) -> bool {
        true
    }

    fn select(event: &'a CountedDecoding) -> Option<Self> {
        Some(event)
    }
}

/// A projection that counts the events of [`CountedDecoding`].
#[derive(Debug, Default, Serialize, Deserialize)]
struct Decodings(u64);

impl Projection for Decodings {
    const NAME: &'static str = "acme.decodings";
    const VERSION: u32 = 1;
    type Events = CountedDecoding;
    type Folded<'a> = &'a CountedDecoding;

    fn apply(&mut self, _event: &CountedDecoding, _recorded: &Recorded) {
        self.0 += 1;
    }
}

/// A missing or damaged checkpoint, one of another version and one after the head are ignored: the projection starts
/// from the default state.
#[test]
fn an_unusable_checkpoint_results_in_the_default_state() {
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
    fn a_state_resumed_from_any_checkpoint_equals_the_state_rebuilt(cups in 0_u64..40, share in 0_u64..=100) {
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
