//! For any body, inspection does not panic, and edits change only their range.

use contracts::WireApi;
use proptest::prelude::*;
use serde_json::{Value, json};
use wire::{
    Edit, apply_edits, inspect, remove_message_prefix, remove_signed_thinking, request_stream_usage, set_model,
};

use crate::bodies;

/// Returns bodies of each API, small enough for many runs.
fn samples() -> Vec<(WireApi, Value)> {
    let call = json!({"type": "tool_use", "id": "t", "name": "Read", "input": {"path": "a.rs"}});
    let result = json!({"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "ok"}]});
    let messages = [
        json!({"role": "user", "content": bodies::reminded("@opus \"fix\" it é\u{1F600}")}),
        json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "c2ln"}, call]}),
        json!({"role": "user", "content": [result]}),
    ];
    vec![
        (WireApi::AnthropicMessages, bodies::claude_code(&messages, 1)),
        (WireApi::OpenAiChat, bodies::aider("fix it")),
        (WireApi::OpenAiChat, bodies::small_chat()),
        (WireApi::OpenAiChat, bodies::opencode_title()),
        (WireApi::Gemini, bodies::gemini_cli_router("fix it")),
        (
            WireApi::OpenAiResponses,
            json!({"model": "m", "input": [
                {"type": "reasoning", "summary": [], "encrypted_content": "eA"},
                {"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,AA"}]},
                {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "ok"}]},
            ]}),
        ),
    ]
}

/// Parses a body.
fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap()
}

/// Returns a body with the edits applied.
fn edited(body: &str, edits: impl IntoIterator<Item = Edit>) -> Vec<u8> {
    apply_edits(body.as_bytes(), edits.into_iter().collect())
}

/// Inspects a body and applies all edits to it, which must result in JSON.
fn exercise(api: WireApi, body: &[u8]) {
    let Ok(read) = inspect(api, body) else { return };
    let mut edits: Vec<_> = set_model(&read, "another").into_iter().collect();
    edits.extend(request_stream_usage(body, &read));
    edits.extend(read.user_messages.first().and_then(|message| remove_message_prefix(body, message, 1)));
    edits.extend(remove_signed_thinking(body, &read));
    // The result is JSON.
    serde_json::from_slice::<serde::de::IgnoredAny>(&apply_edits(body, edits)).unwrap();
}

/// Bodies with wrong types, repeated fields or deep nesting result in a summary or an error.
#[test]
fn hostile_bodies_are_refused_or_read_and_never_panic() {
    let deep = |open: &str, close: &str, depth: usize| format!("{}{}", open.repeat(depth), close.repeat(depth));
    for body in [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        r#"{"messages":null}"#.to_owned(),
        r#"{"messages":[null]}"#.to_owned(),
        r#"{"messages":[{}],"input":[{}],"contents":[{}]}"#.to_owned(),
        r#"{"messages":[{"content":[[]],"role":7}],"input":7,"contents":[{"parts":[7]}]}"#.to_owned(),
        r#"{"messages":[],"messages":[]}"#.to_owned(),
        format!(r#"{{"messages":{}}}"#, deep("[", "]", 100_000)),
        format!(r#"{{"contents":{}}}"#, deep(r#"[{"parts":"#, "}]", 100_000)),
        format!(
            r#"{{"messages":[{{"role":"user","content":{}}}]}}"#,
            deep(r#"[{"type":"tool_result","content":"#, "}]", 60)
        ),
    ] {
        for api in WireApi::ALL {
            exercise(api, body.as_bytes());
        }
    }
    assert!(inspect(WireApi::OpenAiChat, b"{\"messages\":[],\"x\":\"\xff\"}").is_err());
}

#[test]
fn a_field_that_is_there_twice_is_refused_however_it_is_written() {
    let body = r#"{"model":"cheap","messages":[],"mod\u0065l":"dear"}"#;
    let error = inspect(WireApi::OpenAiChat, body.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "the request body has `model` twice");
}

#[test]
fn errors_say_where_and_never_what_was_written() {
    let error = |body: &str| inspect(WireApi::OpenAiChat, body.as_bytes()).unwrap_err().to_string();
    assert_eq!(
        error(r#"{"messages":[] "secret"}"#),
        "the request body is not JSON: no comma between values at byte 15"
    );
    assert_eq!(error("{}"), "the request body has no `messages`");
    assert_eq!(error("[\"secret\"]"), "the request body is not a JSON object");
    assert_eq!(error(r#"{"messages":"secret"}"#), "`messages` in the request body is not a list");
}

/// Generates a JSON value, nested up to three levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), ".{0,12}".prop_map(Value::from)];
    leaf.prop_recursive(3, 20, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z_]{1,6}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

/// Generates a content block of the model: signed thinking, a text or a tool call.
fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"})),
        Just(json!({"type": "redacted_thinking", "data": "eA"})),
        "[a-z]{1,5}".prop_map(|text| json!({"type": "text", "text": text})),
        Just(json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}})),
    ]
}

/// Generates a message of the user, with a text or a tool result, or of the model.
fn message() -> impl Strategy<Value = Value> {
    prop_oneof![
        "[a-z]{1,5}".prop_map(|text| json!({"role": "user", "content": text})),
        Just(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]})),
        prop::collection::vec(block(), 0..4).prop_map(|blocks| json!({"role": "assistant", "content": blocks})),
    ]
}

/// Returns the expected messages after removing signed thinking, computed on parsed values.
fn without_thinking(messages: &[Value]) -> Vec<Value> {
    let is_thinking = |block: &Value| block["type"] == "thinking" || block["type"] == "redacted_thinking";
    let last = messages.iter().rposition(|message| message["content"].is_string()).unwrap_or(0);
    let mut kept = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let mut message = message.clone();
        if index < last
            && let Some(blocks) = message["content"].as_array_mut()
        {
            let before = blocks.len();
            blocks.retain(|block| !is_thinking(block));
            if before > 0 && blocks.is_empty() {
                continue;
            }
        }
        kept.push(message);
    }
    kept
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn garbled_bodies_never_panic(
        which in 0_usize..6, at in any::<usize>(), byte in any::<u8>(), end in any::<usize>(), cut in any::<bool>(),
    ) {
        let (_, body) = samples().swap_remove(which);
        let mut body = body.to_string().into_bytes();
        let length = body.len();
        body[at % length] = byte;
        if cut {
            body.truncate(end % length);
        }
        for api in WireApi::ALL {
            exercise(api, &body);
        }
    }

    #[test]
    fn strange_values_anywhere_never_panic(which in 0_usize..6, at in any::<usize>(), strange in any_json()) {
        let (api, mut body) = samples().swap_remove(which);
        let pointers = pointers(&body, String::new());
        let pointer = &pointers[at % pointers.len()];
        *body.pointer_mut(pointer).unwrap() = strange;
        exercise(api, body.to_string().as_bytes());
    }

    #[test]
    fn a_renamed_model_is_all_that_changes(strange in any_json(), name in ".{0,12}", first in any::<bool>()) {
        for (api, mut body) in samples() {
            if first { body["model"].take(); body.as_object_mut().unwrap().shift_remove("model"); }
            body["strange"] = strange.clone();
            let text = body.to_string();
            let read = inspect(api, text.as_bytes()).unwrap();
            let mut after = parsed(&edited(&text, set_model(&read, &name)));
            if api != WireApi::Gemini {
                prop_assert_eq!(after["model"].as_str(), Some(name.as_str()));
                after["model"] = Value::Null;
                body["model"] = Value::Null;
            }
            prop_assert_eq!(after, body);
        }
    }

    #[test]
    fn an_override_is_all_that_is_cut(alias in "@[a-zé\u{1F600}]{1,6} ", text in "[a-z\"\\\\é]{1,10}") {
        let typed = format!("{alias}{text}");
        let body = json!({"messages": [{"role": "user", "content": [{"type": "text", "text": typed}]}]}).to_string();
        let read = inspect(WireApi::AnthropicMessages, body.as_bytes()).unwrap();
        prop_assert_eq!(&read.user_messages[0].text, &typed);
        let edit = remove_message_prefix(body.as_bytes(), &read.user_messages[0], alias.len()).unwrap();
        let after = parsed(&edited(&body, [edit]));
        prop_assert_eq!(&after["messages"][0]["content"][0]["text"], &Value::from(text));
    }

    #[test]
    fn signed_thinking_goes_from_turns_that_are_over_and_from_nowhere_else(
        messages in prop::collection::vec(message(), 0..8),
    ) {
        let body = json!({"model": "m", "messages": messages}).to_string();
        let read = inspect(WireApi::AnthropicMessages, body.as_bytes()).unwrap();
        let after = parsed(&edited(&body, remove_signed_thinking(body.as_bytes(), &read)));
        prop_assert_eq!(&after["messages"], &Value::from(without_thinking(&messages)));
    }
}

/// Returns the JSON pointers to a value and to all values in it; `base` is the pointer to the value itself.
fn pointers(value: &Value, base: String) -> Vec<String> {
    let mut found = Vec::new();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                found.extend(pointers(member, format!("{base}/{}", name.replace('~', "~0").replace('/', "~1"))));
            }
        }
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                found.extend(pointers(element, format!("{base}/{index}")));
            }
        }
        _ => {}
    }
    found.push(base);
    found
}
