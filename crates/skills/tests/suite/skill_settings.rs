//! The block `skills` of a policy.

use std::sync::Arc;

use contracts::{Registry, Score};
use router_core::{Policy, Problem};
use skills::{LoopRule, NegativeScope, SkillSettings};

/// Loads the settings of a policy file.
fn load(text: &str) -> Result<SkillSettings, Problem> {
    let policy = Policy::load(text, Arc::new(Registry::new([]).unwrap()), None).unwrap();
    SkillSettings::of_policy(&policy)
}

/// SK-18, SK-40, SC-23: each layer and each number of the specifications is a setting, with their values as defaults.
#[test]
fn each_number_is_a_setting_with_the_default_of_the_specification() {
    assert_eq!(load("schema_version: 1\n").unwrap(), SkillSettings::default());
    let text = "
schema_version: 1
skills:
  layers: {keyword: on, tree: true, score: off}
  matching: {negative_scope: request, phrase_specificity: false}
  priority_gap: 3
  combine: {max: 3, order: [research, design]}
  roles: {drafting: research}
  scoring: {auto_load: 80}
  llm: {min_confidence: 0.80}
  confidence: {single: 0.95}
  breaker: {max_depth: 5, loop_rule: pair}
  fallback: general
  aliases: {ps: problem-solving}
  disabled: [old]
  cases: skills/cases.jsonl
  stale_after_days: 365
  tree: [{task: review, criticality: [C3, C4], route: adversary}]
";
    let settings = load(text).unwrap();
    assert!(settings.layers.tree && settings.layers.keyword && !settings.layers.score && settings.layers.policy);
    assert_eq!((settings.matching.negative_scope, settings.priority_gap), (NegativeScope::Request, 3));
    assert_eq!((settings.llm.min_confidence, settings.confidence.single), (Score::ratio(8, 10), Score::ratio(95, 100)));
    assert_eq!((settings.breaker.max_depth, settings.breaker.loop_rule), (5, LoopRule::Pair));
    assert_eq!((settings.scoring.auto_load, settings.scoring.clarify_or_defer), (80, 55));
    assert_eq!((settings.tree.len(), settings.fallback.as_deref()), (1, Some("general")));
    assert!(settings.disabled.contains("old") && settings.aliases["ps"] == "problem-solving");
    assert_eq!((settings.cases.as_deref(), settings.stale_after_days), (Some("skills/cases.jsonl"), Some(365)));
    let printed = serde_json::to_value(&settings).unwrap();
    assert_eq!(serde_json::from_value::<SkillSettings>(printed).unwrap(), settings);
}

/// SC-23: the configuration that 003 prints, in the two blocks of the policy that have its keys, is the default.
#[test]
fn the_printed_configuration_is_the_default() {
    let text = "
schema_version: 1
skills:
  scoring: {max_initial_skills: 2, tie_margin_points: 5, auto_load: 70, clarify_or_defer: 55}
  retry: {enabled: true, max_retries_after_skill_load: 1}
";
    assert_eq!(load(text).unwrap(), SkillSettings::default());
    assert_eq!(load(&text.replace("auto_load: 70", "auto_load: 80")).unwrap().scoring.auto_load, 80);
    assert!(load(&text.replace("auto_load", "autoload")).is_err());
}

/// SK-18: an unknown key and an invalid value are problems with the line of the block.
#[test]
fn faults_are_problems_with_the_line_of_the_block() {
    for (text, message) in [
        ("skills: {layer: {}}", "`skills`: unknown field `layer`"),
        ("skills: {layers: {tree: maybe}}", "`skills`: `maybe` is neither on nor off"),
        ("skills: {tree: [{task: dance, route: a}]}", "`skills`: row 1 of the tree, column `task`: `dance` is unknown"),
        ("skills: {retry: {patterns: [{match: \"(\", skill: a}]}}", "`skills`: pattern 1 of `retry.patterns`"),
        ("skills: {llm: {min_confidence: 1.5}}", "`skills`: 1.5 is not a number from 0 to 1"),
    ] {
        let problem = load(&format!("schema_version: 1\n{text}\n")).unwrap_err();
        assert_eq!(problem.line, 2);
        assert!(problem.message.starts_with(message), "{problem}");
    }
}
