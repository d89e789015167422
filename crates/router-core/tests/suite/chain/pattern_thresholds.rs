//! A recommendation below a threshold is ignored (004 §5.5, §10.1 test 9).

use contracts::{Reason, Score, Slot, Verdict};
use router_core::Scenario;

use crate::support::{decide, explain, policy, verdict_and_failure};

/// A policy with thresholds of its own.
const POLICY: &str = "pattern: {min_confidence: 0.40, min_sample_size: 10}\nglobal_default: haiku";

/// Returns verdict and reason of the slot `PATTERN_RECOMMENDATION`; `confidence` is in hundredths.
#[track_caller]
fn slot_4(text: &str, confidence: u64, samples: u64) -> (Verdict, Reason) {
    let decision = decide(&Scenario::message("hello").learned("opus", confidence, samples), &policy(text));
    let entry = decision.entry(Slot::PatternRecommendation).unwrap();
    (entry.verdict, entry.reason.clone())
}

/// Asserts that a recommendation is below a threshold of the policy `text`.
#[track_caller]
fn below(text: &str, confidence: u64, samples: u64) {
    let reason = Reason::BelowThreshold { confidence: Score::ratio(confidence, 100), samples };
    assert_eq!(slot_4(text, confidence, samples), (Verdict::NotApplicable, reason));
}

#[test]
fn too_little_confidence_is_no_recommendation_whatever_the_samples() {
    below(POLICY, 39, 1_000);
}

#[test]
fn too_few_samples_are_no_recommendation_whatever_the_confidence() {
    below(POLICY, 100, 9);
}

#[test]
fn exactly_at_both_thresholds_is_a_recommendation() {
    assert_eq!(slot_4(POLICY, 40, 10).0, Verdict::Chose);
}

#[test]
fn the_estimator_paper_requires_five_per_cent_and_five_samples() {
    const PAPER: &str = "pattern: {estimator: paper}\nglobal_default: haiku";
    below(PAPER, 4, 5);
    below(PAPER, 5, 4);
    assert_eq!(slot_4(PAPER, 5, 5).0, Verdict::Chose);
}

#[test]
fn without_a_pattern_block_the_minimum_confidence_is_78_per_cent() {
    below("global_default: haiku", 77, 10);
    below("global_default: haiku", 78, 9);
    assert_eq!(slot_4("global_default: haiku", 78, 10).0, Verdict::Chose);
}

#[test]
fn the_reason_below_the_thresholds_has_confidence_and_samples() {
    insta::assert_snapshot!(explain(&Scenario::message("hello").learned("opus", 39, 1), &policy(POLICY)));
}

#[test]
fn a_recommended_model_that_cannot_serve_the_turn_is_rejected_and_the_chain_continues() {
    let scenario = Scenario::message("hello").learned("opus", 80, 20).model_out("opus");
    let decision = decide(&scenario, &policy(POLICY));
    assert_eq!(
        verdict_and_failure(&decision, Slot::PatternRecommendation),
        (Verdict::Rejected, Some("provider_unavailable"))
    );
    insta::assert_snapshot!(explain(&scenario, &policy(POLICY)));
}
