//! Writes a streamed response of Responses.
//!
//! The official clients assemble a response from the events of finished items and trust the last event, which repeats
//! all items.

use contracts::{WireApi, events::ErrorClass};
use serde_json::{Value, json};

use super::write_response::{finished_response, item, item_id, part, response};
use crate::{
    convert::{
        ConvertError,
        canonical::response::{BlockKind, Event, ResponseHead},
        sse,
        stream::WriteStream,
    },
    errors::error_kind,
};

/// Writes a stream of the Responses API: converts canonical events to server-sent events.
#[derive(Debug)]
pub(crate) struct ResponseWriter {
    /// The id, model name and creation time of the response, as the client receives them.
    head: ResponseHead,
    /// The sequence number of the next event.
    sequence: u64,
    /// The item for the open block; `None` between blocks.
    open_item: Option<OpenItem>,
    /// The finished items, which the last event repeats.
    finished_items: Vec<Value>,
}

/// The output item of the Responses API for the open block.
#[derive(Debug)]
struct OpenItem {
    /// The index of the item in the response.
    index: usize,
    /// The kind of the block.
    kind: BlockKind,
    /// The id of the item.
    id: String,
    /// The content so far.
    content: String,
}

impl OpenItem {
    /// Builds an event of a Responses stream of the type `kind` with the members that all events about this item have:
    /// its id and its index, and the content index of a text.
    fn event(&self, kind: &str) -> Value {
        let mut event = json!({"type": kind, "item_id": self.id, "output_index": self.index});
        if matches!(self.kind, BlockKind::Text) {
            event["content_index"] = json!(0);
        }
        event
    }
}

impl ResponseWriter {
    /// Creates a writer for the streamed response of the Responses API with this head.
    pub(crate) const fn new(head: ResponseHead) -> Self {
        Self { head, sequence: 0, open_item: None, finished_items: Vec::new() }
    }

    /// Appends an event of a Responses stream to `out`, with the next sequence number and its type as the event name.
    fn write_event(&mut self, mut event: Value, out: &mut Vec<u8>) {
        event["sequence_number"] = json!(self.sequence);
        self.sequence += 1;
        sse::write(out, event.get("type").and_then(Value::as_str), &event);
    }

    /// Starts the output item of a block in a Responses stream: appends the events that add it and, for a message, its
    /// text part.
    fn start_item(&mut self, index: usize, kind: BlockKind, out: &mut Vec<u8>) {
        let added_item = item(&self.head, index, &kind, "", "in_progress");
        let open_item = OpenItem { index, id: item_id(&self.head, index, &kind), kind, content: String::new() };
        let mut event = json!({"type": "response.output_item.added", "output_index": index});
        event["item"] = added_item;
        self.write_event(event, out);
        if matches!(open_item.kind, BlockKind::Text) {
            let mut event = open_item.event("response.content_part.added");
            event["part"] = part("");
            self.write_event(event, out);
        }
        self.open_item = Some(open_item);
    }

    /// Appends content to the open output item, and an event with the delta to `out`. Thinking is only collected, not
    /// streamed.
    fn append_delta(&mut self, more: &str, out: &mut Vec<u8>) {
        let Some(open) = &mut self.open_item else { return };
        open.content.push_str(more);
        let mut event = match open.kind {
            BlockKind::Text => open.event("response.output_text.delta"),
            BlockKind::Thinking => return,
            BlockKind::Tool { custom: false, .. } => open.event("response.function_call_arguments.delta"),
            BlockKind::Tool { custom: true, .. } => open.event("response.custom_tool_call_input.delta"),
        };
        event["delta"] = json!(more);
        if matches!(open.kind, BlockKind::Text) {
            event["logprobs"] = json!([]);
        }
        self.write_event(event, out);
    }

    /// Finishes the open output item of a Responses stream: appends the events that repeat its content, and stores the
    /// item for the final event. Does nothing if no item is open.
    fn finish_item(&mut self, out: &mut Vec<u8>) {
        let Some(open) = self.open_item.take() else { return };
        match &open.kind {
            BlockKind::Thinking => {}
            BlockKind::Text => {
                let mut event = open.event("response.output_text.done");
                event["text"] = json!(open.content);
                event["logprobs"] = json!([]);
                self.write_event(event, out);
                let mut event = open.event("response.content_part.done");
                event["part"] = part(&open.content);
                self.write_event(event, out);
            }
            BlockKind::Tool { custom: false, name, .. } => {
                let mut event = open.event("response.function_call_arguments.done");
                event["name"] = json!(name);
                event["arguments"] = json!(open.content);
                self.write_event(event, out);
            }
            BlockKind::Tool { custom: true, .. } => {
                let mut event = open.event("response.custom_tool_call_input.done");
                event["input"] = json!(open.content);
                self.write_event(event, out);
            }
        }
        let item = item(&self.head, open.index, &open.kind, &open.content, "completed");
        self.write_event(json!({"type": "response.output_item.done", "output_index": open.index, "item": item}), out);
        self.finished_items.push(item);
    }
}

impl WriteStream for ResponseWriter {
    fn write(&mut self, event: Event, out: &mut Vec<u8>) -> Result<(), ConvertError> {
        match event {
            Event::Started(_) => {
                for kind in ["response.created", "response.in_progress"] {
                    self.write_event(json!({"type": kind, "response": response(&self.head, "in_progress")}), out);
                }
            }
            Event::BlockStarted { index, kind } => self.start_item(index, kind, out),
            Event::Delta(more) => self.append_delta(&more, out),
            Event::BlockStopped => self.finish_item(out),
            // A comment, since the API has no keep-alive event.
            Event::HiddenThinking => out.extend_from_slice(b": thinking\n\n"),
            Event::Finished { stop, tokens } => {
                let response = finished_response(&self.head, std::mem::take(&mut self.finished_items), &stop, tokens);
                let kind = if response["status"] == "completed" { "response.completed" } else { "response.incomplete" };
                self.write_event(json!({"type": kind, "response": response}), out);
            }
            Event::Failed(failure) => {
                let code = match failure.class {
                    // Codex waits and retries on this code.
                    ErrorClass::Overloaded => "server_is_overloaded",
                    class => error_kind(WireApi::OpenAiResponses, class).1,
                };
                let mut response = response(&self.head, "failed");
                response["output"] = Value::Array(std::mem::take(&mut self.finished_items));
                response["error"] = json!({"code": code, "message": failure.message});
                self.write_event(json!({"type": "response.failed", "response": response}), out);
            }
        }
        Ok(())
    }
}
