//! Tests of the thresholds.

use super::*;

/// Decides on candidates with a name and a score, which have different evidence.
fn decide_on(scores: &[(&str, u8)], clarification: Clarification) -> ScoreOutcome {
    let terms: Vec<[u32; 1]> = (0..).take(scores.len()).map(|position| [position]).collect();
    let candidates: Vec<_> = scores
        .iter()
        .zip(&terms)
        .map(|((name, score), terms)| Candidate { name, score: *score, ambiguity: 0, terms })
        .collect();
    decide(&candidates, clarification, &ScoringSettings::default())
}

/// Creates the outcome that loads skills.
fn load(names: &[&str]) -> ScoreOutcome {
    ScoreOutcome::Load(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Creates the outcome that defers a skill.
fn defer(name: &str) -> ScoreOutcome {
    ScoreOutcome::Defer { top: name.to_owned() }
}

/// SC-16: a score of 70 loads the skill, 69 does not.
#[test]
fn a_score_of_70_loads() {
    assert_eq!(decide_on(&[("a", 70)], Clarification::NotInteractive), load(&["a"]));
    assert_eq!(decide_on(&[("a", 69)], Clarification::NotInteractive), defer("a"));
}

/// SC-17, SC-29, TV-72, TV-73: 55 and 69 ask if the client is interactive, and defer otherwise.
#[test]
fn scores_from_55_to_69_ask_or_defer() {
    for score in [55, 69] {
        let ask = ScoreOutcome::Ask { top: "a".into(), second: None };
        assert_eq!(decide_on(&[("a", score)], Clarification::Available), ask);
        assert_eq!(decide_on(&[("a", score)], Clarification::NotInteractive), defer("a"));
    }
}

/// SC-18, SC-25, TV-73: 54 selects nothing, nor does a request without candidates.
#[test]
fn a_score_below_55_selects_nothing() {
    for clarification in [Clarification::Available, Clarification::NotInteractive] {
        let below = ScoreOutcome::NoSkill(NoLoadReason::BelowThreshold);
        assert_eq!(decide_on(&[("a", 54), ("b", 54)], clarification), below);
        assert_eq!(decide_on(&[], clarification), ScoreOutcome::NoSkill(NoLoadReason::NoCandidate));
    }
}

/// SC-37: the question offers exactly the best and the second best skill.
#[test]
fn the_question_offers_two_skills() {
    let outcome = decide_on(&[("a", 64), ("b", 62), ("c", 61)], Clarification::Available);
    assert_eq!(outcome, ScoreOutcome::Ask { top: "a".into(), second: Some("b".into()) });
}

/// SC-38: a task has at most one question; the next ambiguity defers.
#[test]
fn a_second_question_becomes_a_deferral() {
    assert_eq!(decide_on(&[("a", 64), ("b", 40)], Clarification::AlreadyAsked), defer("a"));
}

/// SC-26: rivals that one question did not resolve select nothing.
#[test]
fn rivals_after_the_question_select_nothing() {
    let rivals = ["a", "b"].map(|name| Candidate { name, score: 64, ambiguity: 10, terms: &[0, 1] });
    let settings = ScoringSettings::default();
    let outcome = decide(&rivals, Clarification::AlreadyAsked, &settings);
    assert_eq!(outcome, ScoreOutcome::NoSkill(NoLoadReason::StillAmbiguous));
    let asked = decide(&rivals, Clarification::Available, &settings);
    assert_eq!(asked, ScoreOutcome::Ask { top: "a".into(), second: Some("b".into()) });
}

/// SC-39: a second skill is loaded if it reaches 70 as well and has other evidence.
#[test]
fn a_second_skill_needs_the_score_and_other_evidence() {
    assert_eq!(decide_on(&[("a", 82), ("b", 74)], Clarification::Available), load(&["a", "b"]));
    assert_eq!(decide_on(&[("a", 82), ("b", 69)], Clarification::Available), load(&["a"]));
    assert_eq!(decide_on(&[("a", 82), ("b", 80), ("c", 78)], Clarification::Available), load(&["a", "b"]));
    let similar = [("a", 82), ("b", 74)].map(|(name, score)| Candidate { name, score, ambiguity: 0, terms: &[0, 1] });
    assert_eq!(decide(&similar, Clarification::Available, &ScoringSettings::default()), load(&["a"]));
}

/// SC-52: 60, 58 and 56 without a user to ask defer one skill and load none.
#[test]
fn deferral_is_preferred_to_loading_several() {
    assert_eq!(decide_on(&[("a", 60), ("b", 58), ("c", 56)], Clarification::NotInteractive), defer("a"));
}

/// SC-16, SC-17: the thresholds are settings.
#[test]
fn thresholds_are_settings() {
    let settings = ScoringSettings { auto_load: 80, clarify_or_defer: 75, ..ScoringSettings::default() };
    let outcome = |score| {
        let candidate = Candidate { name: "a", score, ambiguity: 0, terms: &[0] };
        decide(&[candidate], Clarification::NotInteractive, &settings)
    };
    assert_eq!((outcome(80), outcome(79)), (load(&["a"]), defer("a")));
    assert_eq!(outcome(74), ScoreOutcome::NoSkill(NoLoadReason::BelowThreshold));
}
