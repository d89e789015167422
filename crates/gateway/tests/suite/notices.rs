//! Notices about a decision: in a response header, in the row and the view of a turn, and in `why`.

use engine::last_decision;
use hyper::Method;
use mock_upstream::{Failure, Fault};
use serde_json::Value;

use crate::support::{Wish, World, message};

/// The rule's model has no key.
const POLICY: &str =
    "schema_version: 1\nglobal_default: sonnet\nrules:\n  - {name: quick, when: {}, use: \"mistral:devstral\"}\n";

const MODELS: &str = "models:\n  mistral:devstral: {context_window: 200000, max_output: 8000, tokenizer: generic}\n";

#[test]
fn a_rule_that_was_passed_over_is_reported_with_its_remedy() {
    let world = World::wished(&Wish { policy: POLICY, models: Some(MODELS), keyless: true, ..Wish::default() });
    let key = [("x-api-key", "sk-of-the-client")];
    let answer = world.post("/v1/messages", &key, &message("turnwise", "hello"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let expected = "mistral:devstral of rule \"quick\" was passed over (not_configured). Routing fell back to \
                    anthropic:claude-sonnet-5-5. Set MISTRAL_API_KEY to use mistral:devstral.";
    assert_eq!(answer.header("x-turnwise-notice"), expected);
    world.ended(1);
    let turn = world.send(&Method::GET, &format!("/turns/{}", answer.header("x-turnwise-turn")), &[], "").json();
    assert_eq!(turn["notices"], serde_json::json!([expected]));
    let rows = world.send(&Method::GET, "/api/turns", &[], "").json();
    assert_eq!(rows["turns"][0]["notices"], serde_json::json!([expected]));
    let why = last_decision(&*world.log).unwrap().text(&*world.texts);
    assert!(why.contains("Notices:\n  ! mistral:devstral of rule"), "{why}");
}

#[test]
fn a_rejected_explicit_choice_and_an_outage_are_in_the_header() {
    let world = World::new("schema_version: 1\nglobal_default: gpt-5-mini\n");
    world.mock.fail(Failure::once(Fault::Status { status: 401, retry_after: None }));
    world.post("/v1/messages", &[], &message("turnwise", "@sonnet hello"));
    let answer = world.post("/v1/messages", &[], &message("turnwise", "@sonnet again"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let notice = answer.header("x-turnwise-notice");
    assert!(notice.contains("anthropic:claude-sonnet-5-5 cannot be used for this turn (key_refused)"), "{notice}");
    assert!(notice.contains("Set ANTHROPIC_API_KEY"), "{notice}");
    assert!(notice.len() <= 500 && notice.is_ascii(), "{notice}");
}

#[test]
fn a_turn_without_notices_has_no_header() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    assert!(!answer.headers.contains_key("x-turnwise-notice"));
}

#[test]
fn turns_of_the_whole_log_are_searched_by_words_and_time_in_pages() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    for number in 0..60 {
        let word = if number % 2 == 0 { "Even" } else { "odd" };
        world.post("/v1/messages", &[], &message("turnwise", &format!("{word} number {number}")));
    }
    world.ended(60);
    let search = |query: Value| world.post("/api/turns/search", &[], &query).json();
    let messages = |found: &Value| -> Vec<String> {
        found["turns"].as_array().unwrap().iter().map(|turn| turn["message"].as_str().unwrap().to_owned()).collect()
    };
    let even = search(serde_json::json!({ "words": "even NUMBER" }));
    assert_eq!(messages(&even).len(), 30);
    assert_eq!((messages(&even)[0].as_str(), &even["next"]), ("Even number 58", &Value::Null));
    let first = search(serde_json::json!({}));
    let second = search(serde_json::json!({ "before": first["next"] }));
    let all: Vec<_> = [messages(&first), messages(&second)].concat();
    assert_eq!((messages(&first).len(), all.len(), all.last().unwrap().as_str()), (50, 60, "Even number 0"));
    let past = search(serde_json::json!({ "to": 1_000_000 }));
    assert_eq!((messages(&past).len(), &past["next"]), (0, &Value::Null));
}

#[test]
fn a_turn_is_rated_from_the_page() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\n");
    let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
    world.ended(1);
    let turn = answer.header("x-turnwise-turn");
    let rate = |turn: &str| {
        world.post(&format!("/api/turns/{turn}/feedback"), &[], &serde_json::json!({ "rating": "down" })).status
    };
    assert_eq!(rate(turn), 200);
    assert_eq!(world.events::<contracts::events::FeedbackGiven>()[0].turn.to_string(), turn);
    assert_eq!(rate("nonsense"), 400);
    assert_eq!(rate(&turn.chars().rev().collect::<String>()), 404);
}
