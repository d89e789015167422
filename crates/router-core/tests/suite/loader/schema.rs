//! The JSON Schema and the loader have the same keys.

use std::collections::BTreeSet;

use router_core::{SCHEMA, schema_text};
use serde_json::Value;

use super::problems;
use crate::support::policy;

/// A policy with every key and an accepted value.
const EVERYTHING: &str = r#"
schema_version: 1
global_default: sonnet
tiers: {fast: haiku, balanced: sonnet, deep: opus}
pattern: {estimator: paper, fingerprint: hybrid, alpha: 0.6, neighbours: 10, cost_weight: 0.05, min_confidence: 0.05, min_sample_size: 5, min_similarity: 0.30, cost_scale: relative, over_requested: true}
pattern_disagreement: {surface: true, min_confidence: 0.85, min_sample_size: 20}
routing: {on_explicit_reject: refuse, skill_wishes: true}
privacy: {record_text: never}
gateway: {client_model: default, auxiliary_calls: client, count_tokens: local, adapt: [cache_control, sampling], keep_thinking: true, last_resort: requested, fallback: turn_start}
budgets:
  - {name: month, limit_usd: 200, period: month, scope: project, project: /shop, on_reached: warn}
  - {limit_usd: 5, period: day, scope: client, client: codex, use: [haiku, mini]}
skills: {layers: {tree: true}, llm: {min_confidence: 0.8}}
embedding: {url: "http://localhost:11434/v1", model: nomic-embed-text, key_env: OPENAI_API_KEY}
rules:
  - name: every condition
    when:
      message_matches: "^/commit"
      message_contains_any: [design, review]
      estimated_input_tokens_gt: 10
      estimated_input_tokens_lt: 80000
      has_images: true
      has_tool_calls_in_history: false
      skills_matching_message_includes: [system_design]
      skill_selected_in: [system_design]
      file_extensions_in_context: [.sql]
      workspace_path_matches: "/shop"
      time_of_day_between: [22:00, 06:00]
      cost_today_exceeds_usd: 5.00
      cost_this_week_exceeds_usd: 20
      cost_this_month_exceeds_usd: 50.5
      cost_of_session_exceeds_usd: 1
      client_is: claude-code
      client_model_is: [opus, claude-unheard-of]
      thread_is_subagent: true
      auxiliary_call_is: [title, classifier]
      requests_web_search: true
      requests_thinking: false
      any_of: [{has_images: true}]
      all_of: [{has_images: true}]
      not: {has_images: true}
    use: [opus, gpt]
workspaces:
  ~/code/shop:
    default: gpt
    tiers: {fast: mini, balanced: gpt, deep: gpt}
    pattern: {cost_weight: 0.7, min_confidence: 0.1, min_sample_size: 9, min_similarity: 0.4, cost_scale: cluster}
    rules: [{name: here, when: {}, use: gpt}]
"#;

/// The keys of an object in the schema.
fn listed(object: &Value) -> BTreeSet<String> {
    object["properties"].as_object().unwrap().keys().cloned().collect()
}

/// Each object of the schema, with a policy that has an additional key in that object.
fn objects(schema: &Value) -> Vec<(&Value, &'static str)> {
    let workspace = &schema["properties"]["workspaces"]["additionalProperties"];
    vec![
        (schema, "KEY: x"),
        (&schema["properties"]["tiers"], "tiers: {KEY: x}"),
        (&schema["properties"]["pattern"], "pattern: {KEY: x}"),
        (&schema["properties"]["pattern_disagreement"], "pattern_disagreement: {KEY: x}"),
        (&schema["properties"]["routing"], "routing: {KEY: x}"),
        (&schema["properties"]["privacy"], "privacy: {KEY: x}"),
        (&schema["properties"]["embedding"], "embedding: {KEY: x}"),
        (&schema["properties"]["gateway"], "gateway: {KEY: x}"),
        (workspace, "workspaces: {/w: {KEY: x}}"),
        (&workspace["properties"]["tiers"], "workspaces: {/w: {tiers: {KEY: x}}}"),
        (&workspace["properties"]["pattern"], "workspaces: {/w: {pattern: {KEY: x}}}"),
        (&schema["$defs"]["budget"], "budgets: [{KEY: x}]"),
        (&schema["$defs"]["rule"], "rules: [{KEY: x}]"),
        (&schema["$defs"]["predicate"], "rules: [{when: {KEY: x}, use: opus}]"),
    ]
}

#[test]
fn a_policy_with_every_key_is_accepted() {
    insta::assert_snapshot!(policy(EVERYTHING).rules().map(|rule| format!("{rule:#?}")).collect::<Vec<_>>().join("\n"));
}

#[test]
fn the_complete_policy_has_every_key_of_the_schema() {
    let schema = SCHEMA();
    for (object, _) in objects(&schema) {
        for key in listed(object) {
            assert!(EVERYTHING.contains(&format!("{key}:")), "{key}");
        }
    }
}

#[test]
fn the_loader_accepts_exactly_the_keys_of_the_schema() {
    let schema = SCHEMA();
    let every_key: BTreeSet<_> = objects(&schema).iter().flat_map(|(object, _)| listed(object)).collect();
    for (object, policy) in objects(&schema) {
        assert_eq!(object["additionalProperties"], false, "{policy}");
        for key in &every_key {
            let text = policy.replace("KEY", key);
            let unknown = crate::support::load_over(&text, crate::support::registry())
                .err()
                .is_some_and(|problems| problems.iter().any(|problem| problem.message.contains("unknown key")));
            assert_eq!(unknown, !listed(object).contains(key), "{text}");
        }
    }
}

/// Whether a schema accepts `null`.
fn accepts_null(schema: &Value) -> bool {
    let has_null =
        |list: &Value| list.as_array().is_some_and(|list| list.iter().any(|one| one.is_null() || one == "null"));
    let any = |name: &str| schema[name].as_array().is_some_and(|list| list.iter().any(accepts_null));
    schema["type"] == "null" || has_null(&schema["type"]) || has_null(&schema["enum"]) || any("oneOf") || any("anyOf")
}

#[test]
fn the_loader_accepts_null_exactly_where_the_schema_does() {
    let schema = SCHEMA();
    let (mut accepted, mut refused) = (0, 0);
    for (object, policy) in objects(&schema) {
        for key in listed(object) {
            let text = policy.replace("KEY: x", &format!("{key}: null"));
            let loaded = crate::support::load_over(&text, crate::support::registry());
            let about_value = |message: &str| !message.contains("has no ") && !message.contains("is missing");
            let problems = loaded.err().unwrap_or_default();
            // Keys that are missing from the same mapping are reported too.
            let is_refused = problems.iter().any(|problem| about_value(&problem.message));
            assert_eq!(accepts_null(&object["properties"][&key]), !is_refused, "{text}: {problems:?}");
            if is_refused { refused += 1 } else { accepted += 1 }
        }
    }
    assert!(20 < accepted && 10 < refused, "{accepted} accepted, {refused} refused");
}

#[test]
fn the_loader_requires_exactly_the_required_keys_of_the_schema() {
    let required = |object: &Value| -> Vec<String> {
        object["required"].as_array().unwrap().iter().map(|key| key.as_str().unwrap().to_owned()).collect()
    };
    let schema = SCHEMA();
    assert_eq!(required(&schema["$defs"]["rule"]), ["when", "use"]);
    assert_eq!(required(&schema["$defs"]["budget"]), ["limit_usd"]);
    assert_eq!(required(&schema["properties"]["tiers"]), ["fast", "balanced", "deep"]);
    assert_eq!(required(&schema["properties"]["embedding"]), ["url", "model"]);
    insta::assert_snapshot!(problems("rules: [{}]\ntiers: {}\nembedding: {}"), @r"
    line 1, column 9: rule 0 has no `use`
    line 1, column 9: rule 0 has no `when`
    line 2, column 8: `tiers` must name all of fast, balanced and deep; missing: fast, balanced, deep
    line 3, column 12: `embedding` has no `model`
    line 3, column 12: `embedding` has no `url`
    ");
}

#[test]
fn the_text_of_the_schema_is_the_schema() {
    assert_eq!(serde_json::from_str::<Value>(&schema_text()).unwrap(), SCHEMA());
    assert!(schema_text().ends_with("}\n"));
}
