//! A provider that rejects its configured key (decision D37): the client receives the place of the key, and the outage
//! ends with another key or at the user's request.

use std::collections::BTreeMap;

use adapters::{Keys, ProviderEntry, Providers};
use contracts::{
    OutageScope,
    events::{CatalogueLoaded, LlmCallFailed, ProviderRecovered, ProviderUnavailable, RecoveredBy},
};
use control::{RefreshPolicy, RetryProvider};
use engine::Models;
use gateway::ProviderSource;
use hyper::Method;
use mock_upstream::{Failure, Fault};
use serde_json::json;
use what_if::{Range, replay};

use crate::support::{Answered, KEY, Wish, World, message};

/// A policy that chooses Sonnet for every turn.
const SONNET: &str = "schema_version: 1\nglobal_default: sonnet\n";

/// A response that rejects the key.
const REFUSED: Fault = Fault::Status { status: 401, retry_after: None };

/// Sends a message that leaves the choice of the model to the policy.
fn ask(world: &World, text: &str) -> Answered {
    world.post("/v1/messages", &[], &message("turnwise", text))
}

/// Creates a gateway and sends a message to which the provider responds by rejecting the key.
fn refused() -> World {
    let world = World::new(SONNET);
    world.mock.fail(Failure::once(REFUSED));
    let answer = ask(&world, "hello");
    assert_eq!(answer.status, 400, "{}", answer.body);
    world.ended(1);
    world
}

#[test]
fn client_receives_the_variable_of_the_refused_key_at_once_and_while_the_outage_lasts() {
    let world = World::new(SONNET);
    world.mock.fail(Failure::once(REFUSED));
    for (text, calls) in [("first", 1), ("second", 1)] {
        let answer = ask(&world, text);
        assert_eq!((answer.status.as_u16(), world.mock.count()), (400, calls), "{}", answer.body);
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("anthropic refused the key in ANTHROPIC_API_KEY"), "{message}");
        assert!(message.contains("turnwise providers retry anthropic"), "{message}");
    }
    world.ended(2);
    let failed = &world.events::<LlmCallFailed>()[0];
    let outage = &world.events::<ProviderUnavailable>()[0];
    assert_eq!(failed.key.as_ref().unwrap().variable.as_deref(), Some("ANTHROPIC_API_KEY"));
    assert_eq!(failed.key, outage.key);
    assert!(!world.log_text().contains(KEY));
}

#[test]
fn fallback_to_another_provider_reports_the_refused_key() {
    let world =
        World::new("schema_version: 1\nglobal_default: gpt-5-mini\nrules:\n  - {name: best, when: {}, use: sonnet}\n");
    world.mock.fail(Failure::once(REFUSED));
    assert_eq!(ask(&world, "hello").status, 200);
    let answer = ask(&world, "again");
    assert_eq!(answer.header("x-turnwise-model"), "openai:gpt-5-mini", "{}", answer.body);
    let turn = world.send(&Method::GET, &format!("/turns/{}", answer.header("x-turnwise-turn")), &[], "");
    assert!(turn.body.contains("key_refused: anthropic refused the key in ANTHROPIC_API_KEY"), "{}", turn.body);
    world.ended(2);
    let replayed = replay(&*world.log, &*world.texts, &Range::default(), |_| {}).unwrap();
    assert_eq!((replayed.decisions, replayed.divergence), (2, None));
}

#[test]
fn outage_of_a_refused_key_survives_a_restart_with_the_same_key() {
    let mut world = refused();
    world.shut_down();
    let restarted = World::wished(&Wish { policy: SONNET, after: Some(&world), ..Wish::default() });
    assert_eq!(ask(&restarted, "again").status, 400);
    assert_eq!(restarted.mock.count(), 0);
}

#[test]
fn outage_of_a_refused_key_ends_at_a_restart_with_another_key() {
    let mut world = refused();
    world.shut_down();
    let wish = Wish { policy: SONNET, after: Some(&world), key: Some("sk-another"), ..Wish::default() };
    let restarted = World::wished(&wish);
    let answer = ask(&restarted, "again");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let recovered = &restarted.events::<ProviderRecovered>()[0];
    assert_eq!(recovered.by, RecoveredBy::KeyChanged);
    assert_eq!(recovered.scope, OutageScope::ProviderWide("anthropic".try_into().unwrap()));
}

#[test]
fn outage_of_a_refused_key_ends_at_the_request_of_the_user() {
    let world = refused();
    let retried = world.control(RetryProvider { provider: "anthropic".to_owned() }).unwrap();
    assert_eq!(retried, json!({ "provider": "anthropic", "ended": [{ "provider_wide": "anthropic" }] }));
    assert_eq!(ask(&world, "again").status, 200);
    assert_eq!(world.events::<ProviderRecovered>()[0].by, RecoveredBy::Retry);
    let again = world.control(RetryProvider { provider: "anthropic".to_owned() }).unwrap();
    assert_eq!(again["ended"], json!([]));
}

#[test]
fn provider_is_available_only_after_it_answered() {
    let world = World::new(SONNET);
    let state = |name: &str| {
        let status = world.send(&Method::GET, "/api/status", &[], "").json();
        let providers = status["providers"].as_array().unwrap().clone();
        let provider = providers.into_iter().find(|provider| provider["name"] == name).unwrap();
        provider["state"].as_str().unwrap().to_owned()
    };
    assert_eq!((state("anthropic").as_str(), state("ollama").as_str()), ("not called yet", "not called yet"));
    ask(&world, "hello");
    world.ended(1);
    assert_eq!((state("anthropic").as_str(), state("ollama").as_str()), ("available", "not called yet"));
    world.mock.fail(Failure::once(REFUSED));
    ask(&world, "again");
    assert_eq!(state("anthropic"), "key refused");
    world.control(RetryProvider { provider: "anthropic".to_owned() }).unwrap();
    assert_eq!(state("anthropic"), "not checked");
}

#[test]
fn page_ends_an_outage_and_reports_an_unknown_provider() {
    let world = refused();
    let retry = |provider: &str| world.post(&format!("/api/providers/{provider}/retry"), &[], &json!({}));
    assert_eq!(retry("nobody").status, 404);
    assert_eq!(retry("anthropic").status, 200);
    assert_eq!(ask(&world, "again").status, 200);
}

#[test]
fn key_that_is_refused_again_starts_another_outage_at_once() {
    let world = refused();
    world.control(RetryProvider { provider: "anthropic".to_owned() }).unwrap();
    world.mock.fail(Failure::once(REFUSED));
    assert_eq!(ask(&world, "again").status, 400);
    assert_eq!(world.events::<ProviderUnavailable>().len(), 2);
}

/// Sets the source of a gateway's keys: a provider `anthropic` with this key.
fn set_key(world: &World, key: &'static str) {
    let entry = ProviderEntry { url: Some(world.mock.url()), ..ProviderEntry::default() };
    let entries = BTreeMap::from([("anthropic".to_owned(), entry)]);
    let registry = catalogue::load_registry(None).unwrap();
    world.gateway.set_provider_source(ProviderSource::new(move || {
        let environment = |name: &str| (name == "ANTHROPIC_API_KEY").then(|| key.to_owned());
        let providers = Providers::new(&entries, &Keys::default(), environment).map_err(|error| error.to_string())?;
        let models = Models::from_registry(providers.apply(&registry));
        Ok((providers, models))
    }));
}

#[test]
fn a_reload_of_the_policy_uses_a_new_key_and_ends_the_outage_of_the_refused_one() {
    let world = refused();
    set_key(&world, "sk-corrected");
    assert_eq!(ask(&world, "still refused").status, 400);
    world.control(RefreshPolicy {}).unwrap();
    let answer = ask(&world, "now");
    assert_eq!(answer.status, 200, "{}", answer.body);
    let requests = world.mock.requests();
    assert_eq!(requests.last().unwrap().header("x-api-key"), Some("sk-corrected"));
    world.ended(3);
    let replayed = replay(&*world.log, &*world.texts, &Range::default(), |_| {}).unwrap();
    assert_eq!((replayed.decisions, replayed.divergence), (3, None));
}

#[test]
fn a_key_that_is_added_while_the_gateway_runs_is_used_after_a_reload() {
    let world = World::wished(&Wish { policy: SONNET, keyless: true, ..Wish::default() });
    let without = ask(&world, "hello");
    assert_eq!(without.status, 400, "{}", without.body);
    set_key(&world, "sk-added");
    world.control(RefreshPolicy {}).unwrap();
    let answer = ask(&world, "hello again");
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert_eq!(world.mock.requests().last().unwrap().header("x-api-key"), Some("sk-added"));
    world.ended(2);
    assert_eq!(world.events::<CatalogueLoaded>().len(), 2, "the models that can be reached are recorded");
    let replayed = replay(&*world.log, &*world.texts, &Range::default(), |_| {}).unwrap();
    assert_eq!((replayed.decisions, replayed.divergence), (2, None));
}

#[test]
fn files_of_providers_that_are_invalid_at_a_reload_leave_the_earlier_keys_in_use() {
    let world = World::new(SONNET);
    world.gateway.set_provider_source(ProviderSource::new(|| Err("`keys`, line 1: not a key".to_owned())));
    let error = world.control(RefreshPolicy {}).unwrap_err();
    assert_eq!(error.message, "`keys`, line 1: not a key");
    assert_eq!(ask(&world, "hello").status, 200);
}
