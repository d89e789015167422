//! Not yet converted.
use serde_json::Value;

use super::{
    Conversion, ConvertError,
    blocks::Blocks,
    canonical::{
        answer::{Answer, Event, Head},
        request::Request,
    },
    gate::Gate,
    sse::ServerEvent,
    stream::{ReadEvents, WriteEvents},
};

const LATER: ConvertError = ConvertError::malformed("this API", "is not converted yet");

pub(super) fn read_request(_: Value, _: &mut Gate<'_>) -> Result<Request, ConvertError> {
    Err(LATER)
}
pub(super) fn read_answer(_: &Value, _: &mut Blocks) -> Result<(), ConvertError> {
    Err(LATER)
}
#[derive(Debug, Default)]
pub(super) struct AnswerReader;
impl ReadEvents for AnswerReader {
    fn read(&mut self, _: ServerEvent, _: &mut Blocks) -> Result<(), ConvertError> {
        Err(LATER)
    }
    fn end(&mut self, _: &mut Blocks) -> Result<(), ConvertError> {
        Err(LATER)
    }
}
#[derive(Debug)]
pub(super) struct AnswerWriter;
impl AnswerWriter {
    pub(super) fn new(_: Head) -> Self {
        Self
    }
}
impl WriteEvents for AnswerWriter {
    fn write(&mut self, _: Event, _: &mut Vec<u8>) -> Result<(), ConvertError> {
        Err(LATER)
    }
}
pub(super) fn write_request(_: Request, _: &Conversion<'_>, _: &mut Gate<'_>) -> Result<Value, ConvertError> {
    Err(LATER)
}
pub(super) fn write_answer(_: Answer, _: &Head) -> Value {
    Value::Null
}
