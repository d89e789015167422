//! Of any two slots with a model, the earlier one wins (004 §10.1 test 1).

use std::sync::Arc;

use contracts::{ChainSlot as _, Reason, Registry, Slot, Tier, Tokenizer};
use router_core::Scenario;

use crate::support::{decide, model, policy_over};

/// A separate model for each slot of the chain.
const NAMES: [&str; 7] = ["override", "sticky", "rule", "pattern", "tier", "workspace", "global"];

/// Returns a registry with these models.
fn registry() -> Arc<Registry> {
    let models = NAMES.map(|name| model(&format!("test:{name}"), Tier::Balanced, &[name], Tokenizer::Generic));
    Arc::new(Registry::new(models).unwrap())
}

/// Returns the slots whose candidate the policy or the user names; a last resort needs a request of a client, a wish a skill.
fn named_slots() -> Vec<Slot> {
    Slot::CHAIN.iter().copied().filter(|slot| !matches!(slot, Slot::LastResort | Slot::SkillWish)).collect()
}

/// Returns the slot and the model that win if exactly these slots have a model.
fn winner(slots: &[Slot]) -> (Slot, String) {
    let has = |slot| slots.contains(&slot);
    let mut text = String::from("schema_version: 1\n");
    let mut scenario = Scenario::message(if has(Slot::PerMessageOverride) { "@override hello" } else { "hello" });
    if has(Slot::ManualSticky) {
        scenario = scenario.sticky("sticky");
    }
    if has(Slot::ConfiguredRules) {
        text.push_str("rules: [{when: {}, use: rule}]\n");
    }
    if has(Slot::PatternRecommendation) {
        scenario = scenario.learned("pattern", 90, 50);
    }
    if has(Slot::DelegateRequest) {
        text.push_str("tiers: {fast: tier, balanced: tier, deep: tier}\n");
        scenario = scenario.delegated(Tier::Fast);
    }
    if has(Slot::WorkspaceDefault) {
        text.push_str("workspaces: {/shop: {default: workspace}}\n");
        scenario = scenario.workspace("/shop/api");
    }
    if has(Slot::GlobalDefault) {
        text.push_str("global_default: global\n");
    }
    let decision = decide(&scenario, &policy_over(&text, registry()));
    let entry = decision.winner().unwrap();
    (entry.slot, entry.candidate.as_ref().unwrap().model().to_owned())
}

#[test]
fn every_slot_is_chosen_if_it_is_the_only_one() {
    for (slot, name) in named_slots().into_iter().zip(NAMES) {
        assert_eq!(winner(&[slot]), (slot, name.to_owned()));
    }
}

#[test]
fn of_every_two_slots_the_earlier_one_is_chosen() {
    let mut pairs = 0;
    for (index, (earlier, name)) in named_slots().into_iter().zip(NAMES).enumerate() {
        for later in &named_slots()[index + 1..] {
            // The one pair that cannot occur: in a delegation the pattern store is not queried (decision D24).
            let (slot, name) = match (earlier, later) {
                (Slot::PatternRecommendation, Slot::DelegateRequest) => (Slot::DelegateRequest, "tier"),
                _ => (earlier, name),
            };
            assert_eq!(winner(&[earlier, *later]), (slot, name.to_owned()), "{earlier:?} and {later:?}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 21);
}

#[test]
fn the_first_applicable_slot_of_the_chain_is_chosen() {
    let mut slots = named_slots();
    slots.retain(|slot| *slot != Slot::PatternRecommendation);
    for index in 0..slots.len() {
        assert_eq!(winner(&slots[index..]).0, slots[index]);
    }
}

#[test]
fn in_a_delegation_the_pattern_slot_is_not_applicable() {
    let policy = policy_over("tiers: {fast: tier, balanced: tier, deep: tier}", registry());
    let decision = decide(&Scenario::message("hello").delegated(Tier::Fast).learned("pattern", 90, 50), &policy);
    assert_eq!(decision.entry(Slot::PatternRecommendation).unwrap().reason, Reason::InDelegation);
}
