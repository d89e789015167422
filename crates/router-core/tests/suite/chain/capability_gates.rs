//! A model that lacks a required capability is rejected, with a failure that names it (004 §4.4, §10.1 tests 6 and 18).

use contracts::{
    ModelSpec, Needs, Slot, Verdict,
    views::{NoPatterns, Outages, Views},
};
use router_core::{Policy, Scenario};

use crate::support::{chosen, decide, explain, live_request, models_but, policy_over, verdict_and_failure};

/// Returns a policy with one rule, which always matches, for `haiku` after `change`, above a default with all
/// capabilities.
fn policy_with(change: impl Fn(&mut ModelSpec)) -> Policy {
    let registry = models_but(|model| {
        if model.aliases[0] == "haiku" {
            change(model);
        }
        true
    });
    policy_over("rules: [{name: everything, when: {}, use: haiku}]\nglobal_default: opus", registry)
}

/// A prompt that requires no capability.
const NOTHING: Needs = Needs { images: false, tools: false, system_prompt: false, structured_output: false };

/// Asserts that the first scenario rejects the model for this reason and the second does not.
#[track_caller]
fn gate(policy: &Policy, needs: &Scenario, needs_not: &Scenario, reason: &str) {
    let decision = decide(needs, policy);
    assert_eq!(verdict_and_failure(&decision, Slot::ConfiguredRules), (Verdict::Rejected, Some(reason)));
    assert_eq!(chosen(needs, policy), "GLOBAL_DEFAULT claude-opus-4-7");
    assert_eq!(chosen(needs_not, policy), "CONFIGURED_RULES claude-haiku-4-5");
}

/// Creates a turn whose prompt requires only the capabilities that `change` sets.
fn needing(change: impl Fn(&mut Needs)) -> Scenario {
    let mut needs = NOTHING;
    change(&mut needs);
    Scenario::message("hello").needs(needs)
}

#[test]
fn tool_definitions_need_tool_support() {
    let policy = policy_with(|model| model.capabilities.tools = false);
    gate(&policy, &needing(|needs| needs.tools = true), &needing(|_| {}), "no_tool_support");
}

#[test]
fn a_system_prompt_needs_support_for_one() {
    let policy = policy_with(|model| model.capabilities.system_prompt = false);
    gate(&policy, &needing(|needs| needs.system_prompt = true), &needing(|_| {}), "no_system_prompt_support");
}

#[test]
fn an_output_schema_needs_structured_output() {
    let policy = policy_with(|model| model.capabilities.structured_output = false);
    let needs = needing(|needs| needs.structured_output = true);
    gate(&policy, &needs, &needing(|_| {}), "no_structured_output_support");
}

#[test]
fn an_image_in_the_message_needs_vision() {
    let policy = policy_with(|model| model.capabilities.images = false);
    gate(&policy, &needing(|_| {}).images(), &needing(|_| {}), "no_vision_support");
}

#[test]
fn an_image_earlier_in_the_session_needs_vision_but_is_not_an_image_in_the_message() {
    let policy = policy_with(|model| model.capabilities.images = false);
    let earlier = needing(|needs| needs.images = true);
    gate(&policy, &earlier, &needing(|_| {}), "no_vision_support");
    let rule = policy_over("rules: [{when: {has_images: true}, use: gpt}]\nglobal_default: opus", models_but(|_| true));
    assert_eq!(chosen(&earlier, &rule), "GLOBAL_DEFAULT claude-opus-4-7");
}

#[test]
fn a_prompt_of_exactly_the_window_fits_and_one_token_more_does_not() {
    let policy = policy_with(|model| model.context_window = 1_000);
    gate(&policy, &needing(|_| {}).tokens(1_001), &needing(|_| {}).tokens(1_000), "exceeds_context_window");
}

/// For a request of a client, `not_configured` precedes the other failures.
#[test]
fn a_model_without_a_key_is_not_configured() {
    let policy = policy_with(|model| {
        model.configured = false;
        model.capabilities.images = false;
    });
    let mut turn = needing(|needs| needs.images = true).turn(&policy).unwrap();
    turn.started.request = Some(live_request());
    let views = Views { outages: &Outages::default(), patterns: &NoPatterns };
    let decision = router_core::decide(&turn.turn(), &policy, &views).decision;
    assert_eq!(verdict_and_failure(&decision, Slot::ConfiguredRules), (Verdict::Rejected, Some("not_configured")));
    assert_eq!(decision.winner().map(|entry| entry.slot), Some(Slot::GlobalDefault));
}

/// Without a request of a client, the model needs no key.
#[test]
fn an_imported_turn_needs_no_key() {
    let policy = policy_with(|model| model.configured = false);
    assert_eq!(chosen(&needing(|_| {}), &policy), "CONFIGURED_RULES claude-haiku-4-5");
}

#[test]
fn capabilities_that_a_turn_does_not_use_are_not_required() {
    let policy = policy_with(|model| {
        model.capabilities = contracts::Capabilities {
            images: false,
            tools: false,
            system_prompt: false,
            structured_output: false,
            ..contracts::Capabilities::default()
        };
    });
    assert_eq!(chosen(&needing(|_| {}), &policy), "CONFIGURED_RULES claude-haiku-4-5");
}

/// Starts with a model that fails every check, and corrects one after the other: the failures follow the order of 004
/// §4.4.
#[test]
fn of_several_failures_the_first_in_validation_order_is_reported() {
    let everything = Scenario::message("hello").needs(Needs {
        images: true,
        tools: true,
        system_prompt: true,
        structured_output: true,
    });
    let mend: [fn(&mut ModelSpec); 5] = [
        |model| model.capabilities.images = true,
        |model| model.context_window = 200_000,
        |model| model.capabilities.tools = true,
        |model| model.capabilities.system_prompt = true,
        |model| model.capabilities.structured_output = true,
    ];
    let mut reasons = Vec::new();
    for mended in 0..=mend.len() {
        let policy = policy_with(|model| {
            model.context_window = 10;
            model.capabilities = contracts::Capabilities {
                images: false,
                tools: false,
                system_prompt: false,
                structured_output: false,
                ..contracts::Capabilities::default()
            };
            mend[..mended].iter().for_each(|mend| mend(model));
        });
        let up = verdict_and_failure(&decide(&everything, &policy), Slot::ConfiguredRules).1;
        let down =
            verdict_and_failure(&decide(&everything.clone().model_out("haiku"), &policy), Slot::ConfiguredRules).1;
        reasons.push(format!("{} | {}", up.unwrap_or("chose"), down.unwrap_or("chose")));
    }
    insta::assert_snapshot!(reasons.join("\n"), @r"
    no_vision_support | provider_unavailable
    exceeds_context_window | provider_unavailable
    no_tool_support | provider_unavailable
    no_system_prompt_support | provider_unavailable
    no_structured_output_support | provider_unavailable
    chose | provider_unavailable
    ");
}

#[test]
fn a_context_window_failure_has_the_estimate_and_the_window() {
    let policy = policy_with(|model| model.context_window = 64_000);
    insta::assert_snapshot!(explain(&Scenario::message("hello").tokens(90_000), &policy));
}
