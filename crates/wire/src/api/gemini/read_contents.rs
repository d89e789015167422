//! Parses the contents of a `generateContent` request to canonical messages.

use contracts::Requirement;
use serde_json::{Map, Value};

use super::{NO_SIGNATURE, inspect_calls::requirement_of_media};
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Image, Message, Role, ToolCall, ToolInput, ToolResult},
        fields::ObjectReader,
        gate::FeatureGate,
        ids,
    },
    fields::ObjectKind,
};

/// The error for content that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses the contents of a `generateContent` request, one after the other.
///
/// Gemini's calls need no ids, since function responses are in the order of the calls and name the function. The id of
/// a call without one is derived from its position in the conversation, so that a later request with the same
/// conversation results in the same ids.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// The number of calls so far.
    calls: usize,
    /// The id and function name of each call that has no response yet.
    unanswered: Vec<(String, String)>,
}

impl Contents {
    /// Parses the system instruction of a Gemini request, a string or a content with parts. Its role is ignored.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if a part is not supported.
    pub(super) fn read_system(
        &mut self,
        content: Value,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Vec<Block>, ConvertError> {
        if let Value::String(text) = content {
            return Ok(vec![Block::Text(text)]);
        }
        let mut fields = ObjectReader::new_google(content, "the system instruction")?;
        // Clients send `user` or `system` here; the value has no meaning.
        fields.take_string("role")?;
        let blocks = self.read_parts(&mut fields, Role::System, gate)?;
        fields.finish_known(ObjectKind::Message, gate)?;
        Ok(blocks)
    }

    /// Parses a content of a Gemini request, which is a message with a role and parts. A missing role counts as `user`.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] for unknown roles, and the errors of `read_part`.
    pub(super) fn read(&mut self, content: Value, gate: &mut FeatureGate<'_>) -> Result<Message, ConvertError> {
        let mut fields = ObjectReader::new_google(content, "a content")?;
        let role = match fields.take_string("role")?.as_deref() {
            None | Some("user" | "function") => Role::User,
            Some("model") => Role::Assistant,
            Some(_) => return Err(NATIVE),
        };
        let blocks = self.read_parts(&mut fields, role, gate)?;
        fields.finish_known(ObjectKind::Message, gate)?;
        Ok(Message { role, blocks })
    }

    /// Takes the parts of a content in a Gemini request and parses them; `role` is the author of the content.
    ///
    /// # Errors
    /// The errors of `read_part`, and [`ConvertError::Malformed`] if the parts are not a list.
    fn read_parts(
        &mut self,
        fields: &mut ObjectReader,
        role: Role,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Vec<Block>, ConvertError> {
        let mut blocks = Vec::new();
        for part in fields.take_list("parts")? {
            blocks.extend(self.read_part(part, role, gate)?);
        }
        Ok(blocks)
    }

    /// Parses a part of a content in a Gemini request; `None` for thinking, which is dropped, and for empty texts.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if the part is not supported, or not allowed in this role.
    fn read_part(
        &mut self,
        part: Value,
        role: Role,
        gate: &mut FeatureGate<'_>,
    ) -> Result<Option<Block>, ConvertError> {
        let mut fields = ObjectReader::new_google(part, "a part of a content")?;
        if fields.take_unless("thoughtSignature", |signature| signature == NO_SIGNATURE).is_some() {
            gate.drop_feature(Requirement::EarlierThinking)?;
        }
        let is_thought = fields.take_bool("thought")?.unwrap_or(false);
        let block = if let Some(text) = fields.take_string("text")? {
            (!text.is_empty()).then_some(Block::Text(text))
        } else if let Some(data) = fields.take("inlineData") {
            let image = read_inline(data)?;
            // Images by the model cannot be sent back in other APIs.
            Some(Block::Image((role == Role::User).then_some(image).ok_or(NATIVE)?))
        } else if let Some(file) = fields.take("fileData") {
            return Err(read_file(&file));
        } else if let Some(call) = fields.take("functionCall") {
            if role != Role::Assistant {
                return Err(NATIVE);
            }
            Some(Block::ToolCall(self.read_call(call)?))
        } else if let Some(response) = fields.take("functionResponse") {
            if role != Role::User {
                return Err(NATIVE);
            }
            Some(Block::ToolResult(self.read_response(response, gate)?))
        } else {
            None
        };
        fields.finish_known(ObjectKind::Part, gate)?;
        if is_thought {
            gate.drop_feature(Requirement::EarlierThinking)?;
            return if matches!(block, None | Some(Block::Text(_))) { Ok(None) } else { Err(NATIVE) };
        }
        Ok(block)
    }

    /// Parses a function call in a Gemini request and adds it to the unanswered ones. A call without an id gets a
    /// derived id.
    ///
    /// # Errors
    /// [`ConvertError::Malformed`] if the arguments are not an object, or the name is missing.
    fn read_call(&mut self, call: Value) -> Result<ToolCall, ConvertError> {
        let mut fields = ObjectReader::new_google(call, "a function call")?;
        let id = fields.take_string("id")?.unwrap_or_else(|| ids::derived_call_id("", self.calls));
        self.calls += 1;
        let name = fields.take_required_string("name")?;
        let input = match fields.take("args") {
            None => Map::new(),
            Some(Value::Object(args)) => args,
            Some(_) => return Err(fields.malformed("has arguments that are not an object")),
        };
        fields.finish()?;
        self.unanswered.push((id.clone(), name.clone()));
        Ok(ToolCall { id, name, input: ToolInput::Object(input) })
    }

    /// Parses a function response in a Gemini request and removes its call from the unanswered ones: the call with the
    /// same id, or else the first one of the same function.
    ///
    /// # Errors
    /// [`ConvertError::Requires`] if there is no such call, or if the response has an image and the provider's API does
    /// not support images in results.
    fn read_response(&mut self, response: Value, gate: &FeatureGate<'_>) -> Result<ToolResult, ConvertError> {
        let mut fields = ObjectReader::new_google(response, "a function response")?;
        let (id, name) = (fields.take_string("id")?, fields.take_string("name")?);
        let by_id = self.unanswered.iter().position(|(call, _)| Some(call) == id.as_ref());
        let by_name = || self.unanswered.iter().position(|(_, function)| Some(function) == name.as_ref());
        let Some(position) = by_id.or_else(by_name) else {
            return Err(ConvertError::Requires(Requirement::ResultWithoutCall));
        };
        let (call, _) = self.unanswered.remove(position);
        let (output, has_failed) = match fields.take("response") {
            None => (None, false),
            Some(response) => read_output(response),
        };
        let mut content: Vec<Block> = output.map(Block::Text).into_iter().collect();
        for part in fields.take_list("parts")? {
            content.push(read_response_image(part, gate)?);
        }
        fields.finish()?;
        Ok(ToolResult { call_id: call, content, has_failed })
    }
}

/// Converts the `response` of a function to text, `None` if it is `null`, and returns whether the function failed.
/// Google specifies an object with the only member `output` or `error`, and accepts any other value; that is converted
/// to JSON text.
fn read_output(response: Value) -> (Option<String>, bool) {
    let text = |value| match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        value => Some(value.to_string()),
    };
    match response {
        Value::Object(mut map) if map.len() == 1 => {
            if let Some(output) = map.remove("output") {
                return (text(output), false);
            }
            if let Some(error) = map.remove("error") {
                return (text(error), true);
            }
            (text(Value::Object(map)), false)
        }
        response => (text(response), false),
    }
}

/// Parses an image in a function response of a Gemini request.
///
/// # Errors
/// [`ConvertError::Requires`] for files, for other media, and for images if the provider's API does not support images
/// in results.
fn read_response_image(part: Value, gate: &FeatureGate<'_>) -> Result<Block, ConvertError> {
    let mut fields = ObjectReader::new_google(part, "a part of a response")?;
    let image = match (fields.take("inlineData"), fields.take("fileData")) {
        (Some(data), None) => read_inline(data)?,
        (None, Some(file)) => return Err(read_file(&file)),
        _ => return Err(NATIVE),
    };
    fields.finish()?;
    gate.require(Requirement::ToolImages)?;
    Ok(Block::Image(image))
}

/// Parses inline data of a Gemini request, which has to be an image.
///
/// # Errors
/// [`ConvertError::Requires`] for audio, video and documents.
fn read_inline(data: Value) -> Result<Image, ConvertError> {
    let mut fields = ObjectReader::new_google(data, "data in a part")?;
    let (media_type, data) = (fields.take_required_string("mimeType")?, fields.take_required_string("data")?);
    fields.finish()?;
    match requirement_of_media(&media_type) {
        Requirement::RemoteImages => Ok(Image::Inline { media_type, data }),
        requirement => Err(ConvertError::Requires(requirement)),
    }
}

/// Returns the error for a file reference, which cannot be converted: only Google can fetch the file, with its keys or
/// from its storage.
fn read_file(file: &Value) -> ConvertError {
    let media_type = ["mimeType", "mime_type"].into_iter().find_map(|name| file.get(name)?.as_str());
    ConvertError::Requires(requirement_of_media(media_type.unwrap_or_default()))
}
