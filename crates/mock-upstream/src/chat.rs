//! `OpenAI`'s Chat Completions: validates requests and writes responses.

mod read;
mod write;

pub(crate) use read::parse_request;
pub(crate) use write::{response_body, stream_events};
