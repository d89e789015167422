//! `OpenAI`'s Chat Completions: what is wrong with a request, and the shapes of an answer.

mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{events, whole};
