//! Google's `generateContent` and `streamGenerateContent`: read and written.

mod read_answer;
mod read_contents;
mod read_request;
mod write_answer;
mod write_contents;
mod write_request;

pub(super) use read_answer::{AnswerReader, read_answer};
pub(super) use read_request::read_request;
pub(super) use write_answer::{AnswerWriter, write_answer};
pub(super) use write_request::write_request;

/// What stands in for the signature of a call that Gemini did not make. Google documents it for conversations that were
/// begun with another model; without any signature its newer models refuse the request.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
