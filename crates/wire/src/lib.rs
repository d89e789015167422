//! Inspects, edits and converts the requests and responses of the wire APIs.
//!
//! - `inspect` parses a request body in one pass and returns its `RequestSummary`; `ResponseInspector` does the same
//!   for a response while it is forwarded.
//! - `Edit` and `apply_edits` change ranges of a body and leave all other bytes unchanged. They are used if client and
//!   provider have the same API.
//! - `convert_request`, `convert_response` and `StreamConverter` convert between two APIs. A request with a feature
//!   that the provider's API does not support is rejected before it is sent, unless the caller allows that the feature
//!   is dropped.
//! - `classify`, `error_body` and `error_event` read and write the errors of each API.
//! - `resolve_lineage` identifies the session, thread and client of a request.
//!
//! Terms: the *client's API* and the *provider's API* are the wire APIs in which a request arrives and in which it is
//! sent on. A *requirement* is a feature of a request that not every API supports; a request with the requirement
//! `Native` can only be sent in its own API. The *canonical form* is the representation between two APIs during a
//! conversion.
//!
//! The crate is pure: bytes in, bytes out, without I/O, clock or randomness.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod api;
mod convert;
mod defect;
mod edit;
mod errors;
mod events;
mod fields;
mod inspect;
mod json;
mod limits;
mod lineage;
mod models_list;
mod request_summary;
mod usage;
mod usage_filter;
mod watch;

pub use convert::{
    ConversionOptions, ConvertError, ConvertedRequest, StreamConverter, convert_request, convert_response,
};
pub use defect::ResponseDefect;
pub use edit::{
    Edit, apply_edits, remove_message_prefix, remove_signed_thinking, remove_thinking_settings, request_stream_usage,
    set_model,
};
pub use errors::{classify, error_body, error_event, error_kind, gemini_status};
pub use inspect::inspect;
pub use lineage::{ClientHeaders, Lineage, resolve_lineage};
pub use models_list::models_list;
pub use request_summary::{Identity, PromptCounts, RequestError, RequestSummary, ToolResult, UserMessage};
pub use usage::usage;
pub use usage_filter::UsageFilter;
pub use watch::ResponseInspector;
