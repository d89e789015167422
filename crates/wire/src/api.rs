//! The wire APIs: a trait that each API implements, with one folder per API for its formats.
//!
//! To add an API: add a variant to [`WireApi`], a folder here that implements [`Api`], and a line in
//! [`implementation`].

use std::collections::BTreeSet;

use contracts::{Requirement, Usage, WireApi, events::ErrorClass};
use serde_json::Value as Json;

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
    edit::Edit,
    fields::{Field, ObjectKind},
    inspect::inspector::Inspector,
    json::{Cursor, Value},
    request_summary::RequestError,
    watch::summary_builder::SummaryBuilder,
};

mod anthropic;
mod chat;
mod gemini;
mod openai;
mod responses;

pub use gemini::error_status as gemini_status;

/// Returns the implementation of a wire API. This is the only list of implementations.
pub(crate) const fn implementation(api: WireApi) -> &'static dyn Api {
    match api {
        WireApi::AnthropicMessages => &anthropic::Anthropic,
        WireApi::OpenAiChat => &chat::Chat,
        WireApi::OpenAiResponses => &responses::Responses,
        WireApi::Gemini => &gemini::Gemini,
    }
}

/// The format of one wire API: how requests and responses are inspected, edited, parsed and written, and its errors.
pub(crate) trait Api: Sync {
    // Inspecting and editing requests.

    /// Returns the table of known fields of a kind of object in a request, each with the rule by which it is
    /// classified; empty if the API's requests have no objects of this kind.
    fn fields(&self, kind: ObjectKind) -> &'static [Field];

    /// Returns the fields, by name, that a conversion may ignore because they change no response, each with the reason.
    fn ignorable_fields(&self, kind: ObjectKind) -> &'static [(&'static str, &'static str)];

    /// Returns the name of the member of a request body that contains the conversation, such as `messages`.
    fn conversation_field(&self) -> &'static str;

    /// Returns whether the model is named in the path instead of in the body.
    fn has_model_in_path(&self) -> bool {
        false
    }

    /// Returns whether every tool call has an id.
    fn has_call_ids(&self) -> bool {
        true
    }

    /// Returns whether a stream reports usage only if the request asks for it.
    fn reports_usage_on_request(&self) -> bool {
        false
    }

    /// Returns the texts after which clients of the API write the path of their working directory in a prompt, such as
    /// `<cwd>`.
    fn workspace_markers(&self) -> &'static [&'static str];

    /// Inspects the member `name` of a request body: adds its content to the request summary of `inspector` and records
    /// the API features that it requires. `cursor` is before the value of the member, and after it on return.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or has a type with which the request cannot be inspected.
    fn inspect_member<'a>(
        &self,
        inspector: &mut Inspector<'a>,
        cursor: &mut Cursor<'a>,
        name: &str,
    ) -> Result<(), RequestError>;

    /// Adds the edits that remove signed thinking from a message to `edits`. Returns true, without adding edits, if the
    /// message would be empty without its thinking; the caller then removes the message.
    fn remove_signatures(&self, message: &Value<'_>, edits: &mut Vec<Edit>) -> bool;

    /// Adds the edits that remove the thinking settings in `settings` from one member of `body` to `edits`. `member` is
    /// the name and value of the member. Returns true, without adding edits, if the caller has to remove the member
    /// itself.
    fn remove_thinking(
        &self,
        body: &Value<'_>,
        member: (&str, Value<'_>),
        settings: &BTreeSet<Requirement>,
        edits: &mut Vec<Edit>,
    ) -> bool;

    /// Returns whether models without a reasoning effort think unless thinking is switched off.
    fn thinks_by_default(&self) -> bool {
        false
    }

    // Inspecting responses.

    /// Adds the data of one server-sent event to the summary of the response. Returns the error object in the data;
    /// `None` if it has none, or is not a JSON object.
    fn inspect_event<'a>(&self, summary: &mut SummaryBuilder, data: &'a str) -> Option<Value<'a>>;

    /// Adds a non-streaming response to the response summary. Returns the error object in it; `None` if it has none, or
    /// is not a JSON object.
    fn inspect_response<'a>(&self, summary: &mut SummaryBuilder, body: &'a str) -> Option<Value<'a>>;

    /// Returns names of members: the data of every event of a stream has at least one of them.
    fn event_members(&self) -> &'static [&'static str];

    /// Returns whether a JSON object is a response that is not streamed: it has the member with the content, or states
    /// why there is none.
    fn is_response(&self, body: &Value<'_>) -> bool;

    /// Returns whether the data `[DONE]` marks a complete stream.
    fn ends_with_done(&self) -> bool {
        false
    }

    /// Converts the usage object of a response, given as JSON text, to disjoint token counts; `None` if it has no
    /// counts.
    fn usage(&self, object: &str) -> Option<Usage>;

    // Converting.

    /// Parses a request body to the canonical form, which is independent of the API. Features that the provider's API
    /// may not support are checked with `gate`, which records the dropped ones.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if a feature is not supported and may not be dropped; [`ConvertError::Malformed`] if
    /// the body does not follow the API.
    fn read_request(&self, body: Json, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError>;

    /// Writes a request body from the canonical form. Features without a counterpart in the API are dropped through
    /// `gate`.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if a feature is not supported and may not be dropped; [`ConvertError::Malformed`] if
    /// the request contains an invalid value.
    fn write_request(
        &self,
        request: Request,
        conversion: &ConversionOptions<'_>,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Json, ConvertError>;

    /// Parses a response that is not streamed, and adds its content to `blocks`. An error object of the provider ends
    /// the response in `blocks` as failed.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the response does not follow the API.
    fn read_response(&self, response: &Json, blocks: &mut BlockSequencer) -> Result<(), ConvertError>;

    /// Writes the body of a response that is not streamed; `head` has the id, model and creation time for the client.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the API cannot represent the content.
    fn write_response(&self, response: Response, head: &ResponseHead) -> Result<Json, ConvertError>;

    /// Returns a parser for a streamed response. Ids of tool calls that have none are derived from `response_id`.
    fn stream_reader(&self, response_id: &str) -> Box<dyn ReadStream>;

    /// Returns a writer for a streamed response; `head` has the id, model and creation time for the client.
    fn stream_writer(&self, head: ResponseHead) -> Box<dyn WriteStream>;

    /// Returns whether clients of the API accept thinking without a signature. If not, thinking is removed from
    /// converted responses.
    fn takes_unsigned_thinking(&self) -> bool {
        false
    }

    /// Returns the JSON pointer of the count of thinking tokens in a usage object; `None` if the API has no such count.
    fn thinking_tokens(&self) -> Option<&'static str> {
        None
    }

    // Errors.

    /// Returns the HTTP status of an error of class [`ErrorClass::Overloaded`].
    fn overloaded_status(&self) -> u16 {
        503
    }

    /// Returns the API's name of an error class, such as `rate_limit_error`.
    fn error_kind(&self, class: ErrorClass) -> &'static str;

    /// Returns the JSON body of an error response with this HTTP status; `kind` is the API's name of the error, from
    /// [`Api::error_kind`].
    fn error_body(&self, status: u16, kind: &str, message: &str) -> Json;

    /// Returns the `event` field of the server-sent event that reports an error; `None` if such events have no name.
    fn error_event_name(&self) -> Option<&'static str> {
        None
    }

    /// Returns the data of the server-sent event that reports an error within a stream. By default it is the body of an
    /// error response with status 500.
    fn error_event(&self, kind: &str, message: &str) -> Json {
        self.error_body(500, kind, message)
    }

    /// Returns phrases, in lower case, that identify an error with status 400 as an invalid API key; empty if the API
    /// reports invalid keys with another status.
    fn invalid_key_phrases(&self) -> &'static [&'static str] {
        &[]
    }
}
