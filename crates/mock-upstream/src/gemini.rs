//! Google's `generateContent`: validates requests and writes responses.

mod history;
mod read;
mod signature;
mod write;

pub(crate) use read::parse_request;
pub(crate) use write::{response_body, stream_array, stream_events};
