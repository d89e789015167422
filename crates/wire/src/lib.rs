//! Inspects, edits and converts the requests and responses of the wire APIs.
//!
//! Pure: bytes in, bytes out. If client and provider use the same API, the bytes are kept, and only the ranges that
//! have to change are edited. Otherwise requests and responses are converted without loss, or rejected before anything
//! is sent.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod api;
mod convert;
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
mod response_summary;
mod usage;
mod usage_filter;
mod watch;

pub use convert::{
    ConversionOptions, ConvertError, ConvertedRequest, StreamConverter, convert_request, convert_response,
};
pub use edit::{
    Edit, apply_edits, remove_message_prefix, remove_signed_thinking, remove_thinking_settings, request_stream_usage,
    set_model,
};
pub use errors::{classify, error_body, error_event, error_kind, gemini_status};
pub use inspect::inspect;
pub use lineage::{ClientHeaders, Lineage, resolve_lineage};
pub use models_list::models_list;
pub use request_summary::{Identity, PromptCounts, RequestError, RequestSummary, ToolResult, UserMessage};
pub use response_summary::{MAX_ARGUMENT_BYTES, ResponseSummary, ResponseToolCall};
pub use usage::usage;
pub use usage_filter::UsageFilter;
pub use watch::ResponseInspector;
