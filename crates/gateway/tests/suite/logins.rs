//! Logins of clients and compressed requests: forwarded to their own provider and nowhere else. Embeddings.

use hyper::Method;
use serde_json::json;

use crate::support::{Wish, World, message};

/// The headers of Claude Code with a login.
const CLAUDE_LOGIN: [(&str, &str); 2] =
    [("authorization", "Bearer sk-ant-oat01-of-the-user"), ("anthropic-beta", "oauth-2025-04-20,claude-code-20250219")];

/// The headers of Codex with a login.
const CODEX_LOGIN: [(&str, &str); 2] =
    [("authorization", "Bearer eyJ.of.the.user"), ("chatgpt-account-id", "account-of-the-user")];

const SONNET: &str = "schema_version: 1\nglobal_default: sonnet\n";
const GPT: &str = "schema_version: 1\nglobal_default: gpt-5\ngateway: {client_model: auto}\n";

fn ask_codex(world: &World) -> u16 {
    let input = json!([{ "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "hello" }] }]);
    let body = json!({ "model": "gpt-5", "input": input, "store": false });
    world.post("/v1/responses", &CODEX_LOGIN, &body).status.as_u16()
}

#[test]
fn an_anthropic_login_is_forwarded_with_its_beta_headers() {
    let world = World::wished(&Wish { policy: SONNET, keyless: true, ..Wish::default() });
    let answer = world.post("/v1/messages", &CLAUDE_LOGIN, &message("claude-sonnet-5-5", "hello"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let requests = world.mock.requests();
    for (name, value) in CLAUDE_LOGIN {
        assert_eq!(requests[0].header(name), Some(value));
    }
    assert_eq!(requests[0].header("x-api-key"), None);
    world.ended(1);
    assert!(!world.log_text().contains("sk-ant-oat01"));
}

#[test]
fn an_anthropic_login_reaches_no_other_provider() {
    let world = World::new(GPT);
    let answer = world.post("/v1/messages", &CLAUDE_LOGIN, &message("turnwise", "hello"));
    assert_eq!(answer.header("x-turnwise-model"), "openai:gpt-5", "{}", answer.body);
    let requests = world.mock.requests();
    let all = requests.iter().flat_map(|request| &request.headers);
    assert_eq!(all.filter(|(name, value)| name == "anthropic-beta" || value.contains("sk-ant-oat01")).count(), 0);
}

#[test]
fn a_chatgpt_login_is_forwarded_to_the_url_of_logins() {
    let world = World::wished(&Wish { policy: GPT, keyless: true, ..Wish::default() });
    assert_eq!(ask_codex(&world), 200);
    let requests = world.mock.requests();
    assert_eq!(requests[0].path, "/backend-api/codex/responses");
    for (name, value) in CODEX_LOGIN {
        assert_eq!(requests[0].header(name), Some(value));
    }
}

/// Codex reports an error at its start if the list has the format of the public API.
#[test]
fn a_chatgpt_login_gets_the_list_of_models_of_its_own_provider() {
    let world = World::wished(&Wish { policy: GPT, keyless: true, ..Wish::default() });
    let path = "/v1/models?client_version=0.169.0";
    let answer = world.send(&Method::GET, path, &CODEX_LOGIN, "");
    assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"models": []})));
    let requests = world.mock.requests();
    assert_eq!(
        (requests[0].method.as_str(), requests[0].path.as_str()),
        ("GET", "/backend-api/codex/models?client_version=0.169.0")
    );
    for (name, value) in CODEX_LOGIN {
        assert_eq!(requests[0].header(name), Some(value));
    }
    // Other clients, and a gateway with a key, get the models of the catalogue.
    let named = |answer: crate::support::Answered| answer.json()["data"][0]["id"].is_string();
    assert!(named(world.send(&Method::GET, path, &[], "")));
    assert!(named(World::new(GPT).send(&Method::GET, path, &CODEX_LOGIN, "")));
    assert_eq!(world.mock.requests().len(), 1);
}

#[test]
fn a_chatgpt_login_is_not_sent_beside_the_key_of_the_gateway() {
    let world = World::new(GPT);
    assert_eq!(ask_codex(&world), 200);
    let requests = world.mock.requests();
    assert_eq!((requests[0].path.as_str(), requests[0].header("chatgpt-account-id")), ("/v1/responses", None));
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-of-the-gateway"));
}

#[test]
fn a_request_in_an_unknown_encoding_is_refused() {
    let world = World::new(SONNET);
    let answer = world.post("/v1/messages", &[("content-encoding", "br")], &message("turnwise", "hello"));
    assert_eq!(answer.status, 415, "{}", answer.body);
    assert!(answer.body.contains("zstd"), "{}", answer.body);
}

#[test]
fn embeddings_are_forwarded_to_the_provider_of_their_model_and_not_recorded() {
    let response = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 27\r\n\r\n{\"object\":\"list\",\"data\":[]}";
    let world =
        World::wished(&Wish { policy: SONNET, upstream: Some(crate::support::canned(response)), ..Wish::default() });
    for model in ["text-embedding-3-small", "openai:text-embedding-3-small"] {
        let answer = world.post("/v1/embeddings", &[], &json!({ "model": model, "input": "hello" }));
        assert_eq!((answer.status.as_u16(), answer.json()["object"].as_str()), (200, Some("list")), "{}", answer.body);
    }
    let unknown = world.post("/v1/embeddings", &[], &json!({ "model": "nobody:some", "input": "hello" }));
    assert_eq!(unknown.status, 400);
    assert!(unknown.body.contains("`nobody` has no key"), "{}", unknown.body);
    let turns = world.send(&Method::GET, "/api/turns", &[], "").json();
    assert_eq!(turns["turns"], json!([]));
}
