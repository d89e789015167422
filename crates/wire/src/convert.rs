//! Requests and answers of one API, said in another.
//!
//! There is one canonical form of a request and one of an answer, and each API has a reader and a writer for both. What
//! an API cannot carry is refused, or dropped and reported where the caller allows it; what changes no answer is listed
//! in one table with its reason. Nothing else is lost on the way.
//!
//! Answers give up three things, whatever the pair:
//!
//! - Signatures and encrypted thinking, which only the model that wrote them can read.
//! - Thinking, on the way to clients that speak Messages or Responses: they send back what they were given, and a block
//!   without its provider's signature makes the next request to that provider fail. Chat completions clients get it
//!   as `reasoning_content`, Gemini's as thoughts.
//! - A tool call that was cut off at the most tokens, in a whole answer to an API whose arguments are objects: half an
//!   object is none. The reason to stop says that the answer is cut off.

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
pub use response::convert_answer;
pub use stream::StreamConverter;

/// A request said in another API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// The body, in JSON.
    pub body: Vec<u8>,
    /// What was dropped because the caller allowed it.
    pub dropped: BTreeSet<Requirement>,
}

/// How a request is to be said.
#[derive(Debug, Clone, Copy)]
pub struct Conversion<'a> {
    /// The client's API.
    pub from: WireApi,
    /// The provider's API, another one.
    pub to: WireApi,
    /// What the provider calls the model.
    pub model: &'a str,
    /// Whether the answer is to be streamed. Gemini says that in the path.
    pub stream: bool,
    /// Whether the model can be told how hard to think.
    pub takes_effort: bool,
    /// Whether the provider's chat completions know `max_completion_tokens`, `stream_options` and keys of its prompt
    /// cache. Some refuse every field they do not know, and tell the usage of a stream unasked.
    pub newer_chat: bool,
    /// What may be dropped, of those that are [`Requirement::OPTIONAL`].
    pub may_drop: &'a BTreeSet<Requirement>,
    /// The most tokens the model can write: said where an API wants a number and the client gave none, and instead of
    /// a greater number, which providers refuse. 0 when it is not known.
    pub max_output: u64,
}
