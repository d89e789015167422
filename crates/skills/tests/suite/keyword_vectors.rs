//! The worked examples of 000 and 002 with the table of 000 §2.2.

use std::fmt::Write as _;

use contracts::{KeywordEvidence, SkillReason, SkillSlot};
use router_core::Outcome;
use skills::{SkillSettings, confidence, is_degraded, layer_reached};

use crate::chain_support::{FIVE_COLUMNS, keywords_only, outcome, route, router_of, seed_router, table};

/// The requests of the worked examples.
const VECTORS: &[(&str, &str)] = &[
    ("TV-01", "Analyze the risk of this approach"),
    ("TV-02", "Red team this for risk"),
    ("TV-03", "Run a pre-mortem risk analysis"),
    ("TV-04", "Help me debug why this test is failing"),
    ("TV-05", "Write a requirements specification for the new module"),
    ("TV-06", "Plan the workflow for this research project"),
    ("TV-07", "Plan and research the architecture"),
    ("TV-08", "Research options and create requirements"),
    ("TV-09", "Design this and run adversarial review"),
    ("TV-10", "Research this, then roast the code"),
    ("TV-11", "Research architecture options and write requirements"),
    ("TV-12", "Analyze the code for bugs AND review the architecture for compliance"),
    ("TV-13", "Do a thorough research analysis with adversarial critique"),
    ("TV-14", "Research the options and create a requirements specification"),
    ("TV-15", "research and then design"),
    ("TV-16", "debug this concurrency issue"),
    ("TV-17", "review this architecture for risk"),
    ("TV-18", "What files are in the src/ directory?"),
    ("TV-19", "Help me figure out why the tests are failing"),
];

/// Returns the evidence of the keyword layer for a text.
fn evidence(text: &str) -> KeywordEvidence {
    let decision = route(&seed_router(), text);
    match decision.entry(SkillSlot::Keyword).map(|entry| entry.reason.clone()) {
        Some(SkillReason::Keywords(evidence)) => evidence,
        other => panic!("{other:?}"),
    }
}

/// SK-43, SK-44, SK-45, SK-46, SK-47, SK-48, SK-61, SK-62, SK-63, SK-64, SK-65, TV-01, TV-02, TV-03, TV-04, TV-05, TV-06,
/// TV-07, TV-08, TV-09, TV-10, TV-11, TV-12, TV-13, TV-14, TV-15, TV-16, TV-17, TV-18, TV-19: the worked examples have
/// the outcomes of the specification.
#[test]
fn worked_examples_have_the_outcomes_of_the_specification() {
    let (router, levels) = (seed_router(), SkillSettings::default().confidence);
    let mut text = String::new();
    for (name, request) in VECTORS {
        let decision = route(&router, request);
        let winner = decision.winner().unwrap();
        writeln!(text, "{name}  {request}").unwrap();
        writeln!(text, "       {}", decision.chosen.as_ref().unwrap()).unwrap();
        let degraded = if is_degraded(&decision) { ", degraded" } else { "" };
        let confidence = confidence(&decision, &levels);
        writeln!(text, "       by {} with confidence {confidence}{degraded}", winner.slot.method()).unwrap();
        let evidence = evidence(request);
        for candidate in &evidence.candidates {
            let own = evidence.matched.iter().filter(|found| found.skill == candidate.skill);
            let words: Vec<_> = own.map(|found| found.keyword.as_str()).collect();
            let (matched, keywords) = (candidate.matched, candidate.keywords);
            writeln!(text, "       {} {matched}/{keywords}: {}", candidate.skill, words.join(", ")).unwrap();
        }
        for found in &evidence.suppressed {
            writeln!(text, "       not {}: {} by {}", found.skill, found.keyword, found.suppressed_by).unwrap();
        }
        if !evidence.secondary.is_empty() {
            writeln!(text, "       also {}", evidence.secondary.join(", ")).unwrap();
        }
    }
    insta::assert_snapshot!(text);
}

/// SK-03, SK-08, SK-37, TV-04: a clear match ends the chain, and its ratio is recorded.
#[test]
fn a_clear_match_ends_the_chain() {
    let decision = route(&seed_router(), "Help me debug why this test is failing");
    assert_eq!(decision.entry(SkillSlot::Tree), None);
    assert_eq!(layer_reached(&decision), 1);
    let evidence = evidence("Help me debug why this test is failing");
    assert_eq!((evidence.candidates[0].matched, evidence.candidates[0].keywords), (2, 13));
}

/// SK-13, TV-01: the why-view of a decision between two skills whose priorities are too close.
#[test]
fn the_why_view_shows_each_layer() {
    insta::assert_snapshot!(Outcome::new(route(&seed_router(), "Analyze the risk of this approach"), &()));
    insta::assert_snapshot!(Outcome::new(route(&seed_router(), "Plan and research the architecture"), &()));
    insta::assert_snapshot!(Outcome::new(route(&seed_router(), "/nasa-sa Extract VTT requirements"), &()));
    insta::assert_snapshot!(Outcome::new(
        route(&seed_router(), "use the nasa-se, adversary and transcript skills"),
        &()
    ));
}

/// SK-31, TV-05: a negative keyword without a positive one is not recorded.
#[test]
fn a_negative_keyword_alone_has_no_effect() {
    assert_eq!(evidence("Write a requirements specification for the new module").suppressed, []);
}

/// SK-29, SK-30, SK-60: a suppressed match is recorded with the keyword that suppresses it, and is not combined.
#[test]
fn a_suppressed_match_is_recorded() {
    let evidence = evidence("Extract VTT requirements");
    let found = &evidence.suppressed[0];
    assert_eq!(
        (found.keyword.as_str(), found.skill.as_str(), found.suppressed_by.as_str()),
        ("VTT", "transcript", "requirements")
    );
    assert_eq!(outcome(&seed_router(), "Extract VTT requirements"), "nasa-se");
}

/// SK-07, C-12: a compound trigger that matches in part is evidence if no skill matches.
#[test]
fn a_partial_compound_is_evidence() {
    let evidence = evidence("give me a technical summary");
    assert_eq!(evidence.partial[0].skill, "nasa-se");
    assert!(evidence.partial[0].trigger.contains("technical review"));
    assert!(crate::keyword_vectors::evidence("debug the technical thing").partial.is_empty());
}

/// SK-05: with negative keywords that act on the whole request, the examples of combination match nothing.
#[test]
fn negative_keywords_can_act_on_the_whole_request() {
    let mut settings = keywords_only();
    settings.matching.negative_scope = skills::NegativeScope::Request;
    let router = router_of(table(FIVE_COLUMNS), settings);
    let decision = route(&router, "Research options and create requirements");
    let SkillReason::Keywords(evidence) = &decision.entry(SkillSlot::Keyword).unwrap().reason else { panic!() };
    assert_eq!((evidence.outcome.name(), evidence.suppressed.len()), ("no_match", 2));
}

/// SK-04, SK-42, TV-18: a request without keywords has the outcome `no_match`, and no skill is loaded.
#[test]
fn a_request_without_keywords_matches_nothing() {
    let evidence = evidence("What files are in the src/ directory?");
    assert_eq!((evidence.outcome.name(), evidence.resolution), ("no_match", None));
    assert_eq!(outcome(&seed_router(), "What files are in the src/ directory?"), "no skill");
}

/// C-02: without phrase specificity the letter of 000 decides by priority.
#[test]
fn phrase_specificity_can_be_switched_off() {
    let mut settings = keywords_only();
    settings.matching.phrase_specificity = false;
    let router = router_of(table(FIVE_COLUMNS), settings);
    assert_eq!(outcome(&router, "Red team this for risk"), "nasa-se");
}

/// C-15: a negated keyword does not count, unless the guard is switched off.
#[test]
fn a_negated_keyword_does_not_count() {
    assert_eq!(outcome(&seed_router(), "I'm not asking for research here"), "no skill");
    let mut settings = keywords_only();
    settings.matching.negation_guard = false;
    let router = router_of(table(FIVE_COLUMNS), settings);
    assert_eq!(outcome(&router, "I'm not asking for research here"), "problem-solving");
}
