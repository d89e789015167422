//! Warnings about a policy: rules without an effect, models without access, limits that do not hold.

use router_core::{Warning, warnings};

use crate::support::{models_but, policy, policy_over};

fn texts(policy: &router_core::Policy) -> Vec<String> {
    warnings(policy, None).iter().map(ToString::to_string).collect()
}

#[test]
fn a_token_limit_below_the_prompt_of_a_client_is_a_warning_that_names_the_client() {
    let with_limit = |when: &str| {
        texts(&policy(&format!("global_default: sonnet\nrules: [{{name: cheap, when: {when}, use: haiku}}]\n")))
    };
    let warning = with_limit("{estimated_input_tokens_lt: 20000}");
    assert_eq!(warning.len(), 1, "{warning:#?}");
    assert!(warning[0].contains("Claude Code") && !warning[0].contains("Codex"), "{}", warning[0]);
    let warning = with_limit("{estimated_input_tokens_lt: 5000, has_images: false}");
    assert!(["Claude Code", "Codex", "opencode"].iter().all(|client| warning[0].contains(client)), "{}", warning[0]);
    for fires in [
        "{estimated_input_tokens_lt: 60000}",
        "{estimated_input_tokens_lt: 20000, client_is: codex}",
        "{estimated_input_tokens_lt: 5000, client_is: [openai-sdk, aider]}",
        "{estimated_input_tokens_lt: 5000, auxiliary_call_is: title}",
        "{not: {estimated_input_tokens_lt: 5000}}",
    ] {
        assert_eq!(with_limit(fires), Vec::<String>::new(), "{fires}");
    }
}

#[test]
fn a_condition_that_never_holds_is_a_warning_with_the_cause() {
    let text = r"
global_default: sonnet
rules:
  - {name: no such client, when: {client_is: [cursor, zed]}, use: haiku}
  - {name: empty window, when: {time_of_day_between: ['09:00', '09:00']}, use: haiku}
  - {name: no number between, when: {estimated_input_tokens_gt: 99999, estimated_input_tokens_lt: 100000}, use: haiku}
  - {name: never, when: {all_of: [{has_images: true}, {not: {has_images: true}}]}, use: haiku}
  - {name: not everything, when: {not: {}}, use: haiku}
  - {name: either, when: {any_of: [{client_is: cursor}, {has_images: true}]}, use: haiku}
";
    insta::assert_snapshot!(texts(&policy(text)).join("\n"));
}

#[test]
fn models_that_all_lack_a_key_are_a_warning() {
    let registry = models_but(|model| {
        model.configured = model.provider.as_str() == "anthropic";
        true
    });
    let text = "global_default: sonnet\nrules:\n  - {name: other, when: {has_images: true}, use: gpt}\n";
    let found = warnings(&policy_over(text, registry), None);
    let places = vec!["rule \"other\" (line 3)".to_owned()];
    assert_eq!(found, [Warning::NoAccess { provider: "openai".to_owned(), places }]);
}

#[test]
fn models_without_a_price_are_a_warning_only_under_a_budget() {
    let rule = "rules: [{name: budget, when: {cost_today_exceeds_usd: 5}, use: haiku}]";
    assert_eq!(texts(&policy(&format!("global_default: haiku\n{rule}\n"))).len(), 1);
    assert_eq!(texts(&policy("global_default: haiku\n")), Vec::<String>::new());
}

#[test]
fn decision_d34_a_threshold_of_the_other_estimator_is_a_warning() {
    let with = |block: &str| texts(&policy(&format!("global_default: haiku\npattern: {block}\n")));
    // The block of 004 §5.5, written for the estimator `paper`.
    let warning = with("{cost_weight: 0.05, min_confidence: 0.05, min_sample_size: 5}");
    assert!(warning.len() == 1 && warning[0].contains("min_confidence"), "{warning:#?}");
    assert_eq!(with("{estimator: paper, min_confidence: 0.05}"), Vec::<String>::new());
    assert_eq!(with("{min_confidence: 0.6}"), Vec::<String>::new());
}

#[test]
fn a_policy_that_decides_nothing_is_a_warning() {
    assert_eq!(warnings(&policy("schema_version: 1\n"), None), [Warning::NoDefault { decides_something: false }]);
    let rules = "rules: [{when: {has_images: true}, use: haiku}]\n";
    assert_eq!(warnings(&policy(rules), None), [Warning::NoDefault { decides_something: true }]);
}

#[test]
fn a_rule_about_skills_that_no_client_lists_is_a_warning() {
    let found = |when: &str, clients: &[&str]| {
        let policy = policy(&format!("global_default: sonnet\nrules: [{{name: designs, when: {when}, use: haiku}}]\n"));
        let clients = clients.iter().map(|client| (*client).to_owned()).collect();
        let found: Vec<_> = warnings(&policy, Some(&clients)).iter().map(ToString::to_string).collect();
        found.join("\n")
    };
    let skills = "{skills_matching_message_includes: [system_design]}";
    assert_eq!(found(skills, &["aider", "codex"]), "");
    let warning = found(skills, &["aider"]);
    assert!(warning.contains("a command such as `/system_design`: aider does not list its skills"), "{warning}");
    assert!(found(skills, &[]).contains("no client that lists its skills was found"));
    let with_client = "{skills_matching_message_includes: [system_design], client_is: [aider, opencode]}";
    let warning = found(with_client, &["claude-code"]);
    assert!(warning.contains("none of aider, opencode lists its skills (claude-code and codex do)"), "{warning}");
    assert_eq!(found("{any_of: [{skills_matching_message_includes: [a]}, {has_images: true}]}", &[]), "");
    assert_eq!(found("{not: {skills_matching_message_includes: [a]}}", &[]), "");
    assert_eq!(found("{has_images: true}", &[]), "");
}
