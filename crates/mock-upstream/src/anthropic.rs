//! Anthropic's Messages: validates requests and writes responses.

mod history;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{events, whole};
