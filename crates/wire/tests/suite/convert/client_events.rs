//! Strict parsers of the streams of each API, event by event. They panic on events in an invalid order.

use serde_json::Value;

use super::{
    client::{
        Ended, anthropic_stop, anthropic_usage, call, chat_stop, gemini_part, gemini_stop, gemini_usage, number,
        openai_usage, responses_item, responses_whole, text,
    },
    story::{Said, Story},
};

/// The name and data of each event of a stream.
type Events = [(Option<String>, String)];

/// Parses the data of an event.
fn json(data: &str) -> Value {
    serde_json::from_str(data).unwrap()
}

/// Returns the type and data of each event, for APIs in which the name of an event is the type of its data.
fn named(events: &Events) -> Vec<(String, Value)> {
    let named = |(name, data): &(Option<String>, String)| {
        let data = json(data);
        assert_eq!(name.as_deref(), data["type"].as_str());
        (text(&data, "/type"), data)
    };
    events.iter().map(named).collect()
}

/// Parses a stream of Messages.
pub(crate) fn anthropic(events: &Events) -> Ended {
    let mut said: Vec<Said> = Vec::new();
    let (mut started, mut finish) = (false, None);
    // The start of the open block, and its deltas.
    let mut open: Option<(Value, String)> = None;
    let mut ended = Ended::Not;
    for (kind, data) in named(events) {
        assert_eq!(ended, Ended::Not, "{kind} after the end");
        assert!(started || matches!(kind.as_str(), "message_start" | "error"), "{kind} before the start");
        match kind.as_str() {
            "message_start" => {
                assert!(!std::mem::replace(&mut started, true), "the answer starts twice");
                assert_eq!(data["message"]["content"], json("[]"));
                anthropic_usage(&data["message"]["usage"]);
            }
            "content_block_start" => {
                assert!(open.is_none(), "two blocks are open");
                assert_eq!(number(&data, "/index"), said.len() as u64);
                open = Some((data["content_block"].clone(), String::new()));
            }
            "content_block_delta" => {
                let (block, added) = open.as_mut().unwrap();
                assert_eq!(number(&data, "/index"), said.len() as u64);
                let name = match (text(block, "/type").as_str(), text(&data, "/delta/type").as_str()) {
                    ("text", "text_delta") => "text",
                    ("tool_use", "input_json_delta") => "partial_json",
                    other => panic!("{other:?}"),
                };
                added.push_str(&text(&data["delta"], &format!("/{name}")));
            }
            "content_block_stop" => {
                assert_eq!(number(&data, "/index"), said.len() as u64);
                let (block, added) = open.take().unwrap();
                said.push(if block["type"] == "text" {
                    assert!(!added.is_empty(), "an empty text, which Anthropic refuses when it comes back");
                    Said::Text(added)
                } else {
                    call(text(&block, "/id"), text(&block, "/name"), &added)
                });
            }
            "message_delta" => {
                assert!(open.is_none());
                let stop = anthropic_stop(&text(&data, "/delta/stop_reason"));
                assert!(finish.replace((stop, anthropic_usage(&data["usage"]))).is_none());
            }
            "message_stop" => {
                let (stop, usage) = finish.take().unwrap();
                ended = Ended::Well(Story { said: std::mem::take(&mut said), stop, usage, thinking: 0 });
            }
            "ping" => {}
            "error" => ended = Ended::InError,
            other => panic!("an event {other}"),
        }
    }
    ended
}

/// Parses a stream of chat completions.
pub(crate) fn chat(events: &Events) -> Ended {
    let mut said: Vec<Said> = Vec::new();
    let mut calls: Vec<(String, String, String)> = Vec::new();
    let (mut started, mut finish, mut usage) = (false, None, None);
    let mut ended = Ended::Not;
    for (name, data) in events {
        assert_eq!(ended, Ended::Not, "{data} after the end");
        assert_eq!(name.as_deref(), None);
        if data == "[DONE]" {
            let mut calls = std::mem::take(&mut calls).into_iter();
            for said in &mut said {
                // A call without arguments is a placeholder at the position of its first delta.
                if let Said::Call { arguments: Value::Null, .. } = said {
                    let (id, name, arguments) = calls.next().unwrap();
                    *said = call(id, name, &arguments);
                }
            }
            let (usage, thinking) = usage.take().unwrap();
            ended =
                Ended::Well(Story { said: std::mem::take(&mut said), stop: finish.take().unwrap(), usage, thinking });
            continue;
        }
        let data = json(data);
        if data.get("error").is_some() {
            ended = Ended::InError;
            continue;
        }
        assert!(usage.is_none(), "more after the usage");
        if let Some(used) = data.get("usage") {
            assert_eq!(data["choices"], json("[]"));
            usage = Some(openai_usage(used, "prompt_tokens", "completion_tokens"));
            continue;
        }
        assert!(finish.is_none(), "more after the reason to stop");
        let delta = &data["choices"][0]["delta"];
        assert_eq!(delta.get("role").is_some(), !std::mem::replace(&mut started, true), "the role comes first, once");
        if let Some(content) = delta["content"].as_str().filter(|content| !content.is_empty()) {
            said.push(Said::Text(content.to_owned()));
        }
        if let Some(thought) = delta["reasoning_content"].as_str() {
            said.push(Said::Thinking(thought.to_owned()));
        }
        if let Some(called) = delta.get("tool_calls") {
            assert_eq!(called.as_array().unwrap().len(), 1);
            let (called, index) = (&called[0], number(&called[0], "/index"));
            if called.get("id").is_some() {
                assert_eq!(index, calls.len() as u64, "indices have no gaps");
                let (id, name) = (text(called, "/id"), text(called, "/function/name"));
                said.push(Said::Call { id: id.clone(), name: name.clone(), arguments: Value::Null });
                calls.push((id, name, String::new()));
            }
            assert_eq!(index + 1, calls.len() as u64, "only the last call goes on");
            calls.last_mut().unwrap().2.push_str(&text(called, "/function/arguments"));
        }
        finish = data["choices"][0]["finish_reason"].as_str().map(chat_stop);
    }
    match ended {
        Ended::Well(story) => Ended::Well(story.flowing()),
        ended => ended,
    }
}

/// Parses a stream of Responses.
pub(crate) fn responses(events: &Events) -> Ended {
    let mut done: Vec<Value> = Vec::new();
    // The open item, and its deltas.
    let mut open: Option<(Value, String)> = None;
    let mut ended = Ended::Not;
    for (number_of_event, (kind, data)) in named(events).into_iter().enumerate() {
        assert_eq!(ended, Ended::Not, "{kind} after the end");
        assert_eq!(number(&data, "/sequence_number"), number_of_event as u64);
        let failed = kind == "response.failed";
        match number_of_event {
            0 => assert!(kind == "response.created" || failed),
            1 => assert!(kind == "response.in_progress" || failed),
            _ => {}
        }
        if data.get("output_index").is_some() {
            assert_eq!(number(&data, "/output_index"), done.len() as u64);
        }
        if let (Some((item, _)), Some(id)) = (&open, data.get("item_id")) {
            assert_eq!(&item["id"], id);
        }
        match kind.as_str() {
            "response.created" | "response.in_progress" => assert!(number_of_event < 2),
            "response.output_item.added" => {
                assert!(open.is_none(), "two items are open");
                assert_eq!(data["item"]["status"], "in_progress");
                open = Some((data["item"].clone(), String::new()));
            }
            "response.content_part.added" => assert_eq!(open.as_ref().unwrap().0["type"], "message"),
            "response.output_text.delta" => {
                let (item, added) = open.as_mut().unwrap();
                assert_eq!(item["type"], "message");
                added.push_str(&text(&data, "/delta"));
            }
            "response.function_call_arguments.delta" => {
                let (item, added) = open.as_mut().unwrap();
                assert_eq!(item["type"], "function_call");
                added.push_str(&text(&data, "/delta"));
            }
            "response.output_text.done" => assert_eq!(text(&data, "/text"), open.as_ref().unwrap().1),
            "response.content_part.done" => assert_eq!(text(&data, "/part/text"), open.as_ref().unwrap().1),
            "response.function_call_arguments.done" => {
                assert_eq!(text(&data, "/arguments"), open.as_ref().unwrap().1);
            }
            "response.output_item.done" => {
                let (item, added) = open.take().unwrap();
                assert_eq!(item["id"], data["item"]["id"]);
                match responses_item(&data["item"]) {
                    Said::Text(text) => assert_eq!(text, added),
                    said => assert_eq!(said, call(text(&item, "/call_id"), text(&item, "/name"), &added)),
                }
                done.push(data["item"].clone());
            }
            "response.completed" | "response.incomplete" => {
                assert!(open.is_none());
                assert_eq!(data["response"]["output"].as_array(), Some(&done));
                ended = Ended::Well(responses_whole(&data["response"]));
            }
            "response.failed" => {
                assert!(data["response"]["error"]["message"].is_string());
                ended = Ended::InError;
            }
            other => panic!("an event {other}"),
        }
    }
    ended
}

/// Parses a stream of Gemini.
pub(crate) fn gemini(events: &Events) -> Ended {
    let mut said: Vec<Said> = Vec::new();
    let mut ended = Ended::Not;
    for (name, data) in events {
        assert_eq!(ended, Ended::Not, "{data} after the end");
        assert_eq!(name.as_deref(), None);
        let data = json(data);
        if data.get("error").is_some() {
            ended = Ended::InError;
            continue;
        }
        let parts = data["candidates"][0]["content"]["parts"].as_array().unwrap().iter().map(gemini_part);
        said.extend(parts.filter(|part| *part != Said::Text(String::new())));
        if data["candidates"][0].get("finishReason").is_some() {
            let stop = gemini_stop(&text(&data, "/candidates/0/finishReason"), &said);
            let (usage, thinking) = gemini_usage(&data["usageMetadata"]);
            ended = Ended::Well(Story { said: std::mem::take(&mut said), stop, usage, thinking }.flowing());
        }
    }
    ended
}
