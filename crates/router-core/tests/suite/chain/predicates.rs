//! Each condition reads the value that 004 §5.3.1 names; tested at its boundary (§5.3.2).

use contracts::{ClientRequest, Estimates, Requirement, Tokenizer};
use router_core::{Scenario, decide as decide_turn};

use crate::support::{chosen, live_request, policy};

/// Whether a rule with this condition matches.
#[track_caller]
fn holds(when: &str, scenario: &Scenario) -> bool {
    let text = format!("rules: [{{when: {when}, use: haiku}}]\nglobal_default: opus");
    chosen(scenario, &policy(&text)) == "CONFIGURED_RULES claude-haiku-4-5"
}

#[track_caller]
fn on_message(when: &str, yes: &[&str], no: &[&str]) {
    for message in yes {
        assert!(holds(when, &Scenario::message(*message)), "{when} on {message:?}");
    }
    for message in no {
        assert!(!holds(when, &Scenario::message(*message)), "not {when} on {message:?}");
    }
}

fn hello() -> Scenario {
    Scenario::message("hello")
}

#[test]
fn a_regular_expression_is_searched_anywhere_and_case_counts() {
    on_message("{message_matches: commit}", &["please commit this", "commit"], &["Commit this", "com mit", ""]);
    on_message("{message_matches: \"(?i)commit\"}", &["COMMIT"], &[]);
    on_message("{message_matches: \"^/commit\"}", &["/commit x"], &["x\n/commit", " /commit"]);
    on_message("{message_matches: \"(?m)^/commit\"}", &["x\n/commit"], &[]);
    on_message("{message_matches: \"^$\"}", &[""], &["x"]);
}

#[test]
fn a_searched_text_is_found_in_any_case_and_is_no_regular_expression() {
    on_message("{message_contains_any: [Design, \"a.c\"]}", &["the DESIGN of", "redesigned", "x A.C"], &["abc", ""]);
    on_message("{message_contains_any: ÄRGER}", &["kein ärger"], &["arger"]);
}

#[test]
fn token_thresholds_are_strict() {
    let above = |tokens| holds("{estimated_input_tokens_gt: 80000}", &hello().tokens(tokens));
    let below = |tokens| holds("{estimated_input_tokens_lt: 80000}", &hello().tokens(tokens));
    assert_eq!([79_999, 80_000, 80_001].map(above), [false, false, true]);
    assert_eq!([79_999, 80_000, 80_001].map(below), [true, false, false]);
}

#[test]
fn tokens_are_counted_by_the_model_the_rule_proposes() {
    let text = "
rules:
  - {when: {estimated_input_tokens_gt: 1000}, use: gpt}
  - {when: {estimated_input_tokens_gt: 1000}, use: haiku}
";
    let policy = policy(text);
    let mut turn = hello().turn(&policy).unwrap();
    turn.started.tokens = Estimates::each(|tokenizer| if tokenizer == Tokenizer::Anthropic { 1_001 } else { 1_000 });
    let outages = contracts::views::Outages::default();
    let views = contracts::views::Views { outages: &outages, patterns: &contracts::views::NoPatterns };
    let model = decide_turn(&turn.turn(), &policy, &views).decision.chosen;
    assert_eq!(model.as_ref().map(contracts::ModelId::model), Some("claude-haiku-4-5"));
}

#[test]
fn boolean_conditions_hold_for_their_value() {
    for (key, with) in [("has_images", hello().images()), ("has_tool_calls_in_history", hello().tool_history())] {
        assert!(holds(&format!("{{{key}: true}}"), &with));
        assert!(!holds(&format!("{{{key}: false}}"), &with));
        assert!(!holds(&format!("{{{key}: true}}"), &hello()));
        assert!(holds(&format!("{{{key}: false}}"), &hello()));
    }
}

#[test]
fn one_matching_skill_suffices() {
    let when = "{skills_matching_message_includes: [system_design, review]}";
    assert!(holds(when, &hello().skill("other").skill("review")));
    assert!(!holds(when, &hello().skill("other")));
    assert!(!holds(when, &hello()));
}

#[test]
fn one_selected_skill_suffices() {
    let when = "{skill_selected_in: [system_design, /review]}";
    assert!(holds(when, &hello().selected_skill("other").selected_skill("review")));
    assert!(!holds(when, &hello().selected_skill("other").skill("review")), "a match is not a selection");
    assert!(!holds(when, &hello()));
}

#[test]
fn extensions_compare_without_case_and_with_or_without_the_dot() {
    for when in ["{file_extensions_in_context: [.SQL, .py]}", "{file_extensions_in_context: sql}"] {
        assert!(holds(when, &hello().touched(".sql")));
        assert!(holds(when, &hello().touched(".Sql")));
        assert!(holds(when, &hello().touched("sql")) && holds(when, &hello().touched("SQL")));
        assert!(!holds(when, &hello().touched(".sqlite")));
        assert!(!holds(when, &Scenario::message("look at a.sql")), "text is not scanned");
    }
}

#[test]
fn the_workspace_is_searched_by_its_path_and_without_one_nothing_matches() {
    let when = "{workspace_path_matches: \"/shop(/|$)\"}";
    assert!(holds(when, &hello().workspace("/home/dev/shop")));
    assert!(!holds(when, &hello().workspace("/home/dev/shopping")));
    assert!(!holds(when, &hello()));
    assert!(!holds("{workspace_path_matches: \"\\\\A\"}", &hello()), "even a pattern that is found everywhere");
}

#[test]
fn several_keys_must_all_hold() {
    let when = "{message_matches: hello, has_images: true}";
    assert!(holds(when, &hello().images()));
    assert!(!holds(when, &hello()));
    assert!(!holds(when, &Scenario::message("bye").images()));
}

#[test]
fn any_of_all_of_and_not_can_be_nested() {
    let when = "{any_of: [{message_matches: a}, {all_of: [{message_matches: b}, {not: {message_matches: c}}]}]}";
    on_message(when, &["a", "b", "abc"], &["c", "bc", ""]);
    on_message("{not: {message_matches: a, has_images: false}}", &["b"], &["a"]);
    on_message("{not: {}}", &[], &["", "x"]);
    on_message("{not: {not: {}}}", &["", "x"], &[]);
}

/// Whether a condition holds for a turn of a client's request.
fn holds_for_request(when: &str, request: ClientRequest) -> bool {
    let policy = policy(&format!("rules: [{{when: {when}, use: opus}}]\nglobal_default: haiku"));
    let mut turn = hello().turn(&policy).unwrap();
    turn.started.request = Some(request);
    let outages = contracts::views::Outages::default();
    let views = contracts::views::Views { outages: &outages, patterns: &contracts::views::NoPatterns };
    decide_turn(&turn.turn(), &policy, &views).decision.winner().unwrap().slot == contracts::Slot::ConfiguredRules
}

#[test]
fn a_web_search_of_the_provider_can_be_a_condition() {
    let request = |web_search| ClientRequest { web_search, ..live_request() };
    for (value, offered) in [("true", true), ("false", false)] {
        let when = format!("{{requests_web_search: {value}}}");
        assert!(holds_for_request(&when, request(offered)) && !holds_for_request(&when, request(!offered)));
    }
    assert!(!holds("{requests_web_search: true}", &hello()), "a turn without a request");
}

#[test]
fn thinking_that_a_client_asks_for_can_be_a_condition() {
    let request =
        |requires: &[Requirement]| ClientRequest { requires: requires.iter().copied().collect(), ..live_request() };
    let when = "{requests_thinking: true}";
    assert!(holds_for_request(when, request(&[Requirement::Effort])));
    assert!(holds_for_request(when, request(&[Requirement::ThinkingBudget])));
    assert!(!holds_for_request(when, request(&[Requirement::Effort, Requirement::NoThinking])), "an effort of none");
    assert!(!holds_for_request(when, request(&[Requirement::CacheControl])));
    assert!(holds_for_request("{requests_thinking: false}", request(&[])));
}
