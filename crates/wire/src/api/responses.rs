//! `OpenAI`'s Responses API: its implementation of the trait `Api`.

use std::collections::BTreeSet;

use client_formats::client::{CODEX_DIRECTORY_MARKER, WORKING_DIRECTORY_MARKER};
use contracts::{Requirement, Usage, events::ErrorClass};
use serde_json::{Value as Json, json};

use super::{Api, openai};
use crate::{
    convert::{
        ConversionOptions, ConvertError,
        blocks::BlockSequencer,
        canonical::{
            request::Request,
            response::{Response, ResponseHead},
        },
        gate::FeatureGate,
        stream::{ReadStream, WriteStream},
    },
    edit::{Edit, parts::remove_elements},
    fields::{Field, ObjectKind},
    inspect::inspector::{Inspector, type_of},
    json::{Cursor, Value, ValueKind},
    request_summary::RequestError,
    watch::summary_builder::SummaryBuilder,
};

mod fields;
mod inspect;
mod inspect_item;
mod read_items;
mod read_request;
mod read_response;
mod usage;
mod watch;
mod write_items;
mod write_request;
mod write_response;
mod write_response_stream;

/// The implementation of the Responses API.
pub(crate) struct Responses;

impl Api for Responses {
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
        inspector.inspect_responses_member(cursor, name)
    }

    fn inspect_event<'a>(&self, summary: &mut SummaryBuilder, data: &'a str) -> Option<Value<'a>> {
        watch::inspect_event(summary, data)
    }

    fn inspect_response<'a>(&self, summary: &mut SummaryBuilder, body: &'a str) -> Option<Value<'a>> {
        watch::inspect_response(summary, body)
    }

    fn event_members(&self) -> &'static [&'static str] {
        &["type", "response", "error"]
    }

    fn is_response(&self, body: &Value<'_>) -> bool {
        let [output, status] = body.get_many(["output", "status"]);
        // A response that is generated in the background has no output yet.
        let is_running = |status: Value<'_>| matches!(status.string().as_deref(), Some("queued" | "in_progress"));
        output.is_some_and(|output| output.kind == ValueKind::Array) || status.is_some_and(is_running)
    }

    fn usage(&self, object: &str) -> Option<Usage> {
        client_formats::usage::parse_responses(object)
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

    fn stream_reader(&self, _response_id: &str) -> Box<dyn ReadStream> {
        Box::new(read_response::ResponseReader::default())
    }

    fn stream_writer(&self, head: ResponseHead) -> Box<dyn WriteStream> {
        Box::new(write_response_stream::ResponseWriter::new(head))
    }

    fn conversation_field(&self) -> &'static str {
        "input"
    }

    fn workspace_markers(&self) -> &'static [&'static str] {
        &[CODEX_DIRECTORY_MARKER, WORKING_DIRECTORY_MARKER]
    }

    fn remove_signatures(&self, message: &Value<'_>, _edits: &mut Vec<Edit>) -> bool {
        type_of(message) == "reasoning"
            && message.get("encrypted_content").is_some_and(|encrypted| !encrypted.is_falsy())
    }

    fn remove_thinking(
        &self,
        _body: &Value<'_>,
        (name, value): (&str, Value<'_>),
        settings: &BTreeSet<Requirement>,
        edits: &mut Vec<Edit>,
    ) -> bool {
        match name {
            _ if !settings.contains(&Requirement::Effort) => false,
            "reasoning" => true,
            // OpenAI rejects this request for encrypted reasoning if the model does not reason.
            "include" => remove_elements(Some(value), edits, |item| {
                item.string().as_deref() == Some("reasoning.encrypted_content")
            }),
            _ => false,
        }
    }

    fn ends_with_done(&self) -> bool {
        true
    }

    fn thinking_tokens(&self) -> Option<&'static str> {
        Some("/output_tokens_details/reasoning_tokens")
    }

    fn error_kind(&self, class: ErrorClass) -> &'static str {
        openai::error_kind(class)
    }

    fn error_body(&self, _status: u16, kind: &str, message: &str) -> Json {
        openai::error_body(kind, message)
    }

    fn error_event_name(&self) -> Option<&'static str> {
        Some("error")
    }

    fn error_event(&self, kind: &str, message: &str) -> Json {
        // The sequence number is unknown here; clients use the type.
        json!({"type": "error", "code": kind, "message": message, "param": null, "sequence_number": 0})
    }
}
