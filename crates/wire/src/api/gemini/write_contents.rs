//! Writes the contents of a `generateContent` request from canonical messages.

use std::collections::BTreeMap;

use contracts::Requirement;
use serde_json::Value;

use super::NO_SIGNATURE;
use crate::convert::{
    ConvertError,
    canonical::request::{Block, Image, Message, Role, ToolCall, ToolResult},
    object::object,
};

/// Writes the contents of a `generateContent` request, one after the other.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The position and function name of each call, by its id. Function responses name the function and must be in the
    /// order of the calls.
    calls: BTreeMap<String, (usize, String)>,
}

impl Contents {
    /// Writes a message as a content of a Gemini request; `None` if it is empty. Function responses come first, in the
    /// order of their calls. The first call of a message gets a placeholder signature.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] for a system message, for remote images, for arguments that are not a JSON object,
    /// and for tool results with an image or without a call.
    pub(super) fn write(&mut self, message: Message) -> Result<Option<Value>, ConvertError> {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "model",
            Role::System => return Err(ConvertError::Requires(Requirement::MidConversationSystem)),
        };
        let mut blocks = message.blocks;
        blocks.sort_by_key(|block| match block {
            Block::ToolResult(result) => self.calls.get(&result.call_id).map_or(0, |(position, _)| *position),
            _ => usize::MAX,
        });
        let mut parts = Vec::with_capacity(blocks.len());
        let mut has_call = false;
        for block in blocks {
            parts.push(match block {
                Block::Text(text) if text.is_empty() => continue,
                Block::Text(text) => object!({"text": text}),
                Block::Image(Image::Inline { media_type, data }) => {
                    object!({"inlineData": object!({"mimeType": media_type, "data": data})})
                }
                Block::Image(Image::Remote(_)) => return Err(ConvertError::Requires(Requirement::RemoteImages)),
                Block::ToolCall(call) => {
                    let mut part = self.write_call(call)?;
                    // Only the first of several parallel calls is signed.
                    if !std::mem::replace(&mut has_call, true) {
                        part["thoughtSignature"] = Value::from(NO_SIGNATURE);
                    }
                    part
                }
                Block::ToolResult(result) => self.write_result(result)?,
            });
        }
        Ok((!parts.is_empty()).then(|| object!({"role": role, "parts": parts})))
    }

    /// Writes a function call of a Gemini request, and records its position and name for its response.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if the arguments are not a JSON object.
    fn write_call(&mut self, call: ToolCall) -> Result<Value, ConvertError> {
        let part = object!({"functionCall": object!({"name": call.name.as_str(), "args": call.input.into_object()?})});
        self.calls.insert(call.id, (self.calls.len(), call.name));
        Ok(part)
    }

    /// Writes a function response of a Gemini request, with its texts joined by line feeds in `output`, or in `error`
    /// if the function failed.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if no earlier call has the id of the result, or if the result has an image.
    fn write_result(&self, result: ToolResult) -> Result<Value, ConvertError> {
        let (_, name) =
            self.calls.get(&result.call_id).ok_or(ConvertError::Requires(Requirement::ResultWithoutCall))?;
        let mut texts = Vec::with_capacity(result.content.len());
        for block in result.content {
            match block {
                Block::Text(text) => texts.push(text),
                _ => return Err(ConvertError::Requires(Requirement::ToolImages)),
            }
        }
        let key = if result.has_failed { "error" } else { "output" };
        Ok(
            object!({"functionResponse": object!({"name": name.as_str(), "response": object!({(key): texts.join("\n")})})}),
        )
    }
}
