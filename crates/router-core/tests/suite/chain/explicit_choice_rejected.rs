//! An explicitly chosen model that is rejected: visible fallback, or refusal (decision D3).

use contracts::{Slot, Verdict};
use router_core::{Banner, Policy, Scenario};

use crate::support::{chosen, decide, explain, models_but, outcome, policy, policy_over, verdict_and_failure};

/// A default, and the built-in setting: the chain continues.
const FALL_THROUGH: &str = "global_default: haiku";
/// The same default; a rejected explicit choice refuses the turn.
const REFUSE: &str = "routing: {on_explicit_reject: refuse}\nglobal_default: haiku";

/// Returns turns with an override and with a session model, both unavailable, and the slot of each.
fn rejected() -> [(Scenario, Slot); 2] {
    [
        (Scenario::message("@opus hello").model_out("opus"), Slot::PerMessageOverride),
        (Scenario::message("hello").sticky("opus").model_out("opus"), Slot::ManualSticky),
    ]
}

/// Returns whether a banner reports the rejected choice.
fn told(scenario: &Scenario, policy: &Policy) -> bool {
    outcome(scenario, policy).banners.iter().any(|banner| matches!(banner, Banner::ChoiceRejected { .. }))
}

#[test]
fn by_default_the_chain_continues_and_a_banner_reports_the_rejection() {
    for (scenario, slot) in rejected() {
        let policy = policy(FALL_THROUGH);
        assert_eq!(
            verdict_and_failure(&decide(&scenario, &policy), slot),
            (Verdict::Rejected, Some("provider_unavailable"))
        );
        assert_eq!(chosen(&scenario, &policy), "GLOBAL_DEFAULT claude-haiku-4-5");
        assert!(told(&scenario, &policy));
        let explicitly = format!("routing: {{on_explicit_reject: fall_back}}\n{FALL_THROUGH}");
        assert_eq!(decide(&scenario, &policy), decide(&scenario, &self::policy(&explicitly)));
    }
    insta::assert_snapshot!(explain(&rejected()[0].0, &policy(FALL_THROUGH)));
}

#[test]
fn under_refuse_a_rejected_explicit_choice_ends_the_chain() {
    for (scenario, slot) in rejected() {
        let decision = decide(&scenario, &policy(REFUSE));
        assert_eq!(decision.chosen, None);
        assert_eq!(decision.chain.last().unwrap().slot, slot);
        assert!(told(&scenario, &policy(REFUSE)));
    }
    insta::assert_snapshot!(explain(&rejected()[1].0, &policy(REFUSE)));
}

#[test]
fn a_rejected_override_falls_back_to_the_session_model() {
    let scenario = Scenario::message("@opus hello").sticky("gpt").model_out("opus");
    assert_eq!(chosen(&scenario, &policy(FALL_THROUGH)), "MANUAL_STICKY gpt-5");
}

#[test]
fn on_explicit_reject_affects_explicit_choices_only() {
    let text = format!("{REFUSE}\nrules: [{{when: {{}}, use: opus}}]");
    assert_eq!(
        chosen(&Scenario::message("hello").model_out("opus"), &policy(&text)),
        "GLOBAL_DEFAULT claude-haiku-4-5"
    );
}

#[test]
fn an_explicit_choice_that_can_serve_the_turn_is_not_refused() {
    assert_eq!(chosen(&Scenario::message("@opus hello"), &policy(REFUSE)), "PER_MESSAGE_OVERRIDE claude-opus-4-7");
}

#[test]
fn a_session_model_missing_in_the_registry_is_not_configured() {
    let turn = Scenario::message("hello").sticky("opus").turn(&policy(FALL_THROUGH)).unwrap();
    let without = policy_over(FALL_THROUGH, models_but(|model| model.aliases[0] != "opus"));
    let outages = contracts::views::Outages::default();
    let views = contracts::views::Views { outages: &outages, patterns: &contracts::views::NoPatterns };
    let decision = router_core::decide(&turn.turn(), &without, &views).decision;
    assert_eq!(verdict_and_failure(&decision, Slot::ManualSticky), (Verdict::Rejected, Some("not_configured")));
}
