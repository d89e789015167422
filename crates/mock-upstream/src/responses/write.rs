//! Writes responses of Responses.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::items::{Item, items};
use crate::{
    answer::{Answer, Stop, Usage},
    sse::typed,
};

/// The creation time of all responses, in seconds since 1970; fixed, so that responses are the same at any time.
const CREATED: u64 = 1_700_000_000;

/// Writes a response that is not streamed.
pub(crate) fn whole(answer: &Answer) -> Value {
    ended(answer, &items(answer).into_iter().map(|item| item.done).collect::<Vec<_>>())
}

/// Writes a Responses response as the events of a stream.
pub(crate) fn events(answer: &Answer) -> Vec<Bytes> {
    let begun = response(answer.number, &answer.model, "in_progress", &[]);
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    let mut output = Vec::new();
    for Item { done, events: streamed } in items(answer) {
        events.extend(streamed);
        output.push(done);
    }
    let end = if answer.stop == Stop::Limit { "response.incomplete" } else { "response.completed" };
    events.push(json!({"type": end, "response": ended(answer, &output)}));
    let numbered = (0_u64..).zip(events).map(|(number, mut event)| {
        event["sequence_number"] = json!(number);
        typed(&event)
    });
    numbered.collect()
}

/// Returns the last event of a stream that failed.
pub(crate) fn failed(answer: &Answer, number: usize, code: &str, message: &str) -> Bytes {
    let mut response = response(answer.number, &answer.model, "failed", &[]);
    response["error"] = json!({"code": code, "message": message});
    typed(&json!({"type": "response.failed", "sequence_number": number, "response": response}))
}

fn ended(answer: &Answer, output: &[Value]) -> Value {
    let status = if answer.stop == Stop::Limit { "incomplete" } else { "completed" };
    let mut response = response(answer.number, &answer.model, status, output);
    if answer.stop == Stop::Limit {
        response["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    response["usage"] = usage(&answer.usage);
    response
}

fn response(number: u64, model: &str, status: &str, output: &[Value]) -> Value {
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

/// Writes the usage object of Responses, whose `input_tokens` include cached tokens.
fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": usage.thoughts},
        "total_tokens": usage.input + usage.output,
    })
}
