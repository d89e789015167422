//! Tests of the routing log in its two formats.

use contracts::{KeywordMatch, SkillOutcome, SkillSlot, SuppressedMatch};

use super::{samples::record, *};

/// Creates the two records of the specification, with the correction of its first one: "debug" is a negative keyword of
/// nasa-se and suppresses "risk".
fn records() -> Vec<RoutingRecord> {
    let mut debug = record(0, SkillSlot::Keyword);
    debug.summary = "debug and investigate the \"risk\"\n| of this".into();
    debug.request_tokens = Some(47);
    debug.outcome = SkillOutcome::load("problem-solving");
    let matched = |keyword: &str| KeywordMatch { clause: 0, skill: "problem-solving".into(), keyword: keyword.into() };
    debug.matched = ["debug", "investigate"].map(matched).to_vec();
    debug.suppressed = vec![SuppressedMatch {
        clause: 0,
        skill: "nasa-se".into(),
        keyword: "risk".into(),
        suppressed_by: "debug".into(),
    }];
    let mut explicit = record(1, SkillSlot::Explicit);
    explicit.outcome = SkillOutcome::load("adversary");
    explicit.keyword = None;
    let correction = Correction { event: event_core::EventId([7; 16]), target: Some("a|b".into()) };
    explicit.correction = Some(correction);
    vec![debug, explicit]
}

/// SK-90: the table has eight columns and one row for each decision.
#[test]
fn the_table_has_a_row_for_each_decision() {
    insta::assert_snapshot!(routing_table(&records()));
}

/// SK-86, SK-87, SK-88: a YAML record has all fields of the specification; absent ones are null.
#[test]
fn a_yaml_record_has_all_fields() {
    insta::assert_snapshot!(routing_yaml(&records()));
}

/// SK-88: every layer has a routing method of its own.
#[test]
fn every_layer_has_a_method() {
    use contracts::ChainSlot as _;
    let methods: Vec<_> = SkillSlot::CHAIN.iter().map(|slot| slot.method()).collect();
    let expected =
        ["explicit", "no_skill", "policy", "keyword", "decision_tree", "score", "llm", "fallback", "clarification"];
    assert_eq!(methods, expected);
}

/// SK-89: the summary is the first 100 characters, also if one of them has several bytes.
#[test]
fn the_summary_has_100_characters() {
    let text = "ä".repeat(99) + "💡" + &"x".repeat(150);
    let summary = request_summary(&text);
    assert_eq!((summary.chars().count(), summary.chars().last()), (100, Some('💡')));
    assert_eq!(request_summary("short"), "short");
}
