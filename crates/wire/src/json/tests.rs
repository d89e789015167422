//! The parser agrees with `serde_json`.

use proptest::prelude::*;
use serde::de::IgnoredAny;

use super::{Cursor, ValueKind, decode_string, raw_prefix_length};

/// Returns whether the parser accepts a text that is one JSON value.
fn passes(text: &str) -> bool {
    let mut cursor = Cursor::new(text);
    cursor.read_value().is_ok() && cursor.expect_end().is_ok()
}

/// Returns whether the parser and `serde_json` both accept or both reject a text.
fn agrees(text: &str) -> bool {
    passes(text) == serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Texts at the limits of the grammar are accepted or rejected as by `serde_json`.
#[test]
fn odd_texts_are_judged_as_serde_json_judges_them() {
    for text in [
        "",
        " ",
        "1",
        "-",
        "-0",
        "01",
        "1.",
        "1.5e",
        "1e+9",
        "-1.5E-03",
        "nul",
        "nulls",
        "true false",
        "\"",
        "\"\\\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\x\"",
        "\"\n\"",
        "[",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\" 1}",
        "{1:2}",
        "[]]",
        "{\"a\":[{}]}",
        " [ 1 , \"\u{e9}\" ] ",
        "[1,{\"a\":[]},2]",
        "\u{feff}1",
        "\"\u{7f}\"",
        "\"long enough to be read eight bytes at a time \\u00e9 and on\"",
    ] {
        assert!(agrees(text), "{text:?}");
    }
}

/// 127 levels are accepted, 128 are rejected, and a million do not overflow the stack.
#[test]
fn what_is_nested_too_deeply_is_refused_without_recursion() {
    let nested = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert!(passes(&nested(127)));
    assert!(!passes(&nested(128)));
    assert!(!passes(&"[".repeat(1_000_000)));
    assert!(!passes(&"{\"a\":".repeat(1_000_000)));
}

/// Members and elements found within a value have their byte range in the complete text.
#[test]
fn members_and_elements_are_where_they_are() {
    let text = r#" {"a": [1, {"b":null} ] , "\u0063":"\u00e9\n"}"#;
    let value = Cursor::new(text).read_value().unwrap();
    let [list, string] = value.get_many(["a", "c"]).map(Option::unwrap);
    assert_eq!(text.get(list.span()), Some(r#"[1, {"b":null} ]"#));
    let second = list.elements().nth(1).unwrap();
    assert_eq!(text.get(second.get("b").unwrap().span()), Some("null"));
    assert_eq!((string.string().as_deref(), string.characters()), (Some("é\n"), 2));
    assert_eq!(list.members().count() + string.elements().count(), 0);
}

/// Generates a concatenation of JSON tokens, which is valid JSON or nearly so.
fn nearly_json() -> impl Strategy<Value = String> {
    let token = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"\\u00e9\"",
        "\"\\",
        "\"",
        "1",
        "-2.5e3",
        "0",
        "true",
        "null",
        " ",
        "é",
    ]);
    prop::collection::vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

/// Generates a JSON value nested up to four levels.
fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        ".{0,20}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(serde_json::Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..5)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Generates a character, and a notation of it in a JSON string: escaped or not.
fn written() -> impl Strategy<Value = (char, String)> {
    (any::<char>(), any::<bool>()).prop_map(|(character, escaped)| {
        let mut units = [0; 2];
        let raw = if escaped {
            character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04X}")).collect::<Vec<_>>().concat()
        } else {
            let quoted = serde_json::to_string(&character).unwrap();
            quoted[1..quoted.len() - 1].to_owned()
        };
        (character, raw)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_json_here_is_json_for_serde_json(text in nearly_json()) {
        prop_assert!(agrees(&text), "{:?}", text);
    }

    #[test]
    fn values_mean_what_they_mean_for_serde_json(json in any_json()) {
        let text = json.to_string();
        let value = Cursor::new(&text).read_value().unwrap();
        prop_assert_eq!(value.raw, &text);
        match &json {
            serde_json::Value::Object(members) => {
                prop_assert_eq!(value.kind, ValueKind::Object);
                let names: Vec<_> = value.members().map(|(name, _)| name.string().unwrap().into_owned()).collect();
                prop_assert_eq!(names, members.keys().cloned().collect::<Vec<_>>());
                for (name, member) in members {
                    let found = value.get(name).unwrap();
                    prop_assert_eq!(found.raw, member.to_string());
                }
            }
            serde_json::Value::Array(elements) => {
                let raw: Vec<_> = value.elements().map(|element| element.raw.to_owned()).collect();
                prop_assert_eq!(raw, elements.iter().map(ToString::to_string).collect::<Vec<_>>());
            }
            other => {
                let string = value.string();
                prop_assert_eq!(string.as_deref(), other.as_str());
            }
        }
    }

    /// A prefix of a decoded string is found in its escaped text.
    #[test]
    fn every_byte_of_a_text_is_found_in_its_string(pieces in prop::collection::vec(written(), 0..12), cut in 0_usize..13) {
        let raw: String = pieces.iter().map(|(_, raw)| raw.as_str()).collect();
        let text: String = pieces.iter().map(|(character, _)| *character).collect();
        prop_assert_eq!(decode_string(&raw), text.as_str());
        let quoted = format!("\"{raw}\"");
        let value = Cursor::new(&quoted).read_value().unwrap();
        let string = value.string();
        prop_assert_eq!(string.as_deref(), Some(text.as_str()));
        prop_assert_eq!(value.characters(), pieces.len() as u64);
        let cut = cut.min(pieces.len());
        let bytes: usize = pieces[..cut].iter().map(|(character, _)| character.len_utf8()).sum();
        let length: usize = pieces[..cut].iter().map(|(_, raw)| raw.len()).sum();
        prop_assert_eq!(raw_prefix_length(&raw, bytes), Some(length));
    }
}
