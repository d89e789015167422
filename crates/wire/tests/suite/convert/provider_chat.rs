//! Writes chat completions as different providers do.

use serde_json::{Value, json};

use super::{
    provider::Sent,
    quirks::Quirks,
    story::{Said, Stop, Story},
};

/// Writes the `usage` object of a chat completion.
fn usage(story: &Story) -> Value {
    let usage = &story.usage;
    json!({
        "prompt_tokens": usage.input_total(),
        "completion_tokens": usage.output,
        "total_tokens": usage.input_total() + usage.output,
        "prompt_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write_5m + usage.cache_write_1h,
        },
        "completion_tokens_details": {"reasoning_tokens": story.thinking},
    })
}

/// Writes the finish reason, which some providers get wrong for tool calls.
fn stop(story: &Story, quirks: &mut Quirks) -> &'static str {
    match story.stop {
        Stop::EndTurn => "stop",
        // Ollama and others send `stop` although the model called a tool.
        Stop::ToolUse if quirks.choose(4) == 0 => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refused => "content_filter",
    }
}

/// Writes a chunk of a chat completion with this delta.
fn chunk(delta: &Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}],
    })
}

/// Returns the deltas of one block, in order; `index` is that of the tool call.
fn deltas(said: &Said, index: usize, quirks: &mut Quirks) -> Vec<Value> {
    match said {
        Said::Text(text) => quirks.pieces(text).into_iter().map(|piece| json!({"content": piece})).collect(),
        Said::Thinking(text) => {
            let name = if quirks.maybe() { "reasoning_content" } else { "reasoning" };
            let piece = |piece| json!({(name): piece, "content": ""});
            quirks.pieces(text).into_iter().map(piece).collect()
        }
        Said::Call { id, name, arguments } => {
            let is_empty = arguments.as_object().unwrap().is_empty();
            let whole = if is_empty && quirks.maybe() { String::new() } else { arguments.to_string() };
            let mut pieces = quirks.pieces(&whole);
            let first = if quirks.maybe() { pieces.remove(0) } else { String::new() };
            let begin = json!({
                "index": index, "id": id, "type": "function", "function": {"name": name, "arguments": first},
            });
            let again = quirks.choose(4) == 0;
            let more = |piece: String| {
                // Some servers repeat the id and leave the name empty.
                let mut more = json!({"index": index, "function": {"arguments": piece}});
                if again {
                    more["id"] = json!(id);
                    more["function"]["name"] = json!("");
                }
                more
            };
            let calls = std::iter::once(begin).chain(pieces.into_iter().map(more));
            calls.map(|call| json!({"content": null, "tool_calls": [call]})).collect()
        }
    }
}

/// Interleaves the deltas of several blocks at random. The first delta of each block comes before those of the blocks
/// after it.
fn in_turns(mut lists: Vec<Vec<Value>>, quirks: &mut Quirks) -> Vec<Value> {
    for list in &mut lists {
        list.reverse();
    }
    let mut taken = Vec::new();
    let mut begun = 0;
    while lists.iter().any(|list| !list.is_empty()) {
        let mut place = quirks.choose(begun + 1).min(lists.len() - 1);
        if place == begun {
            begun += 1;
        }
        if lists[place].is_empty() {
            place = lists.iter().position(|list| !list.is_empty()).unwrap();
            begun = begun.max(place + 1);
        }
        taken.extend(lists[place].pop());
    }
    taken
}

/// Writes a story as the stream of a chat completion.
pub(crate) fn stream(story: &Story, quirks: &mut Quirks, sent: &mut Sent) {
    if quirks.maybe() {
        sent.data(&chunk(&json!({"role": "assistant", "content": ""})));
    }
    let (mut calls, mut place) = (0, 0);
    let is_call = |place: usize| matches!(story.said.get(place), Some(Said::Call { .. }));
    while let Some(said) = story.said.get(place) {
        // Consecutive calls, and the text after them, are interleaved.
        let mut together = vec![said];
        while is_call(place) && quirks.maybe() && !matches!(story.said.get(place + 1), Some(Said::Thinking(_)) | None) {
            place += 1;
            together.push(&story.said[place]);
        }
        place += 1;
        let mut lists = Vec::new();
        for said in together {
            lists.push(deltas(said, calls, quirks));
            calls += usize::from(matches!(said, Said::Call { .. }));
        }
        for delta in in_turns(lists, quirks) {
            match quirks.choose(8) {
                0 => sent.data(&chunk(&json!({}))),
                1 => sent.data(&chunk(&json!({"content": "", "tool_calls": []}))),
                2 => sent.raw(": OPENROUTER PROCESSING\n\n"),
                _ => {}
            }
            sent.data(&chunk(&delta));
        }
    }
    let mut last = chunk(&json!({}));
    last["choices"][0]["finish_reason"] = json!(stop(story, quirks));
    match quirks.choose(4) {
        0 => last["usage"] = usage(story),
        1 => {
            sent.data(&last);
            // With a choice that repeats the finish reason.
            last["usage"] = usage(story);
        }
        2 => {
            sent.data(&last);
            last["choices"] = json!([]);
            last["usage"] = usage(story);
        }
        _ => {
            sent.data(&last);
            last = json!({"id": "chatcmpl-1", "usage": usage(story)});
        }
    }
    sent.data(&last);
    if quirks.maybe() {
        sent.raw("data: [DONE]\n\n");
    }
}

/// Writes a story as a response that is not streamed.
pub(crate) fn whole(story: &Story) -> Value {
    let (mut content, mut thought, mut calls) = (String::new(), String::new(), Vec::new());
    for said in &story.said {
        match said {
            Said::Text(text) => content.push_str(text),
            Said::Thinking(text) => thought.push_str(text),
            Said::Call { id, name, arguments } => {
                let function = json!({"name": name, "arguments": arguments.to_string()});
                calls.push(json!({"id": id, "type": "function", "function": function}));
            }
        }
    }
    let message = json!({
        "role": "assistant", "content": content, "reasoning_content": thought, "refusal": null, "tool_calls": calls,
    });
    let reason = match story.stop {
        Stop::EndTurn | Stop::ToolUse => "stop",
        Stop::MaxTokens => "length",
        Stop::Refused => "content_filter",
    };
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1_700_000_000, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage(story),
    })
}
