//! Anthropic's Messages API: its implementation of the trait `Api`, and its stop reasons.

use std::collections::BTreeSet;

use client_formats::client::WORKING_DIRECTORY_MARKER;
use contracts::{Requirement, Usage, events::ErrorClass};
use serde_json::{Value as Json, json};

use super::Api;
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
    edit::{
        Edit,
        parts::{remove_elements, remove_members},
    },
    fields::{Field, ObjectKind},
    inspect::inspector::{Inspector, type_of},
    json::{Cursor, Value, ValueKind},
    request_summary::RequestError,
    watch::summary_builder::SummaryBuilder,
};

mod fields;
mod inspect;
mod inspect_blocks;
mod inspect_settings;
mod read_content;
mod read_request;
mod read_response;
mod usage;
mod watch;
mod write_request;
mod write_response;

/// The implementation of the Messages API.
pub(crate) struct Anthropic;

impl Api for Anthropic {
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
        inspector.inspect_anthropic_member(cursor, name)
    }

    fn inspect_event<'a>(&self, summary: &mut SummaryBuilder, data: &'a str) -> Option<Value<'a>> {
        watch::inspect_event(summary, data)
    }

    fn inspect_response<'a>(&self, summary: &mut SummaryBuilder, body: &'a str) -> Option<Value<'a>> {
        watch::inspect_message(summary, body)
    }

    fn event_members(&self) -> &'static [&'static str] {
        &["type", "error"]
    }

    fn is_response(&self, body: &Value<'_>) -> bool {
        body.get("content").is_some_and(|content| content.kind == ValueKind::Array)
    }

    fn usage(&self, object: &str) -> Option<Usage> {
        client_formats::usage::parse_anthropic(object)
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
        write_response::write_response(response, head)
    }

    fn stream_reader(&self, _response_id: &str) -> Box<dyn ReadStream> {
        Box::new(read_response::ResponseReader::default())
    }

    fn stream_writer(&self, head: ResponseHead) -> Box<dyn WriteStream> {
        Box::new(write_response::ResponseWriter::new(head))
    }

    fn conversation_field(&self) -> &'static str {
        "messages"
    }

    fn workspace_markers(&self) -> &'static [&'static str] {
        &[WORKING_DIRECTORY_MARKER]
    }

    fn remove_signatures(&self, message: &Value<'_>, edits: &mut Vec<Edit>) -> bool {
        remove_elements(message.get("content"), edits, |block| {
            matches!(type_of(block).as_ref(), "thinking" | "redacted_thinking")
        })
    }

    fn remove_thinking(
        &self,
        body: &Value<'_>,
        (name, value): (&str, Value<'_>),
        settings: &BTreeSet<Requirement>,
        edits: &mut Vec<Edit>,
    ) -> bool {
        match name {
            "thinking" => is_removed(&value, settings),
            // Anthropic rejects the edit `clear_thinking` in a request without thinking.
            "context_management" if body.get("thinking").is_some_and(|thinking| is_removed(&thinking, settings)) => {
                let is_every_edit_removed =
                    remove_elements(value.get("edits"), edits, |edit| type_of(edit).starts_with("clear_thinking"));
                is_every_edit_removed && remove_members(&value, edits, &["edits"])
            }
            "output_config" if settings.contains(&Requirement::Effort) => remove_members(&value, edits, &["effort"]),
            _ => false,
        }
    }

    fn overloaded_status(&self) -> u16 {
        529
    }

    fn error_kind(&self, class: ErrorClass) -> &'static str {
        match class {
            ErrorClass::RateLimit => "rate_limit_error",
            ErrorClass::Overloaded => "overloaded_error",
            ErrorClass::ServerError
            | ErrorClass::Other
            | ErrorClass::Network
            | ErrorClass::InvalidResponse
            | ErrorClass::Cancelled => "api_error",
            ErrorClass::Timeout => "timeout_error",
            ErrorClass::ModelNotFound => "not_found_error",
            ErrorClass::Auth | ErrorClass::ClientKey => "authentication_error",
            ErrorClass::InvalidRequest | ErrorClass::ContextOverflow | ErrorClass::ContentFilter => {
                "invalid_request_error"
            }
        }
    }

    fn error_body(&self, _status: u16, kind: &str, message: &str) -> Json {
        json!({"type": "error", "error": {"type": kind, "message": message}})
    }

    fn error_event_name(&self) -> Option<&'static str> {
        Some("error")
    }
}

/// Returns whether the `thinking` setting of a Messages request has to be removed: adaptive thinking if the effort that
/// controls it is in `removed`, enabled thinking if the thinking budget is.
fn is_removed(thinking: &Value<'_>, removed: &BTreeSet<Requirement>) -> bool {
    let kind = type_of(thinking);
    (removed.contains(&Requirement::Effort) && kind.starts_with("adaptive"))
        || (removed.contains(&Requirement::ThinkingBudget) && kind.starts_with("enabled"))
}

/// Parses the `stop_reason` of a Messages response. `sequence` is the reported stop sequence; `None` if there is none.
/// An unknown reason counts as the end of the turn.
fn parse_stop_reason(reason: &str, sequence: Option<&str>) -> Stop {
    match reason {
        "tool_use" => Stop::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => Stop::MaxTokens,
        "stop_sequence" => Stop::Sequence(sequence.map(str::to_owned)),
        "refusal" => Stop::Refused,
        // `end_turn` and unknown reasons.
        _ => Stop::EndTurn,
    }
}

/// Returns the value of `stop_reason` in a Messages response. A stop sequence that is not known is written as
/// `end_turn`.
fn stop_reason_name(stop: &Stop) -> &'static str {
    match stop {
        Stop::EndTurn | Stop::Sequence(None) => "end_turn",
        Stop::ToolUse => "tool_use",
        Stop::MaxTokens => "max_tokens",
        Stop::Sequence(Some(_)) => "stop_sequence",
        Stop::Refused => "refusal",
    }
}
