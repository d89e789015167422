//! Invalid policies by topic (004 §10.1 test 5). The snapshots are the messages that users read.

use super::refused;

#[test]
fn invalid_yaml() {
    let text = refused(&[
        "rules: [",
        "rules:\n  - name: \"never closed\n",
        "rules:\n\t- name: tabs\n",
        "global_default: haiku\n rules: []\n",
        "global_default: haiku: sonnet\n",
        "global_default: @haiku\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn yaml_that_is_no_policy() {
    let text = refused(&[
        "just text\n",
        "- a\n- list\n",
        "42\n",
        "global_default: haiku\n---\nglobal_default: opus\n",
        "? [global_default]\n: haiku\n",
        "{haiku}: opus\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn anchors_aliases_and_tags() {
    let text = refused(&[
        "tiers: &tiers {fast: haiku, balanced: sonnet, deep: opus}\n",
        "global_default: &default haiku\nworkspaces:\n  /shop:\n    default: *default\n",
        "global_default: *nowhere\n",
        "global_default: !!str haiku\n",
        "rules: !custom []\n",
        "pattern:\n  <<: {cost_weight: 0.1}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn unknown_keys() {
    let text = refused(&[
        "rule: []\nglobal_defualt: haiku\nsomething_else: 1\n",
        "rules:\n  - name: deep\n    when: {}\n    use: opus\n    fallback: [sonnet, haiku]\n    nmae: again\n",
        "rules:\n  - when: {mesage_matches: x}\n    use: opus\n  - when: {skills_loaded_includes: x}\n    use: opus\n",
        "rules:\n  - when:\n      any_of:\n        - not: {has_image: true}\n    use: opus\n",
        "tiers: {fast: haiku, balanced: sonnet, deep: opus, medium: sonnet}\n",
        "pattern: {cost_wieght: 0.1, fingerprint_version: v2}\n",
        "pattern_disagreement: {surfaces: true}\n",
        "routing: {on_explicit_rejct: refuse}\n",
        "workspaces:\n  /shop:\n    defualt: opus\n    global_default: opus\n    workspaces: {}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn duplicates() {
    let text = refused(&[
        "global_default: haiku\nrules: []\nglobal_default: opus\n",
        "rules:\n  - {when: {has_images: true, has_images: false}, use: opus, use: haiku}\n",
        "tiers: {fast: haiku, balanced: sonnet, deep: opus, \"fast\": sonnet}\n",
        "workspaces:\n  /shop: {default: opus}\n  /shop: {default: haiku}\n",
        "workspaces:\n  ~/shop: {default: opus}\n  /home/dev/./shop/: {default: haiku}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn invalid_names_of_rules() {
    let long = format!("rules:\n  - name: {}\n    when: {{}}\n    use: opus\n", "n".repeat(121));
    let text = refused(&[
        "rules:\n  - {name: deep, when: {}, use: opus}\n  - {name: fast, when: {}, use: haiku}\n  - {name: deep, when: {}, use: opus}\n",
        "workspaces:\n  /shop:\n    rules:\n      - {name: a, when: {}, use: opus}\n      - {name: a, when: {}, use: opus}\n",
        "rules:\n  - {name: \"two\\nlines\", when: {}, use: opus}\n  - {name: \"\", when: {}, use: opus}\n  - {name: 7, when: {}, use: opus}\n",
        &long,
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn missing_keys() {
    let text = refused(&[
        "rules:\n  - name: deep\n  - use: opus\n  - when: {}\n  - {}\n",
        "rules:\n  -\n",
        "rules:\n  - when:\n    use: opus\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn wrong_types() {
    let text = refused(&[
        "global_default: {a: haiku}\ntiers: haiku\npattern: 0.5\npattern_disagreement: true\nrouting: refuse\nrules: {}\nworkspaces: []\n",
        "rules: [opus, 7, [opus]]\n",
        "rules:\n  - {when: always, use: 5}\n  - {when: [has_images], use: true}\n",
        "rules:\n  - when:\n      message_matches: [a, b]\n      has_images: \"true\"\n      has_tool_calls_in_history: 1\n      workspace_path_matches: 5\n    use: opus\n",
        "rules:\n  - when: {any_of: {has_images: true}, all_of: has_images, not: [{}]}\n    use: opus\n",
        "rules:\n  - when: {message_contains_any: [a, 404, true], skills_matching_message_includes: {a: b}, file_extensions_in_context: 7}\n    use: opus\n",
        "pattern_disagreement: {surface: yes, min_confidence: high, min_sample_size: many}\n",
        "pattern: {cost_scale: linear}\nrouting: {on_explicit_reject: never}\nprivacy: {record_text: sometimes}\n",
        "workspaces:\n  /shop: opus\n  /api: {default: {}, tiers: [], pattern: [], rules: 5}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn invalid_numbers() {
    let text = refused(&[
        "pattern: {cost_weight: true, min_confidence: false, min_sample_size: true, min_similarity: no}\n",
        "pattern: {cost_weight: .nan, min_confidence: nan, min_similarity: .inf}\n",
        "pattern: {cost_weight: -0.1, min_confidence: 1.1, min_similarity: 1.000000001, min_sample_size: 0}\n",
        "pattern: {cost_weight: \"0.5\", min_confidence: 5%, min_similarity: 1e-1, min_sample_size: 5.0}\n",
        "rules:\n  - {when: {estimated_input_tokens_gt: true}, use: opus}\n  - {when: {estimated_input_tokens_lt: -1}, use: opus}\n  - {when: {estimated_input_tokens_gt: 80_000}, use: opus}\n  - {when: {estimated_input_tokens_gt: 1.5}, use: opus}\n  - {when: {estimated_input_tokens_gt: 99999999999999999999}, use: opus}\n",
        "rules:\n  - {when: {cost_today_exceeds_usd: -5}, use: opus}\n  - {when: {cost_today_exceeds_usd: .nan}, use: opus}\n  - {when: {cost_today_exceeds_usd: false}, use: opus}\n  - {when: {cost_today_exceeds_usd: $5}, use: opus}\n  - {when: {cost_today_exceeds_usd: \"5\"}, use: opus}\n  - {when: {cost_today_exceeds_usd: 0.0000000001}, use: opus}\n  - {when: {cost_today_exceeds_usd: 99999999999}, use: opus}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn unsupported_schema_versions() {
    let text = refused(&[
        "schema_version: 2\n",
        "schema_version: 0\n",
        "schema_version: \"1\"\n",
        "schema_version: 1.0\n",
        "schema_version: [1]\n",
        "schema_version: true\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn invalid_times_of_day() {
    let text = refused(&[
        "rules:\n  - {when: {time_of_day_between: [22:00, 24:30]}, use: opus}\n  - {when: {time_of_day_between: [24:00, 06:00]}, use: opus}\n  - {when: {time_of_day_between: [9:5, 12:60]}, use: opus}\n",
        "rules:\n  - {when: {time_of_day_between: [22:00]}, use: opus}\n  - {when: {time_of_day_between: [1:00, 2:00, 3:00]}, use: opus}\n  - {when: {time_of_day_between: 22:00-06:00}, use: opus}\n",
        "rules:\n  - {when: {time_of_day_between: [1320, 6]}, use: opus}\n  - {when: {time_of_day_between: [10pm, [6]]}, use: opus}\n  - {when: {time_of_day_between: [-1:00, 10:00:00]}, use: opus}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn empty_texts_and_lists() {
    let text = refused(&[
        "rules:\n  - {when: {message_contains_any: [\"\"]}, use: opus}\n  - {when: {message_contains_any: \"\"}, use: opus}\n  - {when: {message_contains_any: []}, use: opus}\n  - {when: {message_contains_any: [a, ~]}, use: opus}\n",
        "rules:\n  - {when: {message_matches: \"\"}, use: opus}\n  - {when: {workspace_path_matches: \"\"}, use: opus}\n",
        "rules:\n  - {when: {any_of: []}, use: opus}\n  - {when: {all_of: []}, use: opus}\n  - {when: {skills_matching_message_includes: []}, use: opus}\n  - {when: {file_extensions_in_context: [\"\"]}, use: opus}\n",
        "global_default: \"\"\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn invalid_regular_expressions() {
    let long = format!("rules:\n  - {{when: {{message_matches: \"{}\"}}, use: opus}}\n", "ab".repeat(257));
    let text = refused(&[
        "rules:\n  - {when: {message_matches: \"(unclosed\"}, use: opus}\n  - {when: {message_matches: \"[z-a]\"}, use: opus}\n  - {when: {message_matches: \"a{2,1}\"}, use: opus}\n  - {when: {workspace_path_matches: \"*\"}, use: opus}\n",
        "rules:\n  - {when: {message_matches: \"(?=look)around\"}, use: opus}\n  - {when: {message_matches: '(a)\\1'}, use: opus}\n  - {when: {message_matches: '\\p{Nonsense}'}, use: opus}\n",
        "rules:\n  - {when: {message_matches: \"a{1000}{100}\"}, use: opus}\n  - {when: {message_matches: '\\w{500}'}, use: opus}\n  - {when: {workspace_path_matches: \"((a{100}){100}){100}\"}, use: opus}\n",
        &long,
    ]);
    insta::assert_snapshot!(text);
}

/// 004 §10.1 test 23.
#[test]
fn incomplete_tiers() {
    let text = refused(&[
        "tiers: {fast: haiku}\n",
        "tiers: {}\n",
        "workspaces:\n  /shop:\n    tiers: {fast: mini}\n",
        "workspaces:\n  /shop:\n    tiers:\n      balanced: gpt\n      deep: gpt\n",
        "tiers: {fast: haiku, balanced: , deep: nobody}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn unknown_models() {
    let text = refused(&[
        "global_default: anthropic:claude-sonnet-4-5\n",
        "global_default: sonet\ntiers: {fast: Haikou, balanced: xyz, deep: openai/gpt-5}\n",
        "rules:\n  - {when: {}, use: \"@opus\"}\n  - {when: {}, use: openai:gpt-5-nano}\n  - {when: {}, use: something completely different}\n",
        "workspaces:\n  /shop: {default: claude-opus-4-7}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn workspaces_without_an_absolute_path() {
    let text = refused(&[
        "workspaces:\n  shop: {default: opus}\n  ./shop: {default: opus}\n  ~dev/shop: {default: opus}\n  \"\": {default: opus}\n  C:\\shop: {default: opus}\n",
        "workspaces:\n  [a, b]: {default: opus}\n",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn all_problems_of_a_file_are_reported_at_once_in_the_order_of_its_lines() {
    let text = r#"schema_version: 3
global_default: sonet
tiers: {fast: haiku}
pattern: {cost_weight: 2, min_sample_size: true}
pattern_disagreement: {surface: maybe}
routing: {on_explicit_reject: perhaps}
rules:
  - name: first
    when: {message_matches: "(", has_images: 1}
    use: nobody
    fallback: opus
  - name: first
    when: {any_of: [{time_of_day_between: [24:30, 6:00]}, {mesage_matches: x}]}
  - name: ""
    when: {message_contains_any: [""]}
    use: opsu
workspaces:
  relative: {default: opus}
  /shop:
    default: gtp
    tiers: {deep: opus}
    rules: [{when: {cost_today_exceeds_usd: -1}, use: opus, use: haiku}]
"#;
    insta::assert_snapshot!(refused(&[text]));
}
