//! Google's `generateContent` and `streamGenerateContent`: the implementation of the trait `Api` for Gemini, and
//! Google's error statuses.

use std::collections::BTreeSet;

use client_formats::client::GEMINI_DIRECTORY_MARKERS;
use contracts::{Requirement, Usage, events::ErrorClass};
use serde_json::{Value as Json, json};

use super::Api;
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
    edit::{
        Edit,
        parts::{remove_elements, remove_members},
    },
    fields::{Field, ObjectKind},
    inspect::inspector::Inspector,
    json::{Cursor, Value},
    request_summary::RequestError,
    watch::summary_builder::SummaryBuilder,
};

mod fields;
mod inspect;
mod inspect_calls;
mod inspect_settings;
mod read_contents;
mod read_request;
mod read_response;
mod usage;
mod watch;
mod write_contents;
mod write_request;
mod write_response;

/// A placeholder for the signature of a call that Gemini did not make. Google documents it for conversations that began
/// with another model; its newer models reject calls without any signature.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// The implementation of the Gemini API.
pub(crate) struct Gemini;

impl Api for Gemini {
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
        inspector.inspect_gemini_member(cursor, name)
    }

    fn inspect_event<'a>(&self, summary: &mut SummaryBuilder, data: &'a str) -> Option<Value<'a>> {
        watch::inspect_chunk(summary, data)
    }

    fn inspect_response<'a>(&self, summary: &mut SummaryBuilder, body: &'a str) -> Option<Value<'a>> {
        watch::inspect_chunk(summary, body)
    }

    fn event_members(&self) -> &'static [&'static str] {
        &["candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId", "error"]
    }

    fn is_response(&self, body: &Value<'_>) -> bool {
        let [candidates, feedback] = body.get_many(["candidates", "promptFeedback"]);
        candidates.is_some_and(|candidates| candidates.elements().next().is_some())
            || feedback.is_some_and(|feedback| feedback.get("blockReason").is_some())
    }

    fn usage(&self, object: &str) -> Option<Usage> {
        client_formats::usage::parse_gemini(object)
    }

    fn read_request(&self, body: Json, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
        read_request::read_request(body, gate)
    }

    fn write_request(
        &self,
        request: Request,
        _conversion: &ConversionOptions<'_>,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Json, ConvertError> {
        write_request::write_request(request, gate)
    }

    fn read_response(&self, response: &Json, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        read_response::read_response(response, blocks)
    }

    fn write_response(&self, response: Response, head: &ResponseHead) -> Result<Json, ConvertError> {
        write_response::write_response(response, head)
    }

    fn stream_reader(&self, response_id: &str) -> Box<dyn ReadStream> {
        Box::new(read_response::ResponseReader::new(response_id))
    }

    fn stream_writer(&self, head: ResponseHead) -> Box<dyn WriteStream> {
        Box::new(write_response::ResponseWriter::new(head))
    }

    fn conversation_field(&self) -> &'static str {
        "contents"
    }

    fn has_model_in_path(&self) -> bool {
        true
    }

    fn has_call_ids(&self) -> bool {
        false
    }

    fn workspace_markers(&self) -> &'static [&'static str] {
        &GEMINI_DIRECTORY_MARKERS
    }

    fn remove_signatures(&self, message: &Value<'_>, edits: &mut Vec<Edit>) -> bool {
        let parts = message.get("parts");
        if remove_elements(parts, edits, is_thought) {
            return true;
        }
        for part in parts.iter().flat_map(Value::elements).filter(|part| !is_thought(part)) {
            remove_members(&part, edits, &["thoughtSignature", "thought_signature"]);
        }
        false
    }

    fn remove_thinking(
        &self,
        _body: &Value<'_>,
        (name, value): (&str, Value<'_>),
        settings: &BTreeSet<Requirement>,
        edits: &mut Vec<Edit>,
    ) -> bool {
        let has_effort = matches!(name, "generationConfig" | "generation_config");
        has_effort && settings.contains(&Requirement::Effort) && remove_thinking_level(&value, edits)
    }

    fn thinks_by_default(&self) -> bool {
        true
    }

    fn takes_unsigned_thinking(&self) -> bool {
        true
    }

    fn thinking_tokens(&self) -> Option<&'static str> {
        Some("/thoughtsTokenCount")
    }

    fn error_kind(&self, class: ErrorClass) -> &'static str {
        match class {
            ErrorClass::RateLimit => "RESOURCE_EXHAUSTED",
            ErrorClass::Overloaded | ErrorClass::Network | ErrorClass::InvalidResponse => "UNAVAILABLE",
            ErrorClass::ServerError | ErrorClass::Other => "INTERNAL",
            ErrorClass::Timeout => "DEADLINE_EXCEEDED",
            ErrorClass::ModelNotFound => "NOT_FOUND",
            ErrorClass::Auth | ErrorClass::ClientKey => "UNAUTHENTICATED",
            ErrorClass::Cancelled => "CANCELLED",
            ErrorClass::InvalidRequest | ErrorClass::ContextOverflow | ErrorClass::ContentFilter => "INVALID_ARGUMENT",
        }
    }

    fn error_body(&self, status: u16, kind: &str, message: &str) -> Json {
        json!({"error": {"code": status, "message": message, "status": kind}})
    }

    fn invalid_key_phrases(&self) -> &'static [&'static str] {
        &["api key not valid", "api_key_invalid"]
    }
}

/// Returns whether a part of a content is thinking, which Gemini marks with `"thought": true`.
fn is_thought(part: &Value<'_>) -> bool {
    part.get("thought").and_then(|thought| thought.as_bool()) == Some(true)
}

/// Adds the edits that remove the thinking level from a `generationConfig`. Returns true, without edits, if nothing
/// would be left of it.
fn remove_thinking_level(generation: &Value<'_>, edits: &mut Vec<Edit>) -> bool {
    let mut is_emptied = false;
    for thinking in generation.get_many(["thinkingConfig", "thinking_config"]).iter().flatten() {
        is_emptied |= remove_members(thinking, edits, &["thinkingLevel", "thinking_level"]);
    }
    is_emptied && remove_members(generation, edits, &["thinkingConfig", "thinking_config"])
}

/// Returns the name of Google's error status for an HTTP status, such as `NOT_FOUND` for 404; `INTERNAL` for 500 and
/// all statuses without a name of their own.
pub const fn error_status(status: u16) -> &'static str {
    match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        408 | 504 => "DEADLINE_EXCEEDED",
        429 => "RESOURCE_EXHAUSTED",
        499 => "CANCELLED",
        400..=499 => "INVALID_ARGUMENT",
        501 => "UNIMPLEMENTED",
        502 | 503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}
