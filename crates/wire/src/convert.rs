//! Converts requests and responses between APIs.
//!
//! Requests and responses are parsed to a canonical form, from which the other API's form is written. A feature that
//! the other API does not support is an error, or it is dropped and reported if the caller allows it. Fields that
//! change no response are ignored; each API lists them with the reason. All other content is preserved.
//!
//! A conversion removes three kinds of content from responses:
//!
//! - Signatures and encrypted thinking, which only the model that wrote them can read.
//! - Thinking, for clients of Messages or Responses: they send back the blocks they received, and a block without its
//!   provider's signature makes the next request to that provider fail. Clients of chat completions receive it as
//!   `reasoning_content`, those of Gemini as thoughts.
//! - A tool call that the output limit cut off, in a response that is not streamed and whose API has objects as
//!   arguments: an incomplete object cannot be written. The stop reason shows that the response was cut off.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};

pub(crate) mod balance;
pub(crate) mod blocks;
pub(crate) mod canonical;
mod failure;
pub(crate) mod fields;
pub(crate) mod gate;
pub(crate) mod ids;
pub(crate) mod object;
pub(crate) mod request;
mod response;
pub(crate) mod schema;
pub(crate) mod sse;
pub(crate) mod stream;

pub use failure::ConvertError;
pub use request::convert_request;
pub use response::convert_response;
pub use stream::StreamConverter;

/// A request body converted to the API of the provider, with the features that were dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedRequest {
    /// The request body for the provider, as JSON.
    pub body: Vec<u8>,
    /// The optional features of the request that were dropped because the provider's API or model does not support
    /// them.
    pub dropped: BTreeSet<Requirement>,
}

/// The parameters for converting a request: the APIs, the provider's model and its limits, and the features that may be
/// dropped.
#[derive(Debug, Clone, Copy)]
pub struct ConversionOptions<'a> {
    /// The API in which the client sent the request.
    pub from: WireApi,
    /// The API in which the provider receives it. It differs from `from`.
    pub to: WireApi,
    /// The provider's name of the model.
    pub model: &'a str,
    /// Whether to request a streamed response. Not written for Gemini, where the path of the request states it.
    pub stream: bool,
    /// Whether the model accepts a reasoning effort. If not, the effort is removed from the request.
    pub accepts_effort: bool,
    /// Whether the provider's chat completions accept the newer fields `max_completion_tokens`, `stream_options` and
    /// `prompt_cache_key`. Some compatible servers reject unknown fields, and always report the usage of a stream.
    /// Ignored for other APIs.
    pub newer_chat: bool,
    /// The features that may be dropped if the provider's API or model does not support them. Only those in
    /// [`Requirement::ADAPTABLE`] can be dropped.
    pub may_drop: &'a BTreeSet<Requirement>,
    /// The output limit of the model, in tokens; 0 if unknown. A higher limit in the request is reduced to it, because
    /// providers reject higher limits, and a missing one is replaced by it if the API requires a limit.
    pub max_output: u64,
}
