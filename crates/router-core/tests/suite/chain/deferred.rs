//! If the user's choice wins, the recommendation of the pattern store is recorded and has no effect (004 §5.6, §8.8,
//! decision D2).

use contracts::{Slot, Tier, Verdict};
use router_core::Scenario;

use crate::support::{decide, explain, policy, verdict_and_failure};

/// A rule, tiers and a default; recommendations need a confidence of 0.7.
const POLICY: &str = r#"
pattern: {min_confidence: 0.7}
rules: [{name: "fast for commits", when: {message_matches: "^/commit"}, use: haiku}]
tiers: {fast: haiku, balanced: sonnet, deep: opus}
global_default: haiku
"#;

/// Creates a turn with a recommendation of `sonnet` above the thresholds.
fn learned(message: &str) -> Scenario {
    Scenario::message(message).learned("sonnet", 71, 14)
}

#[test]
fn after_each_of_the_three_choices_of_the_user_an_entry_is_deferred() {
    let policy = policy(POLICY);
    let cases = [
        (learned("@opus hello"), Slot::PerMessageOverride),
        (learned("hello").sticky("opus"), Slot::ManualSticky),
        (learned("/commit"), Slot::ConfiguredRules),
    ];
    for (scenario, winner) in cases {
        let decision = decide(&scenario, &policy);
        assert_eq!(decision.winner().unwrap().slot, winner);
        let last = decision.chain.last().unwrap();
        assert_eq!((last.slot, last.verdict), (Slot::PatternRecommendation, Verdict::Deferred), "{winner:?}");
    }
    insta::assert_snapshot!(explain(&learned("hello").sticky("opus"), &policy));
}

#[test]
fn a_deferred_recommendation_does_not_change_the_choice() {
    let policy = policy(POLICY);
    for message in ["@opus hello", "/commit"] {
        let (with, without) = (decide(&learned(message), &policy), decide(&Scenario::message(message), &policy));
        assert_eq!(with.chosen, without.chosen);
        assert_eq!(with.chain[..without.chain.len()], without.chain);
    }
}

#[test]
fn a_recommendation_below_its_thresholds_is_not_deferred() {
    let decision = decide(&Scenario::message("/commit").learned("sonnet", 71, 4), &policy(POLICY));
    assert_eq!(decision.chain.len(), 3);
}

#[test]
fn in_a_delegation_nothing_is_deferred() {
    let decision = decide(&learned("/commit").delegated(Tier::Deep), &policy(POLICY));
    assert_eq!(decision.chain.len(), 3);
}

/// If the recommendation is rejected, its entry is in the order of the chain, and no deferred entry follows the winner.
#[test]
fn a_recommendation_before_a_chosen_default_is_not_deferred() {
    let decision = decide(&learned("hello").model_out("sonnet"), &policy(POLICY));
    assert_eq!(
        verdict_and_failure(&decision, Slot::PatternRecommendation),
        (Verdict::Rejected, Some("provider_unavailable"))
    );
    assert_eq!(decision.chain.len(), 7);
}

#[test]
fn a_deferred_model_that_cannot_serve_the_turn_has_a_failure() {
    let decision = decide(&learned("/commit").model_out("sonnet"), &policy(POLICY));
    assert_eq!(
        verdict_and_failure(&decision, Slot::PatternRecommendation),
        (Verdict::Deferred, Some("provider_unavailable"))
    );
}
