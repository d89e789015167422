//! Parses the responses of Gemini to canonical blocks. A stream consists of responses that each contain a part of the
//! content.

use contracts::{WireApi, events::ErrorClass};
use serde_json::Value;

use crate::convert::{
    ConvertError,
    blocks::BlockSequencer,
    canonical::{
        response::{BlockKind, Failure, Start, Stop},
        tokens::Tokens,
    },
    ids,
    object::{str_at, text_of_arguments},
    stream::ReadStream,
};

/// The API whose responses are parsed here.
const API: WireApi = WireApi::Gemini;

/// The error for content of a type that a converted request cannot cause.
const UNKNOWN: ConvertError = ConvertError::malformed("the answer", "has a part of a kind that was not asked for");

/// Parses a `generateContent` response: converts its chunks to canonical blocks. A response that is not streamed is
/// parsed as one chunk.
#[derive(Debug)]
pub(crate) struct ResponseReader {
    /// The id of the response, from which missing call ids are derived.
    response_id: String,
    /// The number of calls so far.
    calls: usize,
    /// The token counts of the last usage object.
    tokens: Tokens,
    /// The stop reason, once received.
    stop: Option<Stop>,
}

/// Parses a `generateContent` response that is not streamed, and adds its content to `blocks`. Call ids of a response
/// without an id are derived from the text of the response.
///
/// # Errors
/// [`ConvertError::Malformed`] if the response has a second candidate, or a part of an unknown kind.
pub(crate) fn read_response(response: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
    let mut reader = ResponseReader::new(str_at(response, "/responseId").unwrap_or_default());
    if reader.response_id.is_empty() {
        reader.response_id = response.to_string();
    }
    reader.read_chunk(response, blocks)?;
    reader.end(blocks)
}

impl ResponseReader {
    /// Creates a reader of a Gemini response. Ids of function calls that have none are derived from `response_id`.
    pub(crate) fn new(response_id: &str) -> Self {
        Self { response_id: response_id.to_owned(), calls: 0, tokens: Tokens::default(), stop: None }
    }

    /// Parses a chunk of a Gemini response and adds its content to `blocks`. An error object ends the response as
    /// failed.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the chunk has a second candidate, or a part of an unknown kind.
    fn read_chunk(&mut self, chunk: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(error) = chunk.get("error") {
            blocks.fail(Failure::parse(API, error));
            return Ok(());
        }
        blocks.start(Start { id: str_at(chunk, "/responseId").map(str::to_owned), ..Start::default() });
        if let Some(usage) = chunk.get("usageMetadata") {
            self.tokens = Tokens::parse(API, usage);
        }
        if str_at(chunk, "/promptFeedback/blockReason").is_some() {
            self.stop = Some(Stop::Refused);
        }
        for candidate in chunk.get("candidates").and_then(Value::as_array).into_iter().flatten() {
            if candidate.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                return Err(ConvertError::malformed("the answer", "has more candidates than were asked for"));
            }
            for part in candidate.pointer("/content/parts").and_then(Value::as_array).into_iter().flatten() {
                self.read_part(part, blocks)?;
            }
            if let Some(reason) = str_at(candidate, "/finishReason") {
                self.finish(reason, blocks);
            }
        }
        Ok(())
    }

    /// Appends a part of a Gemini response to `blocks`: text, thinking or a function call. A part with only a signature
    /// is ignored.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] for parts of other kinds, and for calls without a name.
    fn read_part(&mut self, part: &Value, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(content_text) = str_at(part, "/text") {
            let is_thought = part.get("thought").and_then(Value::as_bool).unwrap_or(false);
            return blocks.append_run(if is_thought { BlockKind::Thinking } else { BlockKind::Text }, content_text);
        }
        let Some(call) = part.get("functionCall") else {
            // A part may contain a signature only.
            let is_signature_member = |name: &String| name == "thoughtSignature" || name == "thought";
            let has_signature_only = part.as_object().is_some_and(|part| part.keys().all(is_signature_member));
            return if has_signature_only { Ok(()) } else { Err(UNKNOWN) };
        };
        let id = str_at(call, "/id").filter(|id| !id.is_empty()).map(str::to_owned);
        let id = id.unwrap_or_else(|| ids::derived_call_id(&self.response_id, self.calls));
        self.calls += 1;
        let name = str_at(call, "/name").ok_or(ConvertError::malformed("a function call", "names no function"))?;
        let handle = blocks.open_block(BlockKind::Tool { id, name: name.to_owned(), custom: false });
        if let Some(args) = call.get("args").filter(|args| !args.is_null()) {
            blocks.append(handle, &text_of_arguments(args)?)?;
        }
        blocks.close_block(handle);
        Ok(())
    }

    /// Records the stop reason from the `finishReason` of a Gemini response. If the reason is an invalid function call,
    /// the response ends as failed.
    fn finish(&mut self, reason: &str, blocks: &mut BlockSequencer) {
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
            // `STOP` and unknown reasons.
            _ => Stop::EndTurn,
        });
    }
}

impl ReadStream for ResponseReader {
    fn read(&mut self, data: &str, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        let chunk: Value =
            serde_json::from_str(data).map_err(|_| ConvertError::malformed("an event of the stream", "is not JSON"))?;
        self.read_chunk(&chunk, blocks)
    }

    /// Finishes the response if a stop reason was received. No chunk is marked as the last: usage and more parts may
    /// follow the finish reason.
    fn end(&mut self, blocks: &mut BlockSequencer) -> Result<(), ConvertError> {
        if let Some(stop) = self.stop.take() {
            blocks.finish(stop, self.tokens);
        }
        Ok(())
    }
}
