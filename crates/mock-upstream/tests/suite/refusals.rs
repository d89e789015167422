//! Requests that the mock rejects, with the messages of the providers.

use serde_json::{Value, json};

use crate::support::{CHAT, MESSAGES, RESPONSES, first_requests, send, send_with_headers, start_mock};

/// Asserts that each request is rejected with a message that contains the text.
#[track_caller]
fn assert_rejected(path: &str, cases: &[(Value, &str)]) {
    let mock = start_mock();
    for (body, words) in cases {
        let answer = send(&mock, path, body);
        assert_eq!(answer.status, 400, "{words}: {}", answer.text);
        let message = answer.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(words), "{words}: {message}");
    }
}

#[test]
fn messages_are_checked_as_anthropic_does() {
    let say = |messages: Value| json!({"model": "m", "max_tokens": 9, "messages": messages});
    let call = json!({"type": "tool_use", "id": "t", "name": "look", "input": {}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "x"});
    let thought = |signature: &str| json!({"type": "thinking", "thinking": "t", "signature": signature});
    let (user, assistant) = (
        |content: Value| json!({"role": "user", "content": content}),
        |content: Value| json!({"role": "assistant", "content": content}),
    );
    assert_rejected(
        MESSAGES,
        &[
            (json!({"model": "m", "messages": [user(json!("hi"))]}), "max_tokens: Field required"),
            (json!({"max_tokens": 9, "messages": [user(json!("hi"))]}), "model: Field required"),
            (json!({"model": "m", "max_tokens": 9}), "messages: Field required"),
            (say(json!([user(json!([result]))])), "unexpected `tool_use_id`"),
            (say(json!([user(json!("hi")), assistant(json!([call]))])), "without `tool_result`"),
            (say(json!([user(json!("hi")), assistant(json!([call])), user(json!("go on"))])), "without `tool_result`"),
            (
                say(json!([user(json!("hi")), assistant(json!([thought("sig:other")])), user(json!("on"))])),
                "Invalid `signature`",
            ),
            (
                say(json!([user(json!("hi")), assistant(json!([thought("")])), user(json!("on"))])),
                "Invalid `signature`",
            ),
            (say(json!([user(json!([{"type": "text", "text": ""}]))])), "non-empty"),
            (say(json!([{"role": "system", "content": "x"}, user(json!("hi"))])), "role"),
            (
                json!({"model": "m", "max_tokens": 9, "stream_options": {}, "messages": [user(json!("hi"))]}),
                "stream_options",
            ),
            (
                json!({"model": "m", "max_tokens": 9, "thinking": {"type": "enabled", "budget_tokens": 2000}, "messages": [user(json!("hi"))]}),
                "budget_tokens",
            ),
        ],
    );
}

#[test]
fn own_thinking_and_a_system_message_with_the_beta_header_are_accepted() {
    let mock = start_mock();
    let body = json!({"model": "m", "max_tokens": 9, "messages": [
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "agents"},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "t", "signature": "sig:m"}, {"type": "text", "text": "x"}]},
        {"role": "user", "content": "on"},
    ]});
    let headers =
        [("x-api-key", "k"), ("anthropic-version", "1"), ("anthropic-beta", "a,mid-conversation-system-2026-04-07")];
    let answer = send_with_headers(&mock, MESSAGES, &body, &headers);
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[test]
fn chat_is_checked_as_openai_does() {
    let say = |messages: Value| json!({"model": "m", "messages": messages});
    let call = json!({"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
    assert_rejected(
        CHAT,
        &[
            (json!({"messages": [{"role": "user", "content": "hi"}]}), "model"),
            (say(json!([{"role": "tool", "tool_call_id": "c", "content": "x"}])), "preceeding message"),
            (say(json!([call, {"role": "user", "content": "x"}])), "must be followed by tool messages"),
            (say(json!([{"role": "assistant", "content": null}])), "expected a string"),
            (say(json!([{"role": "robot", "content": "x"}])), "Supported values"),
            (
                json!({"model": "m", "stream_options": {"include_usage": true}, "messages": [{"role": "user", "content": "hi"}]}),
                "stream_options",
            ),
            (json!({"model": "m", "system": "x", "messages": [{"role": "user", "content": "hi"}]}), "system"),
            (
                json!({"model": "m", "tools": [{"name": "f"}], "messages": [{"role": "user", "content": "hi"}]}),
                "Supported values",
            ),
        ],
    );
}

#[test]
fn responses_are_checked_as_openai_does() {
    let say = |input: Value| json!({"model": "m", "input": input});
    let hi = json!({"role": "user", "content": "hi"});
    assert_rejected(
        RESPONSES,
        &[
            (json!({"model": "m"}), "input"),
            (say(json!([])), "must be provided"),
            (say(json!([{"type": "function_call_output", "call_id": "c", "output": "x"}])), "No tool call found"),
            (
                say(json!([hi, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}])),
                "No tool output found",
            ),
            (
                say(json!([hi, {"type": "reasoning", "summary": [], "encrypted_content": "sig:other"}, hi])),
                "could not be verified",
            ),
            (say(json!([{"role": "user", "content": [{"type": "text", "text": "hi"}]}])), "Invalid value"),
            (json!({"model": "m", "input": "hi", "messages": []}), "messages"),
        ],
    );
}

#[test]
fn contents_are_checked_as_google_does() {
    let call = |signature: Option<&str>| {
        let mut part = json!({"functionCall": {"name": "f", "args": {}}});
        if let Some(signature) = signature {
            part["thoughtSignature"] = json!(signature);
        }
        json!({"contents": [
            {"role": "user", "parts": [{"text": "hi"}]},
            {"role": "model", "parts": [part]},
            {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]},
        ]})
    };
    let path = "/v1beta/models/gemini-3-pro:generateContent";
    assert_rejected(
        path,
        &[
            (json!({"contents": []}), "contents"),
            (json!({"contents": [{"role": "assistant", "parts": [{"text": "x"}]}]}), "valid role"),
            (
                json!({"contents": [{"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {}}}]}]}),
                "function response parts",
            ),
            (call(None), "missing a thought_signature"),
            (call(Some("sig:gemini-2.5-pro")), "not valid"),
            (
                json!({"contents": [{"parts": [{"text": "x"}]}], "tools": [{"functionDeclarations": [{"name": "f", "parameters": {"$schema": "x"}}]}]}),
                "$schema",
            ),
        ],
    );
    let mock = start_mock();
    for signature in ["sig:gemini-3-pro", "skip_thought_signature_validator"] {
        assert_eq!(send(&mock, path, &call(Some(signature))).status, 200, "{signature}");
    }
}

#[test]
fn requests_without_credentials_are_rejected() {
    let mock = start_mock();
    for (path, body) in first_requests("hi", false) {
        let answer = send_with_headers(&mock, &path, &body, &[("anthropic-version", "2023-06-01")]);
        assert_eq!(answer.status, 401, "{path}");
        assert!(answer.json()["error"]["message"].is_string());
    }
}

#[test]
fn a_model_that_does_not_exist_is_not_found_in_every_api() {
    let mock = start_mock();
    for (path, mut body) in first_requests("hi", false) {
        let path = path.replace("/m:", "/no-such-model:");
        if body.get("model").is_some() {
            body["model"] = json!("no-such-model");
        }
        let answer = send(&mock, &path, &body);
        assert_eq!(answer.status, 404, "{path}");
        let error = &answer.json()["error"];
        let kind = error["type"].as_str().or(error["status"].as_str()).unwrap();
        assert!(["not_found_error", "invalid_request_error", "NOT_FOUND"].contains(&kind), "{kind}");
    }
}

#[test]
fn invalid_json_is_rejected_in_every_api() {
    let mock = start_mock();
    for (path, _) in first_requests("hi", false) {
        assert_eq!(send(&mock, &path, &json!("text")).status, 400, "{path}");
    }
}
