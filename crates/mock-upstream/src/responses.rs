//! `OpenAI`'s Responses: validates requests and writes responses.

mod history;
mod items;
mod read;
mod write;

pub(crate) use read::parse_request;
pub(crate) use write::{failed_event, response_body, stream_events};
