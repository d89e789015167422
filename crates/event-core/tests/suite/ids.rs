//! Ids, positions and times: derivation, order, and parsing.

use event_core::{EventId, Position, Timestamp};
use proptest::prelude::*;

/// Equal parts derive equal ids; parts with other borders, kinds or numbers derive other ids. One derived id is fixed,
/// since ids are part of the format.
#[test]
fn a_derived_id_depends_on_the_parts_and_their_boundaries() {
    let id = EventId::derive(&[b"turn", b"one"]);
    assert_eq!(id, EventId::derive(&[b"turn", b"one"]));
    assert_ne!(id, EventId::derive(&[b"turno", b"ne"]));
    assert_ne!(id, EventId::derive(&[b"turn", b"one", b""]));
    let next = [id.then("a.b", 0), id.then("a.b", 1), id.then("a.c", 0), id];
    assert!((0..4).all(|one| (0..one).all(|other| next[one] != next[other])));
    // Ids are stored in logs, so their derivation is part of the format.
    assert_eq!(id.to_string(), "2bc23a0acb2a85e8f712912023eb99af");
}

#[test]
fn only_thirty_two_digits_are_an_id() {
    for text in [
        "",
        "00",
        &"0".repeat(31),
        &"0".repeat(33),
        &"g".repeat(32),
        &"é".repeat(16),
        "+1111111111111111111111111111111",
    ] {
        assert!(text.parse::<EventId>().is_err(), "{text}");
    }
}

#[test]
fn local_time_wraps_around_the_day_in_both_directions() {
    let at = Timestamp::from_secs(86_400 + 30 * 60);
    assert_eq!([0, 60, -60, 1_410, -31].map(|offset| at.local_minute_of_day(offset)), [30, 90, 1_410, 0, 1_439]);
    assert_eq!((at.utc_day(), Timestamp::from_secs(86_399).utc_day()), (1, 0));
    assert_eq!(Timestamp(5).micros_since(Timestamp(9)), 0);
    assert_eq!(Timestamp(u64::MAX).plus_secs(9), Timestamp(u64::MAX));
    assert_eq!(Position(u64::MAX).next(), Position(u64::MAX));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_derived_id_is_half_of_the_hash_of_its_length_prefixed_parts(
        parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..90), 0..4)
    ) {
        let whole: Vec<u8> = parts.iter().flat_map(|part| [&(part.len() as u64).to_le_bytes(), &part[..]].concat()).collect();
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let (id, hash) = (EventId::derive(&parts), blake3::hash(&whole));
        prop_assert_eq!(&id.0[..], &hash.as_bytes()[..16]);
    }

    #[test]
    fn a_formatted_id_is_parsed_to_the_same_id(bytes in any::<[u8; 16]>()) {
        let id = EventId(bytes);
        prop_assert_eq!(id.to_string().parse::<EventId>(), Ok(id));
        prop_assert_eq!(id.to_string().to_uppercase().parse::<EventId>(), Ok(id));
    }

    #[test]
    fn keys_sort_as_positions_do(one in any::<u64>(), other in any::<u64>()) {
        let (one, other) = (Position(one), Position(other));
        prop_assert_eq!(one.to_key().cmp(&other.to_key()), one.cmp(&other));
        prop_assert_eq!(Position::from_key(one.to_key()), one);
    }

    #[test]
    fn a_minute_of_the_day_is_one_of_1440(micros in any::<u64>(), offset in any::<i16>()) {
        prop_assert!(Timestamp(micros).local_minute_of_day(offset) < 1_440);
    }
}
