//! Tool calls of chat completions whose deltas arrive in an unusual order, converted to Messages, in which one block is
//! open at a time.

use contracts::WireApi;
use serde_json::{Value, json};
use wire::ConvertError;

use super::{
    client,
    provider::Sent,
    story::{Said, Stop, Story},
    streams::converted,
};

/// The conversion from chat completions to Messages.
const PAIR: (WireApi, WireApi) = (WireApi::OpenAiChat, WireApi::AnthropicMessages);

/// Writes a stream with these deltas and this finish reason.
fn stream(deltas: &[Value], finish: &str) -> String {
    let mut stream = Sent::default();
    for delta in deltas {
        stream.data(&json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]}));
    }
    stream.data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}));
    stream.raw("data: [DONE]\n\n");
    String::from_utf8(stream.into_bytes()).unwrap()
}

/// Returns the first delta of a tool call in a stream of chat completions.
fn begin(index: u64, id: &str, arguments: &str) -> Value {
    let function = json!({"name": "run", "arguments": arguments});
    json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
}

/// Returns a delta with more arguments of a tool call.
fn more(index: u64, arguments: &str) -> Value {
    json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]})
}

/// Returns the call of the tool `run` that the client is expected to receive.
fn run(id: &str, command: &str) -> Said {
    Said::Call { id: id.to_owned(), name: "run".to_owned(), arguments: json!({"command": command}) }
}

/// Returns the text that the client is expected to receive.
fn text(text: &str) -> Said {
    Said::Text(text.to_owned())
}

/// Checks the blocks that the client receives from a stream with these deltas.
#[track_caller]
fn check(deltas: &[Value], said: &[Said]) {
    let (out, result) = converted(PAIR, [stream(deltas, "tool_calls").as_bytes()]);
    assert_eq!(result, Ok(()));
    let Story { said: told, stop, .. } = client::told(PAIR.1, &out);
    assert_eq!(told, said);
    assert_eq!(stop, Stop::ToolUse);
}

#[test]
fn calls_that_take_turns_come_one_after_the_other() {
    check(
        &[
            begin(0, "call_a", "{\"comm"),
            begin(1, "call_b", ""),
            more(1, "{\"command\""),
            more(0, "and\": \"ls\"}"),
            more(1, ": \"pwd\"}"),
        ],
        &[run("call_a", "ls"), run("call_b", "pwd")],
    );
}

#[test]
fn text_in_the_middle_of_a_call_comes_behind_it() {
    check(
        &[begin(0, "call_a", "{\"command\":"), json!({"content": "Running."}), more(0, " \"ls\"}")],
        &[run("call_a", "ls"), text("Running.")],
    );
}

/// Text after a call with complete arguments is written before the call is closed.
#[test]
fn text_behind_a_complete_call_is_shown_at_once() {
    let so_far = stream(&[begin(0, "call_a", "{\"command\": \"ls\"}"), json!({"content": "Done."})], "stop");
    let so_far = so_far.split_inclusive("\n\n").take(2).collect::<String>();
    let mut converter = wire::StreamConverter::new(PAIR.0, PAIR.1, "m", "id".to_owned(), 0);
    let mut out = Vec::new();
    converter.feed(so_far.as_bytes(), &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("Done."));
}

#[test]
fn brackets_in_texts_do_not_end_a_call() {
    let arguments = r#"{"command": "echo \"}\" {[\\"}"#;
    check(
        &[begin(0, "call_a", &arguments[..20]), begin(1, "call_b", "{\"command\":\"ls\"}"), more(0, &arguments[20..])],
        &[run("call_a", r#"echo "}" {[\"#), run("call_b", "ls")],
    );
}

#[test]
fn the_same_index_for_every_call_is_told_apart_by_the_ids() {
    check(
        &[begin(0, "call_a", "{\"command\":\"ls\"}"), begin(0, "call_b", "{\"command\":\"pwd\"}")],
        &[run("call_a", "ls"), run("call_b", "pwd")],
    );
}

#[test]
fn calls_without_an_index_are_told_apart_by_the_ids() {
    let without = |mut delta: Value| {
        delta["tool_calls"][0].as_object_mut().unwrap().remove("index");
        delta
    };
    check(
        &[
            without(begin(0, "call_a", "{\"command\"")),
            without(more(0, ":\"ls\"}")),
            without(begin(0, "call_b", "{\"command\"")),
            without(more(0, ":\"pwd\"}")),
        ],
        &[run("call_a", "ls"), run("call_b", "pwd")],
    );
}

#[test]
fn calls_without_an_id_get_one_that_is_the_same_every_time() {
    let without = |mut delta: Value| {
        delta["tool_calls"][0].as_object_mut().unwrap().remove("id");
        delta
    };
    let deltas = [without(begin(0, "", "{\"command\":\"ls\"}")), without(begin(1, "", "{\"command\":\"ls\"}"))];
    let ids = || {
        let (out, _) = converted(PAIR, [stream(&deltas, "stop").as_bytes()]);
        let ids = client::told(PAIR.1, &out).said.into_iter().map(|said| match said {
            Said::Call { id, .. } => id,
            other => panic!("{other:?}"),
        });
        ids.collect::<Vec<_>>()
    };
    assert_eq!(ids(), ids());
    assert_ne!(ids()[0], ids()[1]);
}

#[test]
fn ids_that_anthropic_does_not_allow_are_replaced() {
    let (out, _) = converted(PAIR, [stream(&[begin(0, "functions.run:0", "{}")], "tool_calls").as_bytes()]);
    let Some(Said::Call { id, .. }) = client::told(PAIR.1, &out).said.pop() else { panic!("no call") };
    assert!(id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'), "{id}");
}

#[test]
fn a_call_that_goes_on_after_its_end_is_malformed() {
    let deltas = [begin(0, "call_a", "{\"command\": \"ls\"}"), more(0, "{\"command\": \"pwd\"}")];
    let (out, result) = converted(PAIR, [stream(&deltas, "tool_calls").as_bytes()]);
    assert!(matches!(result, Err(ConvertError::Malformed { .. })));
    assert_eq!(client::read(PAIR.1, &out), client::Ended::InError);
}

#[test]
fn a_call_that_names_no_tool_is_malformed() {
    let (_, result) = converted(PAIR, [stream(&[more(0, "{}")], "tool_calls").as_bytes()]);
    assert!(matches!(result, Err(ConvertError::Malformed { .. })));
}

#[test]
fn an_answer_without_content_is_an_answer() {
    let (out, result) = converted(PAIR, [stream(&[json!({"role": "assistant"})], "stop").as_bytes()]);
    assert_eq!(result, Ok(()));
    let Story { said, stop, .. } = client::told(PAIR.1, &out);
    assert_eq!((said, stop), (Vec::new(), Stop::EndTurn));
}
