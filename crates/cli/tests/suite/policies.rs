//! Checking and testing policies, valid and invalid.

use crate::desk::{Desk, said};

#[test]
fn a_bad_policy_is_told_apart_line_by_line_and_stops_what_needs_it() {
    let desk = Desk::new();
    desk.write(
        ".turnwise/routing.yaml",
        "global_default: sonet\nrules:\n  - name: a\n    wehn: {has_images: true}\n    use: haiku\n  - when: {message_matches: \"(\"}\n    use: haiku\n",
    );
    insta::assert_snapshot!([said(&desk.run(&["rules", "check"])), said(&desk.run(&["route", "hello"]))].join("\n"));
    let checked = desk.run(&["--json", "rules", "check"]);
    let json: serde_json::Value = serde_json::from_str(&checked.out).unwrap();
    assert_eq!((checked.code, json["problems"].as_array().unwrap().len()), (1, 4), "{json:#}");
}

const EXPECTATIONS: &str = r#"tests:
  - name: "commits are cheap"
    given: {message: "/commit fix the auth bug"}
    expect: {model: haiku, decided_by: CONFIGURED_RULES, rule: "fast for commits"}
  - name: "design goes to opus"
    given: {message: "walk me through the architecture"}
    expect: {model: opus}
  - name: "a spent budget wins"
    given: {message: "walk me through the architecture", spent_today_usd: "20.01"}
    expect: {model: haiku, rule: "daily budget"}
  - name: "opus out, design falls back"
    given: {message: "walk me through the architecture", models_out: [opus]}
    expect: {model: sonnet, decided_by: GLOBAL_DEFAULT}
"#;

#[test]
fn expectations_that_hold_pass_and_one_that_does_not_is_shown_with_its_reasons() {
    let desk = Desk::new();
    desk.ok(&["init"]);
    desk.write("tests.yaml", EXPECTATIONS);
    assert!(desk.ok(&["rules", "test", "tests.yaml"]).ends_with("4 passed, 0 failed\n"));
    desk.write("wrong.yaml", &EXPECTATIONS.replace("expect: {model: opus}", "expect: {model: haiku}"));
    insta::assert_snapshot!(said(&desk.run(&["rules", "test", "wrong.yaml"])));
}

#[test]
fn a_refused_turn_says_what_was_tried_and_exits_with_one() {
    let desk = Desk::new();
    desk.write(".turnwise/routing.yaml", "rules: []\n");
    let run = desk.run(&["route", "hello"]);
    assert_eq!(run.code, 1);
    assert!(run.out.contains("No model available for this turn."), "{}", run.out);
}

#[test]
fn an_alias_nobody_has_is_an_error_with_near_names() {
    let desk = Desk::new();
    insta::assert_snapshot!(said(&desk.run(&["route", "@sonet fix it"])));
}

#[test]
fn warnings_are_listed_and_are_a_failure_only_when_strict() {
    let desk = Desk::new();
    let policy = "global_default: gpt\nrules: [{name: cheap, when: {estimated_input_tokens_lt: 20000}, use: luna}]\n";
    desk.write(".turnwise/routing.yaml", policy);
    let check = |arguments: &[&str]| {
        let output = desk.command(arguments).env("ANTHROPIC_API_KEY", "sk-1").output().unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
    };
    let (code, out) = check(&["rules", "check"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("Claude Code") && out.contains("set OPENAI_API_KEY") && out.contains("2 warnings"), "{out}");
    assert!(!out.contains("ok "), "{out}");
    assert_eq!(check(&["rules", "check", "--strict"]).0, 1);
    let json: serde_json::Value = serde_json::from_str(&check(&["--json", "rules", "check"]).1).unwrap();
    assert_eq!((&json["ok"], &json["warnings"][0]["line"]), (&true.into(), &2.into()), "{json:#}");
}

#[test]
fn an_alias_taken_from_a_built_in_model_and_skills_that_no_client_lists_are_warnings() {
    let desk = Desk::new();
    let policy = "global_default: gpt\nrules: [{name: designs, when: {skills_matching_message_includes: [design]}, use: opus}]\n";
    desk.write(".turnwise/routing.yaml", policy);
    desk.write(".turnwise/models.yaml", "models:\n  openai:gpt-5-mini: {aliases: [HAIKU]}\n");
    let run = desk.run(&["--json", "rules", "check"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let found: Vec<_> =
        json["warnings"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    let alias =
        "models.yaml: alias `haiku` means openai:gpt-5-mini; in the built-in list it is anthropic:claude-haiku-5-5";
    assert!(found.contains(&alias), "{found:#?}");
    assert!(found.iter().any(|one| one.contains("no client that lists its skills was found")), "{found:#?}");
    assert_eq!(desk.run(&["rules", "check", "--strict"]).code, 1);
    desk.write(".turnwise/models.yaml", "models:\n  openai:gpt-5-mini: {aliases: [mini]}\n");
    assert!(!desk.run(&["rules", "check"]).out.contains("alias"));
}

#[test]
fn what_was_spent_in_the_week_the_month_the_project_and_the_session_can_be_stated() {
    let desk = Desk::new();
    let budgets = "budgets:\n  - {name: m, limit_usd: 50, period: month, use: haiku}\n  - {name: p, limit_usd: 5, \
                   period: week, scope: project, use: opus}\n  - {name: s, limit_usd: 2, scope: session}\n";
    desk.write(".turnwise/routing.yaml", &format!("global_default: sonnet\n{budgets}"));
    let model = |arguments: &[&str]| {
        let run = desk.run(&[&["--json", "route", "hi"], arguments].concat());
        serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["model"].clone()
    };
    assert_eq!(model(&[]), "anthropic:claude-sonnet-5-5");
    assert_eq!(model(&["--spent-month", "50"]), "anthropic:claude-haiku-5-5");
    assert_eq!(model(&["--spent", "50"]), "anthropic:claude-haiku-5-5", "a month contains the day");
    assert_eq!(model(&["--spent-week", "50"]), "anthropic:claude-sonnet-5-5");
    assert_eq!(model(&["--spent-project", "5.01"]), "anthropic:claude-opus-5-5");
    assert!(model(&["--spent-session", "2"]).is_null());
    let tests = "tests:\n  - {name: month, given: {message: hi, spent_month_usd: '50'}, expect: {model: haiku}}\n  - {name: project, \
                 given: {message: hi, workspace: /shop, spent_project_usd: '5'}, expect: {model: opus}}\n  - {name: session, given: \
                 {message: hi, spent_session_usd: '2'}, expect: {model: none}}\n  - {name: amount, given: {message: hi, \
                 spent_week_usd: much}, expect: {model: sonnet}}\n";
    let file = desk.write("tests.yaml", tests);
    let out = desk.run(&["rules", "test", file.to_str().unwrap()]);
    assert!(out.out.contains("3 passed, 1 failed"), "{}", said(&out));
    assert!(out.out.contains("FAIL amount\n       `much` is not an amount of dollars"), "{}", said(&out));
}

#[test]
fn without_a_file_the_built_in_policy_is_checked() {
    let desk = Desk::new();
    let out = desk.ok(&["rules", "check"]);
    assert!(out.contains("built-in policy is active") && out.contains("turnwise init"), "{out}");
    let run = desk.run(&["rules", "check", "missing.yaml"]);
    assert!(run.code == 3 && run.err.contains("missing.yaml"), "{}", said(&run));
}

#[test]
fn an_empty_policy_is_not_ok() {
    let desk = Desk::new();
    desk.write(".turnwise/routing.yaml", "schema_version: 1\n");
    let out = desk.ok(&["rules", "check"]);
    assert!(out.contains("warning: the policy decides nothing") && !out.contains("ok "), "{out}");
    assert_eq!(desk.run(&["rules", "check", "--strict"]).code, 1);
}

#[test]
fn the_schema_beside_the_policy_is_the_one_printed() {
    let desk = Desk::new();
    desk.ok(&["init"]);
    let written = std::fs::read_to_string(desk.path(".turnwise/routing.schema.json")).unwrap();
    assert_eq!(written, desk.ok(&["rules", "schema"]));
}

#[test]
fn models_of_ones_own_can_be_named_at_once() {
    let desk = Desk::new();
    desk.write(
        ".turnwise/models.yaml",
        "models:\n  ollama:qwen3-coder:\n    aliases: [qwen]\n    context_window: 32000\n    prices: {input: 0, output: 0}\n",
    );
    assert_eq!(desk.json(&["route", "@qwen hi"])["model"], "ollama:qwen3-coder");
    let broken = desk.write(".turnwise/models.yaml", "models:\n  ollama:x: {pries: {}}\n");
    let run = desk.run(&["models"]);
    assert!(run.code == 2 && run.err.contains("pries") && run.err.contains("models.yaml"), "{}", run.err);
    std::fs::remove_file(broken).unwrap();
}

#[test]
fn a_policy_broken_later_leaves_the_last_good_one_deciding_and_every_view_readable() {
    let desk = Desk::new();
    desk.with_session();
    desk.ok(&["init"]);
    desk.ok(&["import", "claude-code"]);
    desk.write(".turnwise/routing.yaml", "rulez: []\n");
    let run = desk.run(&["route", "/commit it"]);
    assert_eq!(run.code, 0, "{}", said(&run));
    assert!(run.out.contains("fast for commits") && run.err.contains("last valid policy"), "{}", said(&run));
    for view in [&["why"][..], &["cost"], &["status"], &["model", "show"], &["events", "verify"]] {
        desk.ok(view);
    }
    desk.write(".claude/projects/shop/more.jsonl", &transcripts::DEMO_SESSION.replace("5b0c6f0e", "00000000"));
    let imported = desk.run(&["import", "claude-code"]);
    assert!(imported.code == 0 && imported.err.contains("last valid policy"), "{}", said(&imported));
    let told = desk.ok(&["events", "tail", "-n", "1", "--kind", "routing.policy_invalid"]);
    assert!(told.contains("routing.policy_invalid"), "{told}");
}

#[test]
fn a_reload_names_the_active_policy_and_the_errors_of_the_file() {
    let desk = Desk::new();
    desk.write(".turnwise/routing.yaml", "global_default: haiku\nrules: [{when: {has_images: true}, use: opus}]\n");
    let out = desk.ok(&["rules", "reload"]);
    assert!(out.contains("routing.yaml is active (") && out.contains("1 rule)"), "{out}");
    let active = desk.json(&["rules", "reload"])["hash"].clone();
    desk.write(".turnwise/routing.yaml", "global_defalt: haiku\n");
    let run = desk.run(&["rules", "reload"]);
    assert!(run.code == 1 && run.out.contains("routing.yaml: line 1, column 1: unknown key"), "{}", said(&run));
    assert!(run.out.contains("1 error; the last valid policy stays active"), "{}", said(&run));
    let run = desk.run(&["--json", "rules", "reload"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!((&json["hash"], json["problems"].as_array().unwrap().len()), (&active, 1));
}
