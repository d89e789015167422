//! `OpenAI`'s Responses: validates requests and writes responses.

mod history;
mod items;
mod read;
mod write;

pub(crate) use read::read;
pub(crate) use write::{events, failed, whole};
