//! `OpenAI`'s Responses: what is wrong with a request, and the shapes of an answer.

mod history;
mod items;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{events, failed, whole};
