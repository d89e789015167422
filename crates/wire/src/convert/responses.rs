//! `OpenAI`'s Responses: read and written.

mod read_answer;
mod read_items;
mod read_request;
mod write_answer;
mod write_items;
mod write_request;
mod write_stream;

pub(super) use read_answer::{AnswerReader, read_answer};
pub(super) use read_request::read_request;
pub(super) use write_answer::write_answer;
pub(super) use write_request::write_request;
pub(super) use write_stream::AnswerWriter;
