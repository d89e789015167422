//! Payloads have a limited length, are decoded completely, and have frozen bytes.

use event_core::{
    CodecError, EventId, MAX_PAYLOAD_BYTES, NewEvent, Position, Timestamp, decode, decode_state, encode, encode_state,
};
use proptest::prelude::*;

use crate::events::{CoffeeSold, sold};

#[test]
fn a_payload_of_four_kibibytes_fits_and_one_byte_more_does_not() {
    // The length of the text takes three bytes.
    let fits = "x".repeat(usize::try_from(MAX_PAYLOAD_BYTES).unwrap() - 3);
    let bytes = encode("text", &fits).unwrap();
    assert_eq!(bytes.len() as u64, MAX_PAYLOAD_BYTES);
    assert_eq!(decode::<String>("text", &bytes).unwrap(), fits);
    let error = encode("text", &format!("{fits}x")).unwrap_err();
    assert!(matches!(error, CodecError::Encode { what: "text", .. }), "{error}");
    assert_eq!(error.to_string(), "cannot encode `text`");
}

#[test]
fn an_event_over_the_size_limit_is_not_encoded() {
    let large = CoffeeSold { millicents: 1, size: "x".repeat(5_000) };
    let error = NewEvent::new(EventId::default(), Timestamp(0), EventId::default(), &large).unwrap_err();
    assert!(matches!(error, CodecError::Encode { what: "acme.coffee_sold", .. }), "{error}");
}

/// Truncated, extended and empty payloads are not decoded.
#[test]
fn a_payload_with_trailing_or_missing_bytes_is_an_error() {
    let bytes = encode("coffee", &sold(300)).unwrap();
    for wrong in [&bytes[..bytes.len() - 1], &[bytes.as_slice(), &[0]].concat(), &[]] {
        let error = decode::<CoffeeSold>("coffee", wrong).unwrap_err();
        assert!(matches!(error, CodecError::Decode { what: "coffee", .. }), "{error}");
    }
}

/// Decoding a length field of 2^63 bytes fails without allocating that much memory.
#[test]
fn a_wrong_length_prefix_allocates_no_memory() {
    // A text whose length field is 2^63.
    let lie = [253, 0, 0, 0, 0, 0, 0, 0, 128];
    assert!(decode::<String>("text", &lie).is_err());
    assert!(decode_state::<Vec<u64>>("state", &lie).is_err());
}

#[test]
fn the_bytes_are_variable_length_little_endian_integers() {
    assert_eq!(
        encode("numbers", &(250_u64, 251_u64, 65_536_u32, true)).unwrap(),
        [250, 251, 251, 0, 252, 0, 0, 1, 0, 1]
    );
    assert_eq!(encode("ids", &(EventId([7; 16]), Position(3), Timestamp(9))).unwrap()[14..], [7, 7, 3, 9]);
}

#[test]
fn a_state_may_be_larger_than_a_payload() {
    let state = vec![7_u64; 100_000];
    assert!(encode("state", &state).is_err());
    let bytes = encode_state("state", &state).unwrap();
    assert_eq!(decode_state::<Vec<u64>>("state", &bytes).unwrap(), state);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn encoded_values_are_decoded_to_equal_values(millicents in any::<u64>(), size in "\\PC{0,60}") {
        let event = CoffeeSold { millicents, size };
        prop_assert_eq!(decode::<CoffeeSold>("coffee", &encode("coffee", &event).unwrap()).unwrap(), event);
    }

    #[test]
    fn any_bytes_are_decoded_as_one_event_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        if let Ok(event) = decode::<CoffeeSold>("coffee", &bytes) {
            prop_assert_eq!(decode::<CoffeeSold>("coffee", &encode("coffee", &event).unwrap()).unwrap(), event);
        }
    }
}
