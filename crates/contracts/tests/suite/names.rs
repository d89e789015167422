//! Names and ids are validated when they are created, also from JSON.

use contracts::{ChainSlot as _, ContentHash, IdError, ModelId, Provider, SessionId, Slot, ThreadId, TurnId};
use proptest::prelude::*;

#[test]
fn a_model_names_its_provider() {
    let model = ModelId::try_from("openrouter:meta:llama-4").unwrap();
    assert_eq!((model.provider(), model.model()), ("openrouter", "meta:llama-4"));
    for text in ["sonnet", ":sonnet", "anthropic:", ":"] {
        assert!(matches!(ModelId::try_from(text), Err(IdError::Provider { .. })), "{text}");
    }
}

#[test]
fn a_name_is_not_empty_not_long_and_one_word() {
    assert_eq!(SessionId::try_from("").unwrap_err().to_string(), "session is empty");
    let long = "s".repeat(129);
    assert_eq!(SessionId::try_from(long.as_str()).unwrap_err().to_string(), "session has 129 bytes, the most is 128");
    assert!(SessionId::try_from(&long[..128]).is_ok());
    assert!(Provider::try_from(&long[..65]).is_err());
    let error = ThreadId::try_from("a\nb").unwrap_err();
    assert_eq!(error.to_string(), "thread `a\\nb` contains white space or a control character");
    assert!(ModelId::try_from("a:b c").is_err());
}

/// The error of an unknown variant lists all variants, so a slot that was added to the enum alone is found. Only the slot of
/// budgets is not in the chain, which it precedes; it and that of wishes have no number.
#[test]
fn every_slot_is_in_the_chain() {
    let error = serde_json::from_str::<Slot>("\"?\"").unwrap_err().to_string();
    let variants: Vec<_> = error.split('`').skip(3).step_by(2).collect();
    assert_eq!((Slot::Budget.number(), Slot::SkillWish.number(), Slot::PatternRecommendation.number()), (0, 0, 4));
    assert!(variants.contains(&"BUDGET"), "{error}");
    assert_eq!(variants.len(), Slot::CHAIN.len() + 1, "{error}");
    assert!(Slot::CHAIN.iter().all(|slot| variants.contains(&slot.name())), "{error}");
}

#[test]
fn a_bad_name_in_json_is_refused_as_well() {
    let error = serde_json::from_str::<ModelId>("\"sonnet\"").unwrap_err();
    assert!(error.to_string().contains("names no provider"), "{error}");
    assert!(serde_json::from_str::<SessionId>("\"\"").is_err());
}

#[test]
fn turns_of_different_sessions_or_names_are_different_turns() {
    let (one, other) = (SessionId::try_from("one").unwrap(), SessionId::try_from("other").unwrap());
    let turns = [TurnId::derive(&one, "m1"), TurnId::derive(&one, "m2"), TurnId::derive(&other, "m1")];
    assert!(turns[0] != turns[1] && turns[0] != turns[2] && turns[1] != turns[2]);
    assert_eq!(TurnId::derive(&one, "m1"), turns[0]);
    // "ab" + "c" and "a" + "bc" are not the same.
    let (ab, a) = (SessionId::try_from("ab").unwrap(), SessionId::try_from("a").unwrap());
    assert_ne!(TurnId::derive(&ab, "c"), TurnId::derive(&a, "bc"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_content_hash_reads_back(bytes in any::<[u8; 32]>()) {
        let hash = ContentHash(bytes);
        prop_assert_eq!(hash.to_string().parse::<ContentHash>(), Ok(hash));
        prop_assert_eq!(serde_json::from_str::<ContentHash>(&serde_json::to_string(&hash).unwrap()).unwrap(), hash);
    }

    #[test]
    fn text_is_a_hash_only_when_it_is_sixty_four_digits(text in "[0-9a-g]{60,68}|\\PC{0,70}") {
        let digits = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        prop_assert_eq!(text.parse::<ContentHash>().is_ok(), digits);
    }

    #[test]
    fn a_name_that_was_accepted_is_the_text_it_was_made_from(text in "\\PC{0,140}") {
        if let Ok(name) = SessionId::try_from(text.as_str()) {
            prop_assert_eq!(name.as_str(), text.as_str());
            prop_assert_eq!(name.to_string(), text);
        }
    }
}
