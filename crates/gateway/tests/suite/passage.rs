//! Responses and requests: equal bytes within one API, equal meaning across APIs.

use contracts::events::LlmCallCompleted;
use hyper::Method;
use serde_json::{Value, json};

use crate::support::{Wish, World, message, streamed};

const SONNET: &str = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n";

#[test]
fn unknown_fields_betas_and_the_order_of_everything_pass_and_only_the_model_changes() {
    let world = World::new(SONNET);
    let body = "{\"max_tokens\": 1000, \"future\":{\"b\":1,\"a\":[ 2 ]},\n \"model\":\"claude-opus-4-8\",\
                \"messages\":[{\"content\":\"h\\u00e9llo\",\"role\":\"user\"}]}";
    let headers = [
        ("anthropic-beta", "future-2027-01-01"),
        ("anthropic-version", "2026-10-21"),
        ("x-api-key", "sk-of-the-client"),
    ];
    let answer = world.send(&Method::POST, "/v1/messages?beta=true", &headers, body);
    assert_eq!(answer.status, 200, "{}", answer.body);
    let requests = world.mock.requests();
    let sent = requests.last().unwrap();
    assert_eq!(sent.body.as_deref(), Some(body.replace("claude-opus-4-8", "claude-sonnet-5-5").as_str()));
    assert_eq!(sent.path, "/v1/messages?beta=true");
    assert_eq!(sent.header("anthropic-beta"), Some("future-2027-01-01"));
    assert_eq!(sent.header("anthropic-version"), Some("2026-10-21"));
    assert_eq!(sent.header("x-api-key"), Some(crate::support::KEY), "the key is the gateway's");
    assert!(sent.headers.iter().all(|(_, value)| !value.contains("sk-of-the-client")));
}

#[test]
fn a_stream_is_passed_on_event_by_event_and_counted() {
    let world = World::new(SONNET);
    let answer = world.post("/v1/messages", &[], &streamed("turnwise", "LONG:50"));
    assert_eq!(answer.body.matches("event: content_block_delta").count(), 50);
    assert!(answer.body.ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"));
    world.ended(1);
    let call = &world.events::<LlmCallCompleted>()[0];
    assert!(0 < call.usage.input && 0 < call.usage.output, "{call:?}");
}

#[test]
fn the_account_of_usage_is_asked_for_in_a_chat_stream_and_hidden_again() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: gpt-5.5\n");
    let mut body = json!({ "model": "gpt-5.5", "stream": true, "messages": [{ "role": "user", "content": "hi" }] });
    let answer = world.post("/v1/chat/completions", &[], &body);
    assert_eq!(world.last_sent()["stream_options"]["include_usage"], true);
    assert!(!answer.body.contains("usage") && answer.body.contains("[DONE]"), "{}", answer.body);
    world.ended(1);
    assert!(0 < world.events::<LlmCallCompleted>()[0].usage.output);
    // Likewise if the stream is converted from another API.
    let world_of_claude = World::new(SONNET);
    let answer = world_of_claude.post("/v1/chat/completions", &[], &body);
    assert!(!answer.body.contains("usage") && answer.body.contains("[DONE]"), "{}", answer.body);
    // A client that requests it receives it.
    body["stream_options"] = json!({ "include_usage": true });
    assert!(world.post("/v1/chat/completions", &[], &body).body.contains("\"usage\":{"));
}

#[test]
fn every_api_reaches_a_model_of_every_other_one() {
    let asks: [(&str, Value); 4] = [
        ("/v1/messages", message("turnwise", "hello")),
        ("/v1/chat/completions", json!({ "model": "turnwise", "messages": [{ "role": "user", "content": "hello" }] })),
        ("/v1/responses", json!({ "model": "turnwise", "input": "hello", "store": false })),
        (
            "/v1beta/models/turnwise:generateContent",
            json!({ "contents": [{ "role": "user", "parts": [{ "text": "hello" }] }] }),
        ),
    ];
    for (model, provider) in [("sonnet", "anthropic"), ("gpt-5.5", "openai"), ("gemini-3.1-pro-preview", "google")] {
        let world =
            World::new(&format!("schema_version: 1\ngateway: {{client_model: auto}}\nglobal_default: {model}\n"));
        for (path, body) in &asks {
            let answer = world.post(path, &[], body);
            assert_eq!(answer.status, 200, "{path} with {model}: {}", answer.body);
            assert!(answer.header("x-turnwise-model").starts_with(provider), "{path} with {model}");
            assert!(answer.body.contains("Hello"), "{path} with {model}: {}", answer.body);
        }
        world.ended(4);
        let calls = world.events::<LlmCallCompleted>();
        assert!(calls.iter().all(|call| 0 < call.usage.output && call.cost.is_some()), "{calls:?}");
    }
}

#[test]
fn a_client_of_gemini_is_refused_in_the_words_of_its_api() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let orphan = json!({ "functionResponse": { "name": "look_up", "response": { "output": "five" } } });
    let body = json!({ "contents": [{ "role": "user", "parts": [orphan] }] });
    let answer = world.post("/v1beta/models/turnwise:generateContent", &[], &body);
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("\"status\":\"INVALID_ARGUMENT\""), "{}", answer.body);
    assert!(answer.body.contains("unsupported_feature"), "{}", answer.body);
    assert_eq!(world.mock.count(), 0, "nothing was sent");
}

#[test]
fn what_cannot_be_said_in_the_other_api_is_rejected_in_the_chain_with_its_reason() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\n");
    let tool = json!({ "type": "custom", "name": "apply_patch", "format": { "type": "text" } });
    let body = json!({ "model": "turnwise", "input": "patch it", "store": false, "tools": [tool] });
    let answer = world.post("/v1/responses", &[], &body);
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("unsupported_feature"), "{}", answer.body);
    assert_eq!(world.mock.count(), 0, "nothing was sent");
    // The requested model supports the tool, and serves it if the policy allows that (decision D33).
    let body = json!({ "model": "gpt-5.5", "input": "patch it", "store": false, "tools": [tool] });
    let refused = world.post("/v1/responses", &[], &body);
    assert_eq!(refused.status, 400);
    assert!(refused.body.contains("gateway.last_resort: requested"), "{}", refused.body);
    world.set_policy(
        "schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: auto, last_resort: requested}\n",
    );
    let answer = world.post("/v1/responses", &[], &body);
    assert_eq!(answer.header("x-turnwise-policy"), "LAST_RESORT", "{}", answer.body);
    assert_eq!((answer.status.as_u16(), answer.header("x-turnwise-model")), (200, "openai:gpt-5.5"), "{}", answer.body);
}

#[test]
fn settings_that_the_other_api_does_not_have_are_known_before_choosing() {
    let policy = "schema_version: 1\nglobal_default: gpt-5.5\nrules: [{name: claude, when: {}, use: sonnet}]\n";
    let world = World::new(&format!("{policy}gateway: {{adapt: []}}\n"));
    let chat = |temperature: f64| {
        let body = json!({ "model": "turnwise", "temperature": temperature,
            "messages": [{ "role": "user", "content": "hello" }] });
        let answer = world.post("/v1/chat/completions", &[], &body);
        assert_eq!(answer.header("x-turnwise-fallbacks"), "", "nobody was asked in vain");
        answer.header("x-turnwise-model").to_owned()
    };
    assert_eq!(chat(1.0), "anthropic:claude-sonnet-5-5");
    assert_eq!(chat(1.5), "openai:gpt-5.5");
    world.set_policy(policy);
    assert_eq!(chat(1.5), "anthropic:claude-sonnet-5-5");
    let policy = "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: sonnet\nrules: [{name: gpt, when: {}, use: gpt-5.5}]\n";
    world.set_policy(policy);
    let stopping = |count: usize| {
        let mut body = message("turnwise", "hello");
        body["stop_sequences"] = json!(vec!["END"; count]);
        let answer = world.post("/v1/messages", &[], &body);
        assert_eq!(answer.header("x-turnwise-fallbacks"), "", "nobody was asked in vain");
        answer.header("x-turnwise-model").to_owned()
    };
    assert_eq!(stopping(4), "openai:gpt-5.5");
    assert_eq!(stopping(5), "anthropic:claude-sonnet-5-5");
}

#[test]
fn gemini_s_count_is_of_the_model_in_the_path_and_of_the_request_inside() {
    let world = World::new("schema_version: 1\ngateway: {client_model: auto}\nglobal_default: local\n");
    let contents = json!([{ "role": "user", "parts": [{ "text": "count me ".repeat(100) }] }]);
    let count = |model: &str, body: &Value| {
        let answer = world.post(&format!("/v1beta/models/{model}:countTokens"), &[], body);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["totalTokens"].as_u64().unwrap()
    };
    let bare = count("gemini-2.5-pro", &json!({ "contents": contents }));
    let request = json!({ "model": "models/gemini-2.5-pro", "contents": contents });
    assert_eq!(count("gemini-2.5-pro", &json!({ "generateContentRequest": request })), bare);
    // Other tokenizers count differently, that of the default too.
    assert_ne!(count("claude-opus-4-8", &json!({ "contents": contents })), bare);
    assert_ne!(count("unheard-of", &json!({ "contents": contents })), bare);
}

#[test]
fn a_provider_that_does_not_count_in_a_few_seconds_is_not_waited_for() {
    // It accepts connections and never responds.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let upstream = Some(format!("http://{}", silent.local_addr().unwrap()));
    let world = World::wished(&Wish { policy: SONNET, upstream, ..Wish::default() });
    let began = std::time::Instant::now();
    let answer = world.post("/v1/messages/count_tokens", &[], &message("claude-opus-4-8", "count me"));
    assert_eq!((answer.status.as_u16(), answer.header("x-turnwise-estimate")), (200, "true"));
    assert!(began.elapsed().as_secs() < 20, "the estimate came after {:?}", began.elapsed());
}

#[test]
fn mistral_is_asked_without_the_fields_that_it_refuses() {
    let own = "models: {\"mistral:large\": {context_window: 100000, aliases: [large]}}";
    let world = World::wished(&Wish {
        policy: "schema_version: 1\ngateway: {client_model: auto}\nglobal_default: large\n",
        mistral: true,
        models: Some(own),
        ..Wish::default()
    });
    let body = json!({ "model": "turnwise", "stream": true, "messages": [{ "role": "user", "content": "hi" }] });
    let answer = world.post("/v1/chat/completions", &[], &body);
    assert_eq!(answer.header("x-turnwise-model"), "mistral:large", "{}", answer.body);
    assert_eq!(world.last_sent().get("stream_options"), None);
    world.post("/v1/messages", &[], &streamed("turnwise", "hi"));
    let sent = world.last_sent();
    assert_eq!((sent.get("stream_options"), sent.get("max_completion_tokens")), (None, None));
    assert_eq!(sent["max_tokens"], 1_000);
}

#[test]
fn the_small_questions_of_clients_are_answered() {
    let world = World::new(SONNET);
    assert_eq!(world.send(&Method::HEAD, "/", &[], "").status, 200);
    let models = world.send(&Method::GET, "/v1/models?limit=1000", &[], "").json();
    let names: Vec<_> = models["data"].as_array().unwrap().iter().map(|model| model["id"].as_str().unwrap()).collect();
    assert!(names.contains(&"turnwise") && names.contains(&"claude-sonnet-5-5"), "{names:?}");
    let upgrade = [("connection", "upgrade"), ("upgrade", "websocket")];
    assert_eq!(world.send(&Method::GET, "/v1/responses", &upgrade, "").status, 426);
    let counted = world.post("/v1/messages/count_tokens", &[], &message("claude-opus-4-8", "count me"));
    assert!(0 < counted.json()["input_tokens"].as_u64().unwrap(), "{}", counted.body);
    world.set_policy("schema_version: 1\nglobal_default: sonnet\ngateway: {client_model: auto, count_tokens: local}\n");
    let sent = world.mock.count();
    let estimated = world.post("/v1/messages/count_tokens", &[], &message("claude-opus-4-8", "count me"));
    assert_eq!((estimated.header("x-turnwise-estimate"), world.mock.count()), ("true", sent));
    assert!(world.events::<contracts::events::TurnStarted>().is_empty(), "counting is no turn");
}
