//! Writes responses in the JSON of the Responses API.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::items::{Item, output_items};
use crate::{
    answer::{Answer, StopReason, Usage},
    sse::typed,
};

/// The creation time of all responses, in seconds since 1970. Fixed, so that responses are reproducible.
const CREATED: u64 = 1_700_000_000;

/// Writes a response as the JSON of `OpenAI`'s Responses API.
pub(crate) fn response_body(answer: &Answer) -> Value {
    final_response(answer, &output_items(answer).into_iter().map(|item| item.done).collect::<Vec<_>>())
}

/// Writes a response as the numbered events of `OpenAI`'s Responses API, from `response.created` to
/// `response.completed`.
pub(crate) fn stream_events(answer: &Answer) -> Vec<Bytes> {
    let in_progress = response_object(answer.number, &answer.model, "in_progress", &[]);
    let mut events = vec![
        json!({"type": "response.created", "response": in_progress}),
        json!({"type": "response.in_progress", "response": in_progress}),
    ];
    let mut output = Vec::new();
    for Item { done, events: item_events } in output_items(answer) {
        events.extend(item_events);
        output.push(done);
    }
    let end = if answer.stop == StopReason::MaxTokens { "response.incomplete" } else { "response.completed" };
    events.push(json!({"type": end, "response": final_response(answer, &output)}));
    let numbered_events = (0_u64..).zip(events).map(|(number, mut event)| {
        event["sequence_number"] = json!(number);
        typed(&event)
    });
    numbered_events.collect()
}

/// Returns the last event of a Responses stream that fails, with an error of this code and message; `number` is its
/// sequence number.
pub(crate) fn failed_event(answer: &Answer, number: usize, code: &str, message: &str) -> Bytes {
    let mut response = response_object(answer.number, &answer.model, "failed", &[]);
    response["error"] = json!({"code": code, "message": message});
    typed(&json!({"type": "response.failed", "sequence_number": number, "response": response}))
}

/// Writes the finished response object of the Responses API with these output items: completed, or incomplete if the
/// text was cut.
fn final_response(answer: &Answer, output: &[Value]) -> Value {
    let status = if answer.stop == StopReason::MaxTokens { "incomplete" } else { "completed" };
    let mut response = response_object(answer.number, &answer.model, status, output);
    if answer.stop == StopReason::MaxTokens {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    response["usage"] = usage(&answer.usage);
    response
}

/// Writes a response object of the Responses API with this status and these output items, without usage. `number` is
/// the number of the request.
fn response_object(number: u64, model: &str, status: &str, output: &[Value]) -> Value {
    json!({
        "id": format!("resp_mock{number:08}"),
        "object": "response",
        "created_at": CREATED,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "instructions": null,
        "metadata": {},
        "model": model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "store": false,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": null,
    })
}

/// Writes the `usage` object of the Responses API. `OpenAI`'s `input_tokens` include cached tokens.
fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cache_read},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.thinking},
        "total_tokens": usage.input + usage.output,
    })
}
