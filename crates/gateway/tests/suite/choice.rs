//! The choice of the model: requested model, mention, policy.

use contracts::{
    Reason, SessionId, Slot, TurnId,
    events::{FeedbackGiven, Rating, RouteDecided, TurnTextRecorded},
};
use control::{ErrorKind, GiveFeedback, SelectModel};
use serde_json::json;

use crate::support::{SESSION, World, message};

const MODEL: &str = "x-turnwise-model";

#[test]
fn the_model_that_a_client_asks_for_means_what_the_policy_says() {
    let with =
        |setting: &str| format!("schema_version: 1\nglobal_default: sonnet\ngateway: {{client_model: {setting}}}\n");
    for (setting, asked, taken, by) in [
        ("auto", "claude-opus-4-8", "anthropic:claude-sonnet-5-5", "GLOBAL_DEFAULT"),
        ("default", "claude-opus-4-8", "anthropic:claude-opus-4-8", "WORKSPACE_DEFAULT"),
        ("override", "claude-opus-4-8", "anthropic:claude-opus-4-8", "PER_MESSAGE_OVERRIDE"),
        ("override", "turnwise", "anthropic:claude-sonnet-5-5", "GLOBAL_DEFAULT"),
        ("override", "claude-unheard-of", "anthropic:claude-sonnet-5-5", "GLOBAL_DEFAULT"),
    ] {
        let world = World::new(&with(setting));
        let answer = world.post("/v1/messages", &[], &message(asked, "hello"));
        assert_eq!((answer.header(MODEL), answer.header("x-turnwise-policy")), (taken, by), "{setting} {asked}");
    }
}

#[test]
fn a_name_that_nobody_knows_is_said_in_the_chain() {
    let world = World::new("schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: override}\n");
    world.post("/v1/messages", &[], &message("claude-unheard-of", "hello"));
    world.ended(1);
    let decided = &world.events::<RouteDecided>()[0];
    let reason = &decided.decision.entry(Slot::PerMessageOverride).unwrap().reason;
    assert_eq!(*reason, Reason::UnknownClientModel { name: "claude-unheard-of".to_owned() });
}

#[test]
fn an_address_in_the_message_is_followed_and_cut_out_of_all_that_is_sent() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let mut body = message("turnwise", "@opus explain \\\"this\\\"");
    body["messages"][0]["content"] = serde_json::json!("@opus\nexplain \"this\"");
    let answer = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(answer.header(MODEL), "anthropic:claude-opus-5-5");
    assert_eq!(world.last_sent()["messages"][0]["content"], "explain \"this\"");
    // It is in the history of the next turn, where it is no mention.
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(serde_json::json!({ "role": "assistant", "content": "well" }));
    messages.push(serde_json::json!({ "role": "user", "content": "thanks" }));
    let next = world.post("/v1/messages", &SESSION, &body);
    assert_eq!(next.header(MODEL), "anthropic:claude-sonnet-5-5");
    assert_eq!(world.last_sent()["messages"][0]["content"], "explain \"this\"");
    let texts = world.events::<TurnTextRecorded>();
    assert!(format!("{:?}", texts[0]).contains("explain") && !format!("{:?}", texts[0]).contains("@opus"));
}

#[test]
fn an_address_that_names_nobody_is_an_error_and_a_mention_of_a_file_is_text() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let answer = world.post("/v1/messages", &[], &message("turnwise", "@opsu explain this"));
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("close are") && answer.body.contains("opus"), "{}", answer.body);
    assert_eq!(world.mock.count(), 0);
    for text in [
        "@src explain",
        "@Makefile what is it",
        "@src/main.rs explain this",
        "@README.md what is it",
        "@agent-reviewer look",
    ] {
        let answer = world.post("/v1/messages", &[], &message("turnwise", text));
        assert_eq!(answer.status, 200, "{text}: {}", answer.body);
        assert_eq!(world.last_sent()["messages"][0]["content"], text);
    }
}

#[test]
fn rules_may_be_about_the_client_and_the_model_it_asks_for() {
    let policy = "schema_version: 1\nglobal_default: sonnet\nrules:\n  \
                  - {name: explorers, when: {client_is: claude-code, client_model_is: claude-haiku-4-5}, use: gpt-5.5}\n";
    let world = World::new(policy);
    let ours = world.post("/v1/messages", &SESSION, &message("claude-haiku-4-5-20251001", "look around"));
    assert_eq!(ours.header(MODEL), "openai:gpt-5.5");
    let others = world.post("/v1/messages", &[], &message("claude-haiku-4-5-20251001", "look around"));
    // A policy without `gateway.client_model` leaves a client the model it asks for.
    assert_eq!(others.header(MODEL), "anthropic:claude-haiku-4-5");
}

#[test]
fn a_client_that_brings_its_own_key_is_passed_on_to_its_own_provider_and_to_no_other() {
    let policy = "schema_version: 1\nglobal_default: gpt-5.5\ngateway: {client_model: default}\n";
    let world = World::wished(&crate::support::Wish { policy, keyless: true, ..Default::default() });
    let bearer = [("authorization", "Bearer sk-of-the-client")];
    let answer = world.post("/v1/messages", &bearer, &message("claude-opus-4-8", "hello"));
    assert_eq!((answer.status.as_u16(), answer.header(MODEL)), (200, "anthropic:claude-opus-4-8"), "{}", answer.body);
    let requests = world.mock.requests();
    assert_eq!(requests.last().unwrap().header("authorization"), Some("Bearer sk-of-the-client"));
    // Without a key no model is reachable.
    let answer = world.post("/v1/messages", &[], &message("claude-opus-4-8", "hello"));
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("not_configured"), "{}", answer.body);
    assert!(!world.log_text().contains("sk-of-the-client"));
}

#[test]
fn a_user_sets_the_model_of_a_session_while_the_gateway_has_the_log() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let session = SessionId::try_from(SESSION[0].1).unwrap();
    let set = |model: Option<&str>| {
        world.control(SelectModel { session: Some(session.clone()), model: model.map(str::to_owned) })
    };
    let unknown = set(Some("opus")).unwrap_err();
    assert!(unknown.kind == ErrorKind::Invalid && unknown.message.contains(SESSION[0].1), "{unknown}");
    world.post("/v1/messages", &SESSION, &message("turnwise", "one"));
    world.ended(1);
    assert_eq!(set(Some("opus")).unwrap()["model"], "anthropic:claude-opus-5-5");
    let taken = |text| {
        let answer = world.post("/v1/messages", &SESSION, &message("turnwise", text));
        (answer.header(MODEL).to_owned(), answer.header("x-turnwise-policy").to_owned())
    };
    assert_eq!(taken("two"), ("anthropic:claude-opus-5-5".to_owned(), "MANUAL_STICKY".to_owned()));
    set(None).unwrap();
    assert_eq!(taken("three").1, "GLOBAL_DEFAULT");
    let misspelt = set(Some("opuss")).unwrap_err();
    assert!(misspelt.kind == ErrorKind::Invalid && misspelt.message.contains("opuss"), "{misspelt}");
}

#[test]
fn a_user_rates_a_turn_while_the_gateway_has_the_log() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let answer = world.post("/v1/messages", &SESSION, &message("turnwise", "one"));
    world.ended(1);
    let turn = TurnId(answer.header("x-turnwise-turn").parse().unwrap());
    let rated = world.control(GiveFeedback { turn, rating: Rating::Down }).unwrap();
    assert_eq!(rated["given"]["rating"], "down");
    assert_eq!(world.events::<FeedbackGiven>()[0].turn, turn);
}

#[test]
fn what_the_control_socket_does_is_no_endpoint() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let turn = world.post("/v1/messages", &SESSION, &message("turnwise", "one")).header("x-turnwise-turn").to_owned();
    for path in [format!("/turns/{turn}/feedback"), format!("/sessions/{}/model", SESSION[0].1)] {
        assert_eq!(world.post(&path, &[], &json!({ "rating": "up", "model": "opus" })).status, 404, "{path}");
    }
}
