//! Parses a response of Gemini. A stream consists of responses that each contain a part of the whole.

use contracts::{WireApi, events::ErrorClass};
use serde_json::Value;

use crate::convert::{
    ConvertError,
    blocks::Blocks,
    canonical::{
        response::{Failure, Kind, Start, Stop},
        tokens::Tokens,
    },
    ids,
    stream::ReadEvents,
};

const API: WireApi = WireApi::Gemini;

const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has a part of a kind that was not asked for");

/// Reads a streamed response; one that is not streamed is read as a single chunk.
#[derive(Debug)]
pub(crate) struct AnswerReader {
    /// The id of the response, from which missing call ids are derived.
    answer: String,
    calls: usize,
    tokens: Tokens,
    stop: Option<Stop>,
}

fn text<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

pub(crate) fn read_answer(answer: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
    let mut reader = AnswerReader::new(text(answer, "/responseId").unwrap_or_default());
    if reader.answer.is_empty() {
        reader.answer = answer.to_string();
    }
    reader.read_piece(answer, blocks)?;
    reader.end(blocks)
}

impl AnswerReader {
    pub(crate) fn new(answer: &str) -> Self {
        Self { answer: answer.to_owned(), calls: 0, tokens: Tokens::default(), stop: None }
    }

    fn read_piece(&mut self, piece: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
        if let Some(error) = piece.get("error") {
            blocks.fail(Failure::of(API, error));
            return Ok(());
        }
        blocks.start(Start { id: text(piece, "/responseId").map(str::to_owned), ..Start::default() });
        if let Some(usage) = piece.get("usageMetadata") {
            self.tokens = Tokens::of(API, usage);
        }
        if text(piece, "/promptFeedback/blockReason").is_some() {
            self.stop = Some(Stop::Refused);
        }
        for candidate in piece.get("candidates").and_then(Value::as_array).into_iter().flatten() {
            if candidate.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                return Err(ConvertError::malformed("the answer", "has more candidates than were asked for"));
            }
            for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
                self.read_part(part, blocks)?;
            }
            if let Some(reason) = text(candidate, "/finishReason") {
                self.finish(reason, blocks);
            }
        }
        Ok(())
    }

    fn read_part(&mut self, part: &Value, blocks: &mut Blocks) -> Result<(), ConvertError> {
        if let Some(said) = text(part, "/text") {
            let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
            return blocks.flow(if is_thought { Kind::Thinking } else { Kind::Text }, said);
        }
        let Some(call) = part.get("functionCall") else {
            // A signature may come alone.
            let known = |name: &String| name == "thoughtSignature" || name == "thought";
            let is_bare = part.as_object().is_some_and(|part| part.keys().all(known));
            return if is_bare { Ok(()) } else { Err(UNKNOWN) };
        };
        let id = text(call, "/id").filter(|id| !id.is_empty()).map(str::to_owned);
        let id = id.unwrap_or_else(|| ids::derived(&self.answer, self.calls));
        self.calls += 1;
        let name = text(call, "/name").ok_or(ConvertError::malformed("a function call", "names no function"))?;
        let handle = blocks.open(Kind::Tool { id, name: name.to_owned(), custom: false });
        if let Some(args) = call.get("args").filter(|args| !args.is_null()) {
            blocks.delta(handle, &args.to_string())?;
        }
        blocks.close(handle);
        Ok(())
    }

    fn finish(&mut self, reason: &str, blocks: &mut Blocks) {
        self.stop = Some(match reason {
            "MAX_TOKENS" => Stop::MaxTokens,
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "IMAGE_SAFETY" => {
                Stop::Refused
            }
            "MALFORMED_FUNCTION_CALL"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE" => {
                let message = "the model's call of a function was not valid".to_owned();
                blocks.fail(Failure { class: ErrorClass::ServerError, message });
                return;
            }
            // `STOP`, and what is to come.
            _ => Stop::EndTurn,
        });
    }
}

impl ReadEvents for AnswerReader {
    fn read(&mut self, data: &str, blocks: &mut Blocks) -> Result<(), ConvertError> {
        let piece: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        self.read_piece(&piece, blocks)
    }

    /// Finishes the response. No chunk is marked as the last: usage and more parts may follow the finish reason.
    fn end(&mut self, blocks: &mut Blocks) -> Result<(), ConvertError> {
        if let Some(stop) = self.stop.take() {
            blocks.finish(stop, self.tokens);
        }
        Ok(())
    }
}
