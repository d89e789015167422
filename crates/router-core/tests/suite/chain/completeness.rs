//! The chain has one entry for every slot that ran, in order, up to the winner (004 §7.1, §10.1 test 17, decision D2).

use contracts::{ChainSlot as _, Slot, Tier, Verdict};
use router_core::Scenario;

use crate::support::{decide, policy};

/// A policy with candidates for slots 3, 5, 6 and 7.
const POLICY: &str = "
rules: [{when: {message_matches: rule}, use: haiku}]
tiers: {fast: haiku, balanced: sonnet, deep: opus}
workspaces: {/shop: {default: sonnet}}
global_default: opus
";

#[test]
fn the_chain_ends_at_the_chosen_slot() {
    let cases = [
        (Scenario::message("@haiku hello"), 1),
        (Scenario::message("hello").sticky("haiku"), 2),
        (Scenario::message("a rule"), 3),
        (Scenario::message("hello").learned("haiku", 90, 10), 4),
        (Scenario::message("hello").delegated(Tier::Fast), 5),
        (Scenario::message("hello").workspace("/shop"), 6),
        (Scenario::message("hello"), 7),
    ];
    for (scenario, length) in cases {
        let decision = decide(&scenario, &policy(POLICY));
        let slots: Vec<_> = decision.chain.iter().map(|entry| entry.slot).collect();
        let chain: Vec<_> = Slot::CHAIN.iter().copied().filter(|slot| !slot.is_optional()).take(length).collect();
        assert_eq!(slots, chain);
        let (winner, before) = decision.chain.split_last().unwrap();
        assert_eq!(winner.verdict, Verdict::Chose);
        assert_eq!(winner.candidate, decision.chosen);
        assert!(before.iter().all(|entry| entry.verdict == Verdict::NotApplicable));
    }
}

#[test]
fn outside_a_delegation_its_slot_is_not_applicable() {
    let decision = decide(&Scenario::message("hello"), &policy(POLICY));
    assert_eq!(decision.entry(Slot::DelegateRequest).unwrap().verdict, Verdict::NotApplicable);
}

/// A rejected slot has an entry as well.
#[test]
fn a_policy_that_was_rejected_ran() {
    let scenario = Scenario::message("@gpt a rule").provider_out("openai").model_out("haiku");
    let decision = decide(&scenario, &policy(POLICY));
    assert_eq!(decision.chain.len(), 7);
    let rejected = decision.chain.iter().filter(|entry| entry.verdict == Verdict::Rejected);
    assert_eq!(rejected.map(|entry| entry.slot).collect::<Vec<_>>(), [Slot::PerMessageOverride, Slot::ConfiguredRules]);
}
