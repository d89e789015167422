//! A confident suggestion against the user's choice is shown if the policy enables it (004 §5.6, §10.1 test 10).

use router_core::{Banner, ModelNotice, Policy, Scenario};

use crate::support::{explain, outcome, policy};

/// A rule that outranks the recommendation.
const RULES: &str = r#"
rules: [{name: "fast for commits", when: {message_matches: "^/commit"}, use: haiku}]
"#;

/// Returns the policy of [`RULES`] with this block `pattern_disagreement`.
fn surfacing(block: &str) -> Policy {
    policy(&format!("{RULES}\npattern_disagreement: {block}"))
}

/// Returns whether a banner reports a disagreement.
fn shown(scenario: &Scenario, policy: &Policy) -> bool {
    outcome(scenario, policy)
        .banners
        .iter()
        .any(|banner| matches!(banner, Banner::Notice(ModelNotice::PatternDisagrees { .. })))
}

/// Creates a turn that the rule matches, with a recommendation; `confidence` is in hundredths.
fn learned(model: &str, confidence: u64, samples: u64) -> Scenario {
    Scenario::message("/commit").learned(model, confidence, samples)
}

#[test]
fn a_disagreement_is_shown_only_if_the_policy_surfaces_it() {
    assert!(!shown(&learned("sonnet", 100, 1_000), &policy(RULES)));
    assert!(!shown(&learned("sonnet", 100, 1_000), &surfacing("{surface: false}")));
    assert!(shown(&learned("sonnet", 100, 1_000), &surfacing("{surface: true}")));
}

#[test]
fn the_default_disagreement_thresholds_are_85_per_cent_and_20_samples() {
    let policy = surfacing("{surface: true}");
    assert!(shown(&learned("sonnet", 85, 20), &policy));
    assert!(!shown(&learned("sonnet", 84, 20), &policy));
    assert!(!shown(&learned("sonnet", 85, 19), &policy));
}

#[test]
fn the_thresholds_are_those_of_the_policy() {
    let text = format!("{RULES}\npattern: {{estimator: paper}}\npattern_disagreement: BLOCK");
    let policy = policy(&text.replace("BLOCK", "{surface: true, min_confidence: 0.5, min_sample_size: 7}"));
    assert!(shown(&learned("sonnet", 50, 7), &policy));
    assert!(!shown(&learned("sonnet", 49, 7), &policy));
    assert!(!shown(&learned("sonnet", 50, 6), &policy));
}

#[test]
fn a_recommendation_of_the_chosen_model_is_not_shown() {
    assert!(!shown(&learned("haiku", 99, 100), &surfacing("{surface: true}")));
}

#[test]
fn a_recommendation_that_cannot_serve_the_turn_is_not_shown() {
    assert!(!shown(&learned("sonnet", 99, 100).model_out("sonnet"), &surfacing("{surface: true}")));
}

#[test]
fn a_chosen_recommendation_has_no_disagreement_banner() {
    let scenario = Scenario::message("hello").learned("sonnet", 99, 100);
    assert!(!shown(&scenario, &surfacing("{surface: true}")));
}

#[test]
fn a_disagreement_with_the_session_model_names_no_rule() {
    let scenario = Scenario::message("hello").sticky("opus").learned("sonnet", 87, 23);
    insta::assert_snapshot!(explain(&scenario, &surfacing("{surface: true}")));
}
