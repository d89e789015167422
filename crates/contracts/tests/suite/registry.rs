//! The registry resolves each id and alias to one model, and orders the models of a tier.

use std::collections::BTreeSet;

use contracts::{Capabilities, ModelSpec, PicoUsd, Prices, Rates, Registry, Tier, Tokenizer};
use proptest::prelude::*;

/// Creates a configured model without prices and release date.
fn model(id: &str, aliases: &[String], tier: Option<Tier>) -> ModelSpec {
    ModelSpec {
        id: id.try_into().unwrap(),
        provider: id.split_once(':').unwrap().0.try_into().unwrap(),
        tier,
        aliases: aliases.to_vec(),
        released: None,
        context_window: 1_000,
        max_output: 100,
        capabilities: Capabilities::default(),
        tokenizer: Tokenizer::Generic,
        prices: None,
        can_delegate: false,
        configured: true,
        apis: Vec::new(),
    }
}

/// Returns a list of one alias.
fn alias(name: &str) -> Vec<String> {
    vec![name.to_owned()]
}

#[test]
fn an_alias_that_two_models_claim_is_an_error_that_names_both() {
    let clash =
        Registry::new([model("a:one", &alias("quick"), None), model("b:two", &alias("Quick"), None)]).unwrap_err();
    assert_eq!(clash.len(), 1);
    insta::assert_snapshot!(clash[0], @"alias `Quick` belongs to both `a:one` and `b:two`: an alias names one model");
}

#[test]
fn an_alias_cannot_be_another_models_id_but_may_be_its_own() {
    assert!(Registry::new([model("a:one", &alias("B:TWO"), None), model("b:two", &[], None)]).is_err());
    assert!(Registry::new([model("a:one", &alias("a:one"), None)]).is_ok());
}

#[test]
fn names_are_found_whatever_the_case() {
    let registry = Registry::new([model("a:One", &alias("Quick"), Some(Tier::Fast))]).unwrap();
    for name in ["quick", "QUICK", "a:one", "A:ONE", "a:One"] {
        assert_eq!(registry.named(name).unwrap().id.as_str(), "a:One", "{name}");
    }
    assert!(registry.named("one").is_none());
}

/// Among equal models of a tier, the first by id is chosen; no model for a tier that none declares.
#[test]
fn a_tier_without_a_policy_is_its_first_model() {
    let models =
        [model("b:two", &[], Some(Tier::Deep)), model("a:one", &[], Some(Tier::Deep)), model("c:three", &[], None)];
    let registry = Registry::new(models).unwrap();
    assert_eq!(registry.tier(Tier::Deep).unwrap().id.as_str(), "a:one");
    assert!(registry.tier(Tier::Fast).is_none());
}

/// Decision D44: configured models come first, then the newest release, then the lower price; unknown dates and prices
/// come last.
#[test]
fn d44_a_tier_without_a_policy_is_its_newest_model_with_a_key_then_the_cheaper() {
    let of = |id: &str, released: Option<&str>, dollars: Option<u64>, configured| {
        let rates = |dollars: u64| Rates { input: PicoUsd(dollars), ..Rates::default() };
        let prices = dollars.map(|dollars| Prices { base: rates(dollars), long: None });
        let released = released.map(str::to_owned);
        ModelSpec { released, prices, configured, ..model(id, &[], Some(Tier::Deep)) }
    };
    let models = [
        of("a:undated", None, Some(1), true),
        of("a:old", Some("2025-11-01"), Some(1), true),
        of("b:new-dear", Some("2026-09-22"), Some(5), true),
        of("c:new-cheap", Some("2026-09-22"), Some(2), true),
        of("b:new-unpriced", Some("2026-09-22"), None, true),
        of("a:newest-without-key", Some("2026-11-01"), Some(1), false),
    ];
    let registry = Registry::new(models).unwrap();
    let order: Vec<_> = registry.models_of_tier(Tier::Deep).iter().map(|model| model.id.as_str()).collect();
    let expected = ["c:new-cheap", "b:new-dear", "b:new-unpriced", "a:old", "a:undated", "a:newest-without-key"];
    assert_eq!(order, expected);
    assert_eq!(registry.tier(Tier::Deep).unwrap().id.as_str(), "c:new-cheap");
}

#[test]
fn a_later_model_of_the_same_id_replaces_an_earlier_one() {
    let registry = Registry::new([model("a:one", &alias("x"), None), model("a:one", &alias("y"), None)]).unwrap();
    assert_eq!(
        (registry.iter().count(), registry.named("x").is_none(), registry.named("y").is_some()),
        (1, true, true)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_registry_is_made_exactly_when_no_name_is_claimed_twice(
        claims in prop::collection::btree_map("[ab]:[a-c]", prop::collection::btree_set("[a-dA-D]{1,2}", 0..3), 0..5),
    ) {
        let models = claims.iter().map(|(id, aliases)| model(id, &aliases.iter().cloned().collect::<Vec<_>>(), None));
        let mut taken = BTreeSet::new();
        let unique = claims.values().all(|aliases| {
            // One model may write the same alias twice.
            let own: BTreeSet<_> = aliases.iter().map(|alias| alias.to_lowercase()).collect();
            own.into_iter().all(|alias| taken.insert(alias))
        });
        let registry = Registry::new(models);
        prop_assert_eq!(registry.is_ok(), unique);
        if let Ok(registry) = registry {
            for (id, aliases) in &claims {
                for name in aliases.iter().chain([id]) {
                    prop_assert_eq!(registry.named(name).unwrap().id.as_str(), id.as_str());
                }
            }
        }
    }
}
