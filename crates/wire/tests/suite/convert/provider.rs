//! Writes streams and responses as providers of each API send them.

use contracts::{Usage, WireApi};
use serde_json::{Value, json};

use super::{
    provider_chat,
    quirks::Quirks,
    story::{Said, Stop, Story},
};

/// The text of a stream of server-sent events.
#[derive(Debug, Default)]
pub(crate) struct Sent(String);

impl Sent {
    /// Appends an event without a name.
    pub(crate) fn data(&mut self, data: &Value) {
        self.raw(&format!("data: {data}\n\n"));
    }

    /// Appends any text.
    pub(crate) fn raw(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Returns the bytes of the stream.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0.into_bytes()
    }

    /// Appends an event whose name is the type of its data.
    fn event(&mut self, data: &Value) {
        self.raw(&format!("event: {}\n", data["type"].as_str().unwrap()));
        self.data(data);
    }
}

/// Writes a story as a stream of a provider of `api`; `quirks` selects among the valid forms.
pub(crate) fn stream(api: WireApi, story: &Story, quirks: &mut Quirks) -> Vec<u8> {
    let mut sent = Sent::default();
    match api {
        WireApi::AnthropicMessages => anthropic(story, quirks, &mut sent),
        WireApi::OpenAiChat => provider_chat::stream(story, quirks, &mut sent),
        WireApi::OpenAiResponses => responses(story, quirks, &mut sent),
        WireApi::Gemini => gemini(story, quirks, &mut sent),
    }
    let text = if quirks.maybe() { sent.0.replace('\n', "\r\n") } else { sent.0 };
    text.into_bytes()
}

/// Writes the usage object of Messages.
fn anthropic_usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "cache_read_input_tokens": usage.cache_read,
        "cache_creation_input_tokens": usage.cache_write_5m + usage.cache_write_1h,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_write_5m,
            "ephemeral_1h_input_tokens": usage.cache_write_1h,
        },
        "output_tokens": usage.output,
    })
}

/// Writes the stop reason of Messages.
fn anthropic_stop(stop: Stop) -> &'static str {
    match stop {
        Stop::EndTurn => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Refused => "refusal",
    }
}

/// Writes a stream of Messages.
fn anthropic(story: &Story, quirks: &mut Quirks, sent: &mut Sent) {
    let mut usage = anthropic_usage(&story.usage);
    usage["output_tokens"] = json!(1);
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "usage": usage});
    sent.event(&json!({"type": "message_start", "message": message}));
    let mut index = 0;
    for said in &story.said {
        if quirks.maybe() {
            sent.event(&json!({"type": "ping"}));
        }
        if quirks.choose(4) == 0 {
            let block = json!({"type": "redacted_thinking", "data": "AAAA"});
            sent.event(&json!({"type": "content_block_start", "index": index, "content_block": block}));
            sent.event(&json!({"type": "content_block_stop", "index": index}));
            index += 1;
        }
        let (block, name, kind, whole) = match said {
            Said::Text(text) => (json!({"type": "text", "text": ""}), "text", "text_delta", text.clone()),
            Said::Thinking(text) => {
                let block = json!({"type": "thinking", "thinking": "", "signature": ""});
                (block, "thinking", "thinking_delta", text.clone())
            }
            Said::Call { id, name, arguments } => {
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
                let is_empty = arguments.as_object().unwrap().is_empty();
                let whole = if is_empty { String::new() } else { arguments.to_string() };
                (block, "partial_json", "input_json_delta", whole)
            }
        };
        sent.event(&json!({"type": "content_block_start", "index": index, "content_block": block}));
        for piece in quirks.pieces(&whole) {
            let delta = json!({"type": kind, (name): piece});
            sent.event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        if let Said::Thinking(_) = said {
            let delta = json!({"type": "signature_delta", "signature": "c2lnbmVk"});
            sent.event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        }
        sent.event(&json!({"type": "content_block_stop", "index": index}));
        index += 1;
    }
    let usage =
        if quirks.maybe() { anthropic_usage(&story.usage) } else { json!({"output_tokens": story.usage.output}) };
    let delta = json!({"stop_reason": anthropic_stop(story.stop), "stop_sequence": null});
    sent.event(&json!({"type": "message_delta", "delta": delta, "usage": usage}));
    sent.event(&json!({"type": "message_stop"}));
}

/// Writes an output item of Responses.
fn responses_item(index: usize, said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({
            "id": format!("msg_{index}"), "type": "message", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Said::Thinking(text) => json!({
            "id": format!("rs_{index}"), "type": "reasoning", "encrypted_content": "AAAA",
            "summary": [{"type": "summary_text", "text": text}],
        }),
        Said::Call { id, name, arguments } => json!({
            "id": format!("fc_{index}"), "type": "function_call", "status": "completed", "call_id": id, "name": name,
            "arguments": arguments.to_string(),
        }),
    }
}

/// Writes a finished response object of Responses.
fn responses_whole(story: &Story) -> Value {
    let usage = &story.usage;
    let input = usage.input_total();
    let mut response = json!({
        "id": "resp_1", "object": "response", "created_at": 1_700_000_000, "status": "completed", "error": null,
        "output": story.said.iter().enumerate().map(|(index, said)| responses_item(index, said)).collect::<Vec<_>>(),
        "usage": {
            "input_tokens": input,
            "input_tokens_details": {
                "cached_tokens": usage.cache_read,
                "cache_write_tokens": usage.cache_write_5m + usage.cache_write_1h,
            },
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": story.thinking},
            "total_tokens": input + usage.output,
        },
    });
    let reason = match story.stop {
        Stop::MaxTokens => "max_output_tokens",
        Stop::Refused => "content_filter",
        Stop::EndTurn | Stop::ToolUse => return response,
    };
    response["status"] = json!("incomplete");
    response["incomplete_details"] = json!({"reason": reason});
    response
}

/// Writes a stream of Responses.
fn responses(story: &Story, quirks: &mut Quirks, sent: &mut Sent) {
    let begun = json!({"id": "resp_1", "status": "in_progress", "output": []});
    sent.event(&json!({"type": "response.created", "response": begun}));
    sent.event(&json!({"type": "response.in_progress", "response": begun}));
    for (index, said) in story.said.iter().enumerate() {
        let done = responses_item(index, said);
        let mut added = done.clone();
        for name in ["content", "summary"] {
            if added.get(name).is_some() {
                added[name] = json!([]);
            }
        }
        let (event, part, whole) = match said {
            Said::Text(text) => ("response.output_text.delta", "content_index", text.clone()),
            Said::Thinking(text) => ("response.reasoning_summary_text.delta", "summary_index", text.clone()),
            Said::Call { arguments, .. } => {
                added["arguments"] = json!("");
                ("response.function_call_arguments.delta", "item", arguments.to_string())
            }
        };
        // Some servers do not stream an item, or send the last ones only in the final response object.
        let shown = quirks.choose(6);
        if shown == 0 {
            break;
        }
        sent.event(&json!({"type": "response.output_item.added", "output_index": index, "item": added}));
        if shown != 1 {
            for piece in quirks.pieces(&whole) {
                sent.event(&json!({
                    "type": event, "output_index": index, (part): 0, "delta": piece, "obfuscation": "xyz",
                }));
            }
        }
        if shown != 2 {
            sent.event(&json!({"type": "response.output_item.done", "output_index": index, "item": done}));
        }
    }
    let whole = responses_whole(story);
    let kind = format!("response.{}", whole["status"].as_str().unwrap());
    sent.event(&json!({"type": kind, "response": whole}));
}

/// Writes a part of Gemini.
fn gemini_part(said: &Said) -> Value {
    match said {
        Said::Text(text) => json!({"text": text}),
        Said::Thinking(text) => json!({"text": text, "thought": true}),
        Said::Call { id, name, arguments } => {
            json!({"functionCall": {"id": id, "name": name, "args": arguments}, "thoughtSignature": "AAAA"})
        }
    }
}

/// Writes a chunk of Gemini with these parts.
fn gemini_piece(parts: &[Value]) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}], "responseId": "abc"})
}

/// Adds the finish reason and the usage to a chunk of Gemini.
fn gemini_end(mut piece: Value, story: &Story) -> Value {
    let usage = &story.usage;
    piece["candidates"][0]["finishReason"] = json!(match story.stop {
        Stop::EndTurn | Stop::ToolUse => "STOP",
        Stop::MaxTokens => "MAX_TOKENS",
        Stop::Refused => "SAFETY",
    });
    piece["usageMetadata"] = json!({
        "promptTokenCount": usage.input_total(),
        "cachedContentTokenCount": usage.cache_read,
        "candidatesTokenCount": usage.output - story.thinking,
        "thoughtsTokenCount": story.thinking,
        "totalTokenCount": usage.input_total() + usage.output,
    });
    piece
}

/// Writes a stream of Gemini.
fn gemini(story: &Story, quirks: &mut Quirks, sent: &mut Sent) {
    let mut parts = Vec::new();
    for said in &story.said {
        match said {
            Said::Call { .. } => parts.push(gemini_part(said)),
            Said::Text(text) => {
                parts.extend(quirks.pieces(text).into_iter().map(|piece| gemini_part(&Said::Text(piece))));
            }
            Said::Thinking(text) => {
                parts.extend(quirks.pieces(text).into_iter().map(|piece| gemini_part(&Said::Thinking(piece))));
            }
        }
    }
    let mut held = Vec::new();
    for part in parts {
        held.push(part);
        if quirks.maybe() {
            sent.data(&gemini_piece(&std::mem::take(&mut held)));
        }
    }
    if quirks.maybe() {
        held.push(json!({"text": "", "thoughtSignature": "AAAA"}));
    }
    sent.data(&gemini_end(gemini_piece(&held), story));
}

/// Writes a story as a response that is not streamed.
pub(crate) fn whole(api: WireApi, story: &Story) -> Value {
    match api {
        WireApi::OpenAiChat => provider_chat::whole(story),
        WireApi::OpenAiResponses => responses_whole(story),
        WireApi::Gemini => gemini_end(gemini_piece(&story.said.iter().map(gemini_part).collect::<Vec<_>>()), story),
        WireApi::AnthropicMessages => {
            let block = |said: &Said| match said {
                Said::Text(text) => json!({"type": "text", "text": text}),
                Said::Thinking(text) => json!({"type": "thinking", "thinking": text, "signature": "c2ln"}),
                Said::Call { id, name, arguments } => {
                    json!({"type": "tool_use", "id": id, "name": name, "input": arguments})
                }
            };
            json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                "content": story.said.iter().map(block).collect::<Vec<_>>(),
                "stop_reason": anthropic_stop(story.stop), "stop_sequence": null,
                "usage": anthropic_usage(&story.usage),
            })
        }
    }
}
