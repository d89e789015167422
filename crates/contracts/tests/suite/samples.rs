//! The example of each event kind: its size, its round trip and its description.

use contracts::catalogue::{JsonError, KINDS, find_kind};
use event_core::MAX_PAYLOAD_BYTES;
use serde_json::json;

#[test]
fn every_example_comes_back_from_json_with_the_same_bytes() {
    for spec in KINDS {
        let payload = (spec.payload)().unwrap();
        assert!(payload.len() as u64 <= MAX_PAYLOAD_BYTES, "{}", spec.kind);
        let json = (spec.to_json)(&payload).unwrap();
        assert!(json.is_object(), "{}", spec.kind);
        // Through text, as an export goes.
        let json = serde_json::from_str(&json.to_string()).unwrap();
        assert_eq!((spec.from_json)(json).unwrap(), payload, "{}", spec.kind);
    }
}

#[test]
fn every_kind_is_found_by_its_name_and_version_and_is_described_in_a_sentence() {
    for spec in KINDS {
        let found = find_kind(spec.kind, spec.version).unwrap();
        assert_eq!((found.kind, found.about), (spec.kind, spec.about));
        assert!(spec.about.ends_with('.') && spec.about.starts_with(char::is_uppercase), "{}", spec.about);
        let (concern, what) = spec.kind.split_once('.').unwrap();
        let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(plain(concern) && plain(what), "{}", spec.kind);
        let newest = KINDS.iter().filter(|other| other.kind == spec.kind).map(|other| other.version).max();
        assert!(find_kind(spec.kind, newest.unwrap() + 1).is_none());
    }
    assert!(find_kind("acme.coffee_brewed", 1).is_none());
}

#[test]
fn json_that_does_not_fit_is_refused_with_the_kind() {
    for spec in KINDS {
        let error = (spec.from_json)(json!({ "colour": "blue" })).unwrap_err();
        assert!(matches!(error, JsonError::Json { kind, version, .. } if (kind, version) == (spec.kind, spec.version)));
        assert!(matches!((spec.to_json)(&[0xff]).unwrap_err(), JsonError::Codec(_)), "{}", spec.kind);
    }
}

#[test]
fn an_example_with_one_byte_more_or_less_is_not_that_event() {
    for spec in KINDS {
        let payload = (spec.payload)().unwrap();
        let longer = [payload.as_slice(), &[0]].concat();
        assert!((spec.to_json)(&longer).is_err(), "{}", spec.kind);
        assert!((spec.to_json)(&payload[..payload.len() - 1]).is_err(), "{}", spec.kind);
    }
}
