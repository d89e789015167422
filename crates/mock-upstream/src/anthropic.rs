//! Anthropic's Messages: validates requests and writes responses.

mod history;
mod read;
mod write;

pub(crate) use read::parse_request;
pub(crate) use write::{response_body, stream_events};
