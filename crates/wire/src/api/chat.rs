//! `OpenAI`'s chat completions API: its implementation of the trait `Api`, and its finish reasons.

use std::collections::BTreeSet;

use client_formats::client::WORKING_DIRECTORY_MARKER;
use contracts::{Requirement, Usage, events::ErrorClass};
use serde_json::Value as Json;

use super::{Api, openai};
use crate::{
    convert::{
        ConversionOptions, ConvertError,
        blocks::BlockSequencer,
        canonical::{
            request::Request,
            response::{Response, ResponseHead, Stop},
        },
        gate::FeatureGate,
        stream::{ReadStream, WriteStream},
    },
    edit::{Edit, parts::remove_members},
    fields::{Field, ObjectKind},
    inspect::inspector::Inspector,
    json::{Cursor, Value},
    request_summary::RequestError,
    watch::summary_builder::SummaryBuilder,
};

mod fields;
mod inspect;
mod inspect_calls;
mod read_calls;
mod read_message;
mod read_request;
mod read_response;
mod usage;
mod watch;
mod write_message;
mod write_request;
mod write_response;

/// The implementation of the chat completions API.
pub(crate) struct Chat;

impl Api for Chat {
    fn fields(&self, kind: ObjectKind) -> &'static [Field] {
        fields::fields(kind)
    }

    fn ignorable_fields(&self, kind: ObjectKind) -> &'static [(&'static str, &'static str)] {
        fields::ignorable(kind)
    }

    fn inspect_member<'a>(
        &self,
        inspector: &mut Inspector<'a>,
        cursor: &mut Cursor<'a>,
        name: &str,
    ) -> Result<(), RequestError> {
        inspector.inspect_chat_member(cursor, name)
    }

    fn inspect_event<'a>(&self, summary: &mut SummaryBuilder, data: &'a str) -> Option<Value<'a>> {
        watch::inspect_chunk(summary, data)
    }

    fn inspect_response<'a>(&self, summary: &mut SummaryBuilder, body: &'a str) -> Option<Value<'a>> {
        watch::inspect_chunk(summary, body)
    }

    fn event_members(&self) -> &'static [&'static str] {
        &["choices", "object", "usage", "error"]
    }

    fn is_response(&self, body: &Value<'_>) -> bool {
        body.get("choices").is_some_and(|choices| choices.elements().next().is_some())
    }

    fn usage(&self, object: &str) -> Option<Usage> {
        client_formats::usage::parse_chat(object)
    }

    fn read_request(&self, body: Json, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
        read_request::read_request(body, gate)
    }

    fn write_request(
        &self,
        request: Request,
        conversion: &ConversionOptions<'_>,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Json, ConvertError> {
        write_request::write_request(request, conversion, gate)
    }

    fn read_response(&self, response: &Json, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        read_response::read_response(response, blocks)
    }

    fn write_response(&self, response: Response, head: &ResponseHead) -> Result<Json, ConvertError> {
        Ok(write_response::write_response(response, head))
    }

    fn stream_reader(&self, response_id: &str) -> Box<dyn ReadStream> {
        Box::new(read_response::ResponseReader::new(response_id))
    }

    fn stream_writer(&self, head: ResponseHead) -> Box<dyn WriteStream> {
        Box::new(write_response::ResponseWriter::new(head))
    }

    fn conversation_field(&self) -> &'static str {
        "messages"
    }

    fn reports_usage_on_request(&self) -> bool {
        true
    }

    fn workspace_markers(&self) -> &'static [&'static str] {
        &[WORKING_DIRECTORY_MARKER]
    }

    fn remove_signatures(&self, message: &Value<'_>, edits: &mut Vec<Edit>) -> bool {
        remove_members(message, edits, &["reasoning", "reasoning_content", "reasoning_details"]);
        for call in message.get("tool_calls").iter().flat_map(Value::elements) {
            remove_members(&call, edits, &["extra_content"]);
        }
        false
    }

    fn remove_thinking(
        &self,
        _body: &Value<'_>,
        (name, _): (&str, Value<'_>),
        settings: &BTreeSet<Requirement>,
        _edits: &mut Vec<Edit>,
    ) -> bool {
        name == "reasoning_effort" && settings.contains(&Requirement::Effort)
    }

    fn ends_with_done(&self) -> bool {
        true
    }

    fn takes_unsigned_thinking(&self) -> bool {
        true
    }

    fn thinking_tokens(&self) -> Option<&'static str> {
        Some("/completion_tokens_details/reasoning_tokens")
    }

    fn error_kind(&self, class: ErrorClass) -> &'static str {
        openai::error_kind(class)
    }

    fn error_body(&self, _status: u16, kind: &str, message: &str) -> Json {
        openai::error_body(kind, message)
    }
}

/// Parses the `finish_reason` of a chat completion. An unknown reason counts as the end of the turn.
fn parse_stop_reason(reason: &str) -> Stop {
    match reason {
        "tool_calls" | "function_call" => Stop::ToolUse,
        "length" => Stop::MaxTokens,
        "content_filter" => Stop::Refused,
        // `stop`, and other names of it in compatible servers.
        _ => Stop::EndTurn,
    }
}

/// Returns the value of `finish_reason` in a chat completion. A stop sequence has no reason of its own and is written
/// as `stop`.
fn stop_reason_name(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::Sequence(_) => "stop",
        Stop::ToolUse => "tool_calls",
        Stop::MaxTokens => "length",
        Stop::Refused => "content_filter",
    }
}
