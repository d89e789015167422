//! Edits change their range and nothing else.

use contracts::WireApi;
use serde_json::{Value, json};

use super::{
    Edit, apply_edits, removal_edits, remove_message_prefix, remove_signed_thinking, request_stream_usage, set_model,
};
use crate::inspect;

/// Returns `body` with the edits applied.
fn edited(body: &str, edits: impl IntoIterator<Item = Edit>) -> String {
    String::from_utf8(apply_edits(body.as_bytes(), edits.into_iter().collect())).unwrap()
}

#[test]
fn a_model_is_renamed_and_all_else_stays() {
    let body = r#"{ "messages" : [] ,"model":"tu\u0072n\"wise", "odd": [1.50, {"model": "x"}] }"#;
    let read = inspect(WireApi::AnthropicMessages, body.as_bytes()).unwrap();
    assert_eq!(read.model.as_deref(), Some("turn\"wise"));
    let expected = r#"{ "messages" : [] ,"model":"claude \"5\"", "odd": [1.50, {"model": "x"}] }"#;
    assert_eq!(edited(body, set_model(&read, "claude \"5\"")), expected);
}

#[test]
fn a_body_without_a_model_gets_one() {
    let read = inspect(WireApi::OpenAiChat, br#"{"messages":[]}"#).unwrap();
    assert_eq!(edited(r#"{"messages":[]}"#, set_model(&read, "m")), r#"{"model":"m","messages":[]}"#);
    let read = inspect(WireApi::Gemini, br#"{"contents":[]}"#).unwrap();
    assert_eq!(set_model(&read, "m"), None);
}

/// A model override is removed by its decoded length, also if its characters are escaped; there is no edit if the
/// length ends within a character or exceeds the text.
#[test]
fn an_override_is_cut_out_of_the_raw_text_whatever_its_escapes() {
    let check = |content: &str, bytes: usize, expected: Option<&str>| {
        let body = format!(r#"{{"messages":[{{"role":"user","content":{content}}}],"model":"m"}}"#);
        let read = inspect(WireApi::OpenAiChat, body.as_bytes()).unwrap();
        let edit = remove_message_prefix(body.as_bytes(), &read.user_messages[0], bytes);
        let found = edit.map(|edit| {
            let value: Value = serde_json::from_str(&edited(&body, [edit])).unwrap();
            value["messages"][0]["content"].as_str().unwrap().to_owned()
        });
        assert_eq!(found.as_deref(), expected, "{content}");
    };
    check(r#""@opus fix it""#, 6, Some("fix it"));
    check(r#""\u0040opus\u0020fix \"it\"""#, 6, Some("fix \"it\""));
    check(r#""@opus\nfix it""#, 6, Some("fix it"));
    check(r#""é\ud83d\ude00x""#, 6, Some("x"));
    check(r#""é\ud83d\ude00x""#, 3, None);
    check(r#""@opus""#, 99, None);
    check(
        r#""<system-reminder>\nnote</system-reminder>\n@opus fix""#,
        6,
        Some("<system-reminder>\nnote</system-reminder>\nfix"),
    );
}

/// Usage is requested in a stream that does not request it, whether `stream_options` is missing, `null` or an object.
#[test]
fn usage_is_asked_for_where_it_was_not() {
    let check = |options: &str, expected: &str| {
        let body = format!(r#"{{"messages":[],"stream":true{options}}}"#);
        let read = inspect(WireApi::OpenAiChat, body.as_bytes()).unwrap();
        assert_eq!(edited(&body, request_stream_usage(body.as_bytes(), &read)), expected);
    };
    check("", r#"{"stream_options":{"include_usage":true},"messages":[],"stream":true}"#);
    check(r#","stream_options":null"#, r#"{"messages":[],"stream":true,"stream_options":{"include_usage":true}}"#);
    check(r#","stream_options":{}"#, r#"{"messages":[],"stream":true,"stream_options":{"include_usage":true}}"#);
    let other = r#","stream_options":{ "include_obfuscation":false}"#;
    let both = r#"{"messages":[],"stream":true,"stream_options":{"include_usage":true, "include_obfuscation":false}}"#;
    check(other, both);
    let no = r#","stream_options":{"include_usage": false }"#;
    check(no, r#"{"messages":[],"stream":true,"stream_options":{"include_usage": true }}"#);
    let yes = r#","stream_options":{"include_usage":true}"#;
    check(yes, r#"{"messages":[],"stream":true,"stream_options":{"include_usage":true}}"#);
    let whole = inspect(WireApi::OpenAiChat, br#"{"messages":[]}"#).unwrap();
    assert_eq!(request_stream_usage(br#"{"messages":[]}"#, &whole), None);
}

/// The list is valid JSON after removing any of its elements.
#[test]
fn elements_are_cut_with_one_comma_each() {
    let list = "[a, b ,c,  d]";
    let spans = [1..2, 4..5, 7..8, 11..12];
    for (gone, expected) in [
        ([false, false, false, false], "[a, b ,c,  d]"),
        ([true, false, false, false], "[b ,c,  d]"),
        ([false, true, true, false], "[a,  d]"),
        ([true, true, false, true], "[c]"),
        ([false, false, false, true], "[a, b ,c]"),
        ([true, true, true, true], "[]"),
    ] {
        let parts: Vec<_> = spans.iter().cloned().zip(gone).collect();
        assert_eq!(edited(list, removal_edits(&parts)), expected, "{gone:?}");
    }
}

/// Returns the request body without the signed thinking of finished turns.
#[track_caller]
fn unsigned(api: WireApi, body: &Value) -> Value {
    let body = body.to_string();
    let read = inspect(api, body.as_bytes()).unwrap();
    serde_json::from_str(&edited(&body, remove_signed_thinking(body.as_bytes(), &read))).unwrap()
}

#[test]
fn anthropic_s_thinking_goes_from_turns_that_are_over_and_stays_in_the_running_one() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Bash", "input": {}});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
    let body = json!({"model": "m", "messages": [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [thinking, {"type": "redacted_thinking", "data": "eA"}, call("a")]},
        {"role": "user", "content": [result("a")]},
        {"role": "assistant", "content": [thinking]},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": [thinking, call("b")]},
        {"role": "user", "content": [result("b")]},
    ]});
    let expected = json!({"model": "m", "messages": [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [call("a")]},
        {"role": "user", "content": [result("a")]},
        {"role": "user", "content": "two"},
        {"role": "assistant", "content": [thinking, call("b")]},
        {"role": "user", "content": [result("b")]},
    ]});
    assert_eq!(unsigned(WireApi::AnthropicMessages, &body), expected);
}

#[test]
fn encrypted_reasoning_of_responses_goes_from_turns_that_are_over() {
    let reasoning = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"});
    let open = json!({"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": null});
    let user = |text: &str| json!({"role": "user", "content": [{"type": "input_text", "text": text}]});
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let body = json!({"input": [reasoning, user("one"), reasoning, open, call, user("two"), reasoning, call]});
    let expected = json!({"input": [user("one"), open, call, user("two"), reasoning, call]});
    assert_eq!(unsigned(WireApi::OpenAiResponses, &body), expected);
}

#[test]
fn gemini_s_thoughts_and_signatures_go_from_turns_that_are_over() {
    let call = json!({"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2ln"});
    let thought = json!({"text": "hm", "thought": true, "thoughtSignature": "c2ln"});
    let user = |text: &str| json!({"role": "user", "parts": [{"text": text}]});
    let body = json!({"contents": [
        user("one"), {"role": "model", "parts": [thought, call]}, {"role": "model", "parts": [thought]},
        user("two"), {"role": "model", "parts": [call]},
    ]});
    let expected = json!({"contents": [
        user("one"), {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        user("two"), {"role": "model", "parts": [call]},
    ]});
    assert_eq!(unsigned(WireApi::Gemini, &body), expected);
}

#[test]
fn reasoning_of_chat_completions_goes_from_turns_that_are_over() {
    let answer =
        json!({"role": "assistant", "reasoning_content": "hm", "content": "yes", "reasoning_details": [{"x": 1}]});
    let user = |text: &str| json!({"role": "user", "content": text});
    let body = json!({"messages": [user("one"), answer, user("two"), answer]});
    let expected = json!({"messages": [user("one"), {"role": "assistant", "content": "yes"}, user("two"), answer]});
    assert_eq!(unsigned(WireApi::OpenAiChat, &body), expected);
}
