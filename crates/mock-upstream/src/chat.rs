//! `OpenAI`'s Chat Completions: validates requests and writes responses.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{events, whole};
