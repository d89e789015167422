//! Requests that start a turn are distinguished from requests that continue one, whatever texts clients inject.

use std::borrow::Cow;

use contracts::WireApi;
use serde_json::{Value, json};
use wire::inspect;

/// Returns the user's messages, whether the request continues a turn, and the calls with results.
fn turn(api: WireApi, body: &Value) -> (Vec<String>, bool, Vec<String>) {
    let body = body.to_string();
    let read = inspect(api, body.as_bytes()).unwrap();
    let messages = read.user_messages.iter().map(|message| message.text.clone().into_owned()).collect();
    let calls = read.tool_results.iter().map(|result| result.call_id.clone().into_owned()).collect();
    (messages, read.continues_turn, calls)
}

/// Checks the user's messages, whether the request continues a turn, and the calls with results, for a Messages
/// request.
#[track_caller]
fn claude(messages: &Value, expected: &[&str], continues: bool, calls: &[&str]) {
    let found = turn(WireApi::AnthropicMessages, &json!({"messages": messages}));
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(found, (owned(expected), continues, owned(calls)));
}

/// Returns a text block.
fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// Returns a tool result for the call with this id.
fn result(id: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
}

/// Returns a message of the user.
fn user(blocks: &[Value]) -> Value {
    json!({"role": "user", "content": blocks})
}

/// Returns a message of the model that calls a tool with the id `t`.
fn assistant() -> Value {
    json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]})
}

#[test]
fn texts_beside_a_tool_s_result_are_the_client_s() {
    let skill = user(&[result("t"), text("Base directory for this skill: /home/dev/.claude/skills/x")]);
    claude(&json!([user(&[text("use x")]), assistant(), skill]), &["use x"], true, &["t"]);
}

/// A text after an interruption is a message of the user and starts a turn.
#[test]
fn whoever_breaks_in_begins_another_turn() {
    let broken = user(&[result("t"), text("[Request interrupted by user for tool use]"), text("do y instead")]);
    claude(&json!([user(&[text("do x")]), assistant(), broken]), &["do x", "do y instead"], false, &["t"]);
    let early = user(&[text("do x"), text("[Request interrupted by user]"), text("do y")]);
    claude(&json!([early]), &["do x", "do y"], false, &[]);
}

/// A notification of a background task continues the turn.
#[test]
fn news_of_a_background_task_goes_on_with_the_turn() {
    let news = user(&[text("<task-notification>\n<task-id>b1</task-id>\n</task-notification>")]);
    claude(&json!([user(&[text("wait for it")]), assistant(), news]), &["wait for it"], true, &[]);
}

/// A command is recorded as typed, without the prompt that it expands to; a command that the client executed is not
/// recorded.
#[test]
fn a_command_is_what_was_typed_and_a_local_one_is_none() {
    let command = "<command-message>commit</command-message>\n<command-name>/commit</command-name>\n<command-args>all</command-args>";
    claude(&json!([user(&[text(command), text("Make a commit of what changed.")])]), &["/commit all"], false, &[]);
    let local = [
        text("<command-name>/model</command-name>"),
        text("<local-command-stdout>Set model</local-command-stdout>"),
        text("now go on"),
    ];
    claude(&json!([user(&local)]), &["now go on"], false, &[]);
}

#[test]
fn a_prefilled_answer_and_late_system_messages_do_not_hide_the_turn() {
    let prefilled = json!([user(&[text("count")]), {"role": "assistant", "content": "1, 2,"}]);
    claude(&prefilled, &["count"], false, &[]);
    let late = json!([user(&[text("go")]), {"role": "system", "content": "Agents: none"}]);
    claude(&late, &["go"], false, &[]);
}

/// If the user typed nothing, the last injected text is the message.
#[test]
fn a_request_of_nothing_but_a_client_s_text_counts_with_it() {
    let note = "<system-reminder>\nonly this\n</system-reminder>";
    claude(&json!([user(&[text(note)])]), &[note], false, &[]);
    claude(&json!([user(&[text(note)]), user(&[text("hi")])]), &["hi"], false, &[]);
}

#[test]
fn an_image_without_a_word_is_a_message() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}});
    let body = json!({"messages": [user(&[text("<system-reminder>\nx\n</system-reminder>"), image])]}).to_string();
    let read = inspect(WireApi::AnthropicMessages, body.as_bytes()).unwrap();
    assert!(read.last_message_has_images && read.needs.images);
    assert_eq!(read.user_messages.len(), 1);
}

#[test]
fn tools_that_answered_several_calls_are_all_named() {
    let chat = json!({"messages": [
        {"role": "user", "content": "do both"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
            {"id": "b", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "a", "content": "1"},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]});
    let found = turn(WireApi::OpenAiChat, &chat);
    assert_eq!(found, (vec!["do both".to_owned()], true, vec!["a".to_owned(), "b".to_owned()]));
}

/// Returns the ids of the calls in a conversation; `None` in APIs without call ids.
fn calls(api: WireApi, body: &Value) -> Option<Vec<String>> {
    let body = body.to_string();
    let read = inspect(api, body.as_bytes()).unwrap();
    read.call_ids.map(|calls| calls.into_iter().map(Cow::into_owned).collect())
}

/// The ids of calls and of results without a call are recorded, each once.
#[test]
fn the_calls_in_a_history_are_known_by_their_ids_or_else_by_their_results() {
    let messages = json!({"messages": [user(&[text("do x")]), assistant(), user(&[result("t"), result("left")])]});
    assert_eq!(calls(WireApi::AnthropicMessages, &messages).unwrap(), ["left", "t"]);
    let chat = json!({"messages": [
        {"role": "user", "content": "do both"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}},
        ]},
        {"role": "tool", "tool_call_id": "b", "content": "2"},
    ]});
    assert_eq!(calls(WireApi::OpenAiChat, &chat).unwrap(), ["a", "b"]);
    let responses = json!({"input": [
        {"role": "user", "content": "do both"},
        {"type": "function_call", "id": "item", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "b", "name": "g", "input": "x"},
        {"type": "function_call_output", "call_id": "c", "output": "1"},
    ]});
    assert_eq!(calls(WireApi::OpenAiResponses, &responses).unwrap(), ["a", "b", "c"]);
    assert_eq!(calls(WireApi::OpenAiChat, &json!({"messages": []})), Some(Vec::new()));
}

/// Gemini's calls need no ids, so none are recorded.
#[test]
fn gemini_s_calls_need_no_ids_so_none_are_given() {
    let contents = json!({"contents": [
        {"role": "user", "parts": [{"text": "look"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "a", "name": "ls", "args": {}}}]},
    ]});
    assert_eq!(calls(WireApi::Gemini, &contents), None);
}

/// The extensions of the files in the texts of tool results, of all APIs and both forms of content.
#[test]
fn tool_results_name_files() {
    let output = "db/schema.sql:3: \"create\"\nCargo.toml\n";
    let call = json!({"id": "t", "type": "function", "function": {"name": "Bash", "arguments": "{}"}});
    let parts = json!([{"type": "text", "text": output}]);
    let messages = |content: &Value| {
        let result = json!({"type": "tool_result", "tool_use_id": "t", "content": content});
        json!({"messages": [user(&[text("x")]), assistant(), user(&[result])]})
    };
    let chat = |content: &Value| {
        let result = json!({"role": "tool", "tool_call_id": "t", "content": content});
        json!({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}, result]})
    };
    let responses = json!({"input": [
        {"role": "user", "content": "x"}, {"type": "function_call", "call_id": "t", "name": "Bash", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "t", "output": output},
    ]});
    let gemini = json!({"contents": [
        {"role": "user", "parts": [{"text": "x"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "Bash", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "Bash", "response": {"output": output}}}]},
    ]});
    for (api, body) in [
        (WireApi::AnthropicMessages, messages(&json!(output))),
        (WireApi::AnthropicMessages, messages(&parts)),
        (WireApi::OpenAiChat, chat(&json!(output))),
        (WireApi::OpenAiChat, chat(&parts)),
        (WireApi::OpenAiResponses, responses),
        (WireApi::Gemini, gemini),
    ] {
        let body = body.to_string();
        let read = inspect(api, body.as_bytes()).unwrap();
        let found: Vec<_> = read.tool_results.iter().flat_map(wire::ToolResult::file_extensions).collect();
        assert_eq!(found, [".sql", ".toml"], "{body}");
    }
    let nothing = messages(&json!([])).to_string();
    let read = inspect(WireApi::AnthropicMessages, nothing.as_bytes()).unwrap();
    assert!(read.tool_results[0].file_extensions().is_empty());
}
