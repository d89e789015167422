//! The policies in the README decide as their comments state.

use crate::desk::Desk;

/// Returns the code blocks of a language in the README.
fn blocks(language: &str) -> Vec<String> {
    let readme = include_str!("../../../../README.md");
    let marker = format!("```{language}\n");
    readme.split(&marker).skip(1).filter_map(|rest| rest.split_once("```")).map(|(block, _)| block.to_owned()).collect()
}

/// The situations of the README's gateway rules, with the decision that each comment announces.
const GATEWAY: &str = r#"tests:
  - name: "a sub-agent is cheap, whichever model it asks for"
    given: {message: "look around", client: claude-code, requested_model: claude-opus-4-8, subagent: true}
    expect: {model: haiku, rule: "sub-agents are cheap"}
  - name: "Codex stays with a model that takes its tools"
    given: {message: "fix it", client: codex, requested_model: gpt-5.6-sol}
    expect: {model: gpt, rule: "Codex stays"}
  - name: "a sub-agent of Codex stays too, since haiku does not take its tools"
    given: {message: "fix it", client: codex, subagent: true}
    expect: {model: gpt, rule: "Codex stays"}
  - name: "opus becomes sonnet, also after thinking of opus"
    given: {message: "go on", client: claude-code, requested_model: claude-opus-4-8, thinking_of: claude-opus-4-8}
    expect: {model: sonnet, rule: "sonnet for requests of opus"}
  - name: "a title"
    given: {message: "a title", client: claude-code, requested_model: claude-sonnet-5-5, auxiliary_call: title}
    expect: {model: haiku, rule: "titles cost little"}
  - name: "another model is the client's own choice"
    given: {message: "go on", client: claude-code, requested_model: claude-sonnet-4-6}
    expect: {model: claude-sonnet-4-6, decided_by: WORKSPACE_DEFAULT}
  - name: "a misspelt mention is an error"
    given: {message: "@sonet go on"}
    expect: {error: "sonet"}
"#;

#[test]
fn the_gateway_rules_of_the_readme_decide_as_described() {
    let desk = Desk::new();
    let block = blocks("yaml").into_iter().find(|block| block.contains("client_model:")).unwrap();
    // The example leaves out cache marks of Claude Code; see `adapt` there.
    desk.write(
        ".turnwise/routing.yaml",
        &block.replace("adapt: [effort]", "adapt: [effort, cache_control, context_management, thinking_control]"),
    );
    desk.write("expectations.yaml", GATEWAY);
    let run = desk.run(&["rules", "test", "expectations.yaml"]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    assert!(run.out.ends_with("7 passed, 0 failed\n"), "{}", run.out);
}

#[test]
fn the_tests_of_the_readme_pass_on_its_policy() {
    let desk = Desk::new();
    let policy = blocks("yaml").into_iter().find(|block| block.contains("daily budget")).unwrap();
    let tests = blocks("yaml").into_iter().find(|block| block.contains("tests:")).unwrap();
    desk.write(".turnwise/routing.yaml", &policy);
    desk.write("expectations.yaml", &tests);
    let run = desk.run(&["rules", "test", "expectations.yaml"]);
    assert!(run.code == 0 && run.out.contains(" 0 failed"), "{}{}", run.out, run.err);
}

#[test]
fn route_decides_in_a_stated_situation() {
    let desk = Desk::new();
    let policy = "global_default: sonnet\nrules:\n  - {name: budget, when: {cost_today_exceeds_usd: 5}, use: haiku}\n  \
                  - {name: night, when: {time_of_day_between: ['22:00', '06:00']}, use: haiku}\n  \
                  - {name: workers, when: {thread_is_subagent: true}, use: haiku}\n  \
                  - {name: theirs, when: {client_is: codex, client_model_is: gpt-5.5}, use: gpt}\n";
    desk.write(".turnwise/routing.yaml", policy);
    let model = |arguments: &[&str]| {
        let route = desk.json(&[&["route", "go on", "--at", "12:00"], arguments].concat());
        route["model"].as_str().unwrap().to_owned()
    };
    let (haiku, sonnet, opus) =
        ("anthropic:claude-haiku-5-5", "anthropic:claude-sonnet-5-5", "anthropic:claude-opus-5-5");
    assert_eq!(model(&[]), sonnet);
    assert_eq!(model(&["--spent", "5.01"]), haiku);
    assert_eq!(model(&["--subagent"]), haiku);
    assert_eq!(model(&["--client", "codex", "--client-model", "gpt-5.5"]), "openai:gpt-6.1-sol");
    assert_eq!(model(&["--client", "claude-code", "--client-model", "claude-opus-4-8"]), "anthropic:claude-opus-4-8");
    assert_eq!(model(&["--session-model", "opus"]), opus);
    assert_eq!(model(&["--session-model", "opus", "--out", "opus"]), sonnet);
    assert_eq!(model(&["--thinking", "opus", "--client", "claude-code"]), sonnet, "earlier thinking does not bind");
    assert_eq!(desk.json(&["route", "go on", "--at", "23:30"])["model"], haiku);
    assert_eq!(desk.run(&["route", "go on", "--at", "12:00", "--out", "anthropic"]).code, 1);
    for wrong in
        [["--out", "nobody"], ["--at", "noon"], ["--spent", "much"], ["--auxiliary", "poem"], ["--tier", "huge"]]
    {
        let run = desk.run(&[&["route", "go on"][..], &wrong].concat());
        assert!(run.code == 2 && run.err.contains(wrong[1]), "{wrong:?} {}", run.err);
    }
}
