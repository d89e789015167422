//! The workspace of a session, and the settings that its block replaces (004 §5.2, §11.1, decision D7).

use std::cell::RefCell;

use contracts::{
    Recommendation,
    views::{CostScale, Outages, PatternQuery, PatternSettings, PatternView, Views},
};
use router_core::{Scenario, decide as decide_turn};

use crate::support::{chosen, policy};

/// Workspaces inside each other, and one with a trailing slash.
const NESTED: &str = "
global_default: haiku
workspaces:
  ~/code: {default: sonnet}
  ~/code/shop: {default: opus}
  /srv/: {default: gpt}
";

/// Returns the winner of a turn in a directory.
#[track_caller]
fn default_at(path: &str) -> String {
    chosen(&Scenario::message("hello").workspace(path), &policy(NESTED))
}

#[test]
fn the_closest_ancestor_wins() {
    assert_eq!(default_at("/home/dev/code/shop"), "WORKSPACE_DEFAULT claude-opus-4-7");
    assert_eq!(default_at("/home/dev/code/shop/api/src"), "WORKSPACE_DEFAULT claude-opus-4-7");
    assert_eq!(default_at("/home/dev/code/other"), "WORKSPACE_DEFAULT claude-sonnet-4-6");
    assert_eq!(default_at("/home/dev"), "GLOBAL_DEFAULT claude-haiku-4-5");
}

#[test]
fn a_path_with_only_a_common_prefix_is_not_inside_the_workspace() {
    assert_eq!(default_at("/home/dev/code/shopping"), "WORKSPACE_DEFAULT claude-sonnet-4-6");
    assert_eq!(default_at("/home/dev/codex"), "GLOBAL_DEFAULT claude-haiku-4-5");
}

#[test]
fn dots_and_slashes_are_resolved_on_both_sides() {
    assert_eq!(default_at("/home/dev/code/shop/../other/./x"), "WORKSPACE_DEFAULT claude-sonnet-4-6");
    assert_eq!(default_at("//home/dev//code/shop/"), "WORKSPACE_DEFAULT claude-opus-4-7");
    assert_eq!(default_at("/srv"), "WORKSPACE_DEFAULT gpt-5");
    assert_eq!(default_at("/srv/../../../srv/x"), "WORKSPACE_DEFAULT gpt-5", "above the root is the root");
    let dotted = policy("global_default: haiku\nworkspaces: {/a/./b/../c: {default: opus}}");
    assert_eq!(chosen(&Scenario::message("hello").workspace("/a/c/d"), &dotted), "WORKSPACE_DEFAULT claude-opus-4-7");
}

#[test]
fn the_root_is_a_workspace_of_everything_absolute() {
    let policy = policy("global_default: haiku\nworkspaces: {/: {default: opus}}");
    for path in ["/", "/a", "/a/b"] {
        assert_eq!(chosen(&Scenario::message("hello").workspace(path), &policy), "WORKSPACE_DEFAULT claude-opus-4-7");
    }
    assert_eq!(chosen(&Scenario::message("hello"), &policy), "GLOBAL_DEFAULT claude-haiku-4-5");
}

#[test]
fn workspace_rules_precede_the_global_ones() {
    let text = "
rules:
  - {when: {message_matches: both}, use: haiku}
  - {when: {message_matches: global}, use: sonnet}
workspaces:
  /shop: {rules: [{when: {message_matches: both}, use: opus}]}
";
    let model = |message: &str, path: &str| chosen(&Scenario::message(message).workspace(path), &policy(text));
    assert_eq!(model("both", "/shop"), "CONFIGURED_RULES claude-opus-4-7");
    assert_eq!(model("both", "/else"), "CONFIGURED_RULES claude-haiku-4-5");
    assert_eq!(model("global", "/shop"), "CONFIGURED_RULES claude-sonnet-4-6");
}

#[test]
fn a_nested_workspace_inherits_nothing() {
    let text = "
global_default: haiku
workspaces:
  /shop: {default: opus, rules: [{when: {}, use: opus}]}
  /shop/api: {rules: []}
";
    let scenario = Scenario::message("hello").workspace("/shop/api");
    assert_eq!(chosen(&scenario, &policy(text)), "GLOBAL_DEFAULT claude-haiku-4-5");
}

/// A pattern store without recommendations that records its query.
#[derive(Default)]
struct Heard(RefCell<Option<(Option<String>, PatternSettings)>>);

impl PatternView for Heard {
    fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        *self.0.borrow_mut() = Some((query.workspace.map(str::to_owned), *query.settings));
        None
    }
}

/// Returns the settings with which the pattern store is queried for a turn in a directory.
#[track_caller]
fn settings_at(path: &str, text: &str) -> PatternSettings {
    let policy = policy(text);
    let turn = Scenario::message("hello").workspace(path).turn(&policy).unwrap();
    let asked = Heard::default();
    decide_turn(&turn.turn(), &policy, &Views { outages: &Outages::default(), patterns: &asked });
    let (workspace, settings) = asked.0.into_inner().unwrap();
    assert_eq!(workspace.as_deref(), Some(path));
    settings
}

#[test]
fn a_pattern_block_replaces_the_global_one_and_omitted_keys_have_defaults() {
    let text = "
pattern: {cost_weight: 0.9, min_confidence: 0.8, min_sample_size: 70, min_similarity: 0.6, cost_scale: relative}
workspaces:
  /own: {pattern: {cost_weight: 0.7}}
  /none: {default: haiku}
";
    let defaults = PatternSettings::default();
    let score = contracts::Score;
    assert_eq!(settings_at("/own", text), PatternSettings { cost_weight: score(700_000_000), ..defaults });
    let global = PatternSettings {
        cost_weight: score(900_000_000),
        min_confidence: score(800_000_000),
        min_sample_size: 70,
        min_similarity: score(600_000_000),
        cost_scale: CostScale::Relative,
        ..defaults
    };
    assert_eq!(settings_at("/none", text), global);
    assert_eq!(settings_at("/elsewhere", text), global);
    assert_eq!(settings_at("/elsewhere", ""), defaults);
}
