//! Responses in every API, streamed and not streamed.

use serde_json::{Value, json};

use crate::support::{CHAT, MESSAGES, RESPONSES, first_requests, send, start_mock};

/// Returns the text of a response that is not streamed; `path` determines the API.
fn response_text(path: &str, body: &Value) -> String {
    let part = match path {
        MESSAGES => &body["content"][0]["text"],
        CHAT => &body["choices"][0]["message"]["content"],
        RESPONSES => &body["output"][0]["content"][0]["text"],
        _ => &body["candidates"][0]["content"]["parts"][0]["text"],
    };
    part.as_str().unwrap().to_owned()
}

/// Returns the text deltas of a stream; `path` determines the API.
fn streamed_texts(path: &str, events: &[Value]) -> Vec<String> {
    let piece = |event: &Value| {
        let part = match path {
            MESSAGES => &event["delta"]["text"],
            CHAT => &event["choices"][0]["delta"]["content"],
            RESPONSES if event["type"] == "response.output_text.delta" => &event["delta"],
            RESPONSES => &Value::Null,
            _ => &event["candidates"][0]["content"]["parts"][0]["text"],
        };
        part.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    events.iter().filter_map(piece).collect()
}

#[test]
fn single_and_streamed_responses_have_the_same_text() {
    let mock = start_mock();
    for ((path, body), (stream_path, stream_body)) in
        first_requests("hi", false).into_iter().zip(first_requests("hi", true))
    {
        let whole = send(&mock, &path, &body);
        assert_eq!(whole.status, 200, "{}", whole.text);
        let streamed = send(&mock, &stream_path, &stream_body);
        assert_eq!(response_text(&path, &whole.json()), "Hello from the mock.");
        assert_eq!(streamed_texts(&path, &streamed.events()), ["Hello", " from", " the", " mock."], "{path}");
    }
}

#[test]
fn a_long_response_has_the_requested_number_of_deltas() {
    let mock = start_mock();
    for (path, body) in first_requests("LONG:30", true) {
        assert_eq!(streamed_texts(&path, &send(&mock, &path, &body).events()).len(), 30, "{path}");
    }
}

#[test]
fn events_of_messages_open_one_block_at_a_time() {
    let mock = start_mock();
    let (path, body) =
        first_requests("THINK LONG:2 TOOLCALL:look:{\"at\":\"a\"} TOOLCALL:look:{}", true).swap_remove(0);
    let events = send(&mock, &path, &body).events();
    let (mut open, mut next) = (None, 0);
    for event in &events {
        match event["type"].as_str().unwrap() {
            "content_block_start" => {
                assert_eq!((open, &event["index"]), (None, &json!(next)));
                open = Some(event["index"].clone());
            }
            "content_block_delta" => assert_eq!(Some(&event["index"]), open.as_ref()),
            "content_block_stop" => {
                assert_eq!(Some(&event["index"]), open.take().as_ref());
                next += 1;
            }
            _ => {}
        }
    }
    assert_eq!(next, 4, "a thought, a text and two calls");
    assert_eq!(events.first().unwrap()["type"], "message_start");
    assert_eq!(events.last().unwrap()["type"], "message_stop");
    assert!(events.iter().any(|event| event["type"] == "ping"));
    assert!(events.iter().any(|event| event["delta"]["signature"] == "sig:m"));
}

#[test]
fn events_of_responses_are_numbered_and_end_with_the_complete_response() {
    let mock = start_mock();
    let (path, body) = first_requests("THINK LONG:2 TOOLCALL:look:{\"at\":\"a\"}", true).swap_remove(2);
    let events = send(&mock, &path, &body).events();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], json!(number));
    }
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.completed");
    let kinds: Vec<_> = last["response"]["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call"]);
}

#[test]
fn a_chat_stream_reports_usage_only_on_request() {
    let mock = start_mock();
    let (path, mut body) = first_requests("hi", true).swap_remove(1);
    assert!(send(&mock, &path, &body).events().iter().all(|event| event["usage"].is_null()));
    body["stream_options"] = json!({"include_usage": true});
    let answer = send(&mock, &path, &body);
    let events = answer.events();
    assert_eq!(events.last().unwrap()["usage"]["completion_tokens"], 5);
    assert_eq!(events.last().unwrap()["choices"], json!([]));
    assert!(answer.text.ends_with("data: [DONE]\n\n"));
}

#[test]
fn a_tool_is_called_and_its_result_is_read_in_every_api() {
    let mock = start_mock();
    for (path, mut body) in first_requests("TOOLCALL:look:{\"at\":\"ü\"}", false) {
        let called = send(&mock, &path, &body).json();
        match path.as_str() {
            MESSAGES => {
                let id = &called["content"][0]["id"];
                let result = json!({"type": "tool_result", "tool_use_id": id, "content": "seven b"});
                let messages = body["messages"].as_array_mut().unwrap();
                messages.push(json!({"role": "assistant", "content": called["content"]}));
                messages.push(json!({"role": "user", "content": [result]}));
            }
            CHAT => {
                let message = &called["choices"][0]["message"];
                assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"at\":\"ü\"}");
                let result =
                    json!({"role": "tool", "tool_call_id": message["tool_calls"][0]["id"], "content": "seven b"});
                body["messages"].as_array_mut().unwrap().extend([message.clone(), result]);
            }
            RESPONSES => {
                let call = &called["output"][0];
                let result = json!({"type": "function_call_output", "call_id": call["call_id"], "output": "seven b"});
                body["input"] = json!([{"role": "user", "content": body["input"]}, call, result]);
            }
            _ => {
                let content = &called["candidates"][0]["content"];
                let result = json!({"functionResponse": {"name": "look", "response": {"output": "seven b"}}});
                let contents = body["contents"].as_array_mut().unwrap();
                contents.extend([content.clone(), json!({"role": "user", "parts": [result]})]);
            }
        }
        let answer = send(&mock, &path, &body);
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        assert_eq!(response_text(&path, &answer.json()), "tool said 7 bytes", "{path}");
    }
}

#[test]
fn a_custom_tool_takes_a_text() {
    let mock = start_mock();
    let tool = json!({"type": "custom", "name": "patch", "format": {"type": "text"}});
    let body = json!({"model": "m", "input": "TOOLCALL:patch:{\"input\":\"*** Begin\"}", "tools": [tool]});
    let call = &send(&mock, RESPONSES, &body).json()["output"][0];
    assert_eq!((&call["type"], &call["input"]), (&json!("custom_tool_call"), &json!("*** Begin")));
}

#[test]
fn requested_json_matches_its_schema_whatever_the_text_is() {
    let mock = start_mock();
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}});
    let body = json!({"model": "m", "max_tokens": 50, "output_config": {"format": {"type": "json_schema", "schema": schema}},
                      "messages": [{"role": "user", "content": "<session>TOOLCALL:Bash:{}</session>"}]});
    let said = response_text(MESSAGES, &send(&mock, MESSAGES, &body).json());
    assert_eq!(serde_json::from_str::<Value>(&said).unwrap(), json!({"title": "Made up for a test"}));
}

#[test]
fn usage_follows_from_lengths() {
    let mock = start_mock();
    let body = json!({"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "hi"}]});
    let tokens = body.to_string().len().div_ceil(4);
    let usage = &send(&mock, MESSAGES, &body).json()["usage"];
    assert_eq!((&usage["input_tokens"], &usage["output_tokens"]), (&json!(tokens), &json!(5)));
    let mut longer = body;
    longer["messages"] = json!([
        {"role": "user", "content": "hi"}, {"role": "assistant", "content": "hi"}, {"role": "user", "content": "hi"},
    ]);
    let tokens = longer.to_string().len().div_ceil(4);
    let usage = &send(&mock, MESSAGES, &longer).json()["usage"];
    assert_eq!(usage["cache_read_input_tokens"], json!(tokens / 2));
    assert_eq!(usage["input_tokens"], json!(tokens - tokens / 2));
}
