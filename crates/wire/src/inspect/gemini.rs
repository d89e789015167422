//! The body of Gemini's `generateContent`. Google's servers take the names in either spelling.

use std::borrow::Cow;

use contracts::Requirement;

use super::{
    history::Draft,
    reading::{Reading, name_of},
};
use crate::{
    json::{Cursor, Kind, Value},
    known_fields::Place,
    request::{RequestError, ToolResult},
};

impl<'a> Reading<'a> {
    /// Reads one member of the body.
    pub(super) fn gemini(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "contents" => self.contents(cursor),
            "systemInstruction" | "system_instruction" => {
                let mut draft = Draft::default();
                let before = self.out.prompt.characters;
                self.content_parts(cursor, &mut draft)?;
                self.out.prompt.characters = before;
                draft.texts.into_iter().for_each(|text| self.system(text));
                Ok(())
            }
            "tools" => self.gemini_tools(cursor),
            "toolConfig" | "tool_config" => {
                let value = cursor.value()?;
                for name in names(&value) {
                    let known = matches!(name.as_ref(), "functionCallingConfig" | "function_calling_config");
                    self.requires_if(!known, Requirement::Native);
                }
                Ok(())
            }
            "generationConfig" | "generation_config" => self.generation(cursor),
            _ => self.other(cursor, Place::Body, name),
        }
    }

    fn contents(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let expected = RequestError::WrongType { field: "contents", expected: "a list of objects" };
        let Some(mut elements) = cursor.array()? else { return Err(expected) };
        let start = cursor.place().saturating_sub(1);
        self.conversation = true;
        let mut index = 0;
        while elements.next(cursor)? {
            if cursor.kind()? != Kind::Object {
                return Err(expected);
            }
            self.index = index;
            let mut draft = Draft::default();
            let role = self.content_parts(cursor, &mut draft)?;
            match role.as_str() {
                // A role may be left out, and results of functions once had one of their own.
                "user" | "" | "function" => self.said(index, &draft),
                "model" => self.answered(),
                _ => self.requires(Requirement::Native),
            }
            self.out.prompt.messages += 1;
            index += 1;
        }
        self.out.places.history = Some(start..cursor.place());
        Ok(())
    }

    /// Reads the parts of a content; gives its role.
    fn content_parts(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<String, RequestError> {
        let mut role = String::new();
        let Some(mut members) = cursor.object()? else {
            self.not_a_list(cursor)?;
            return Ok(role);
        };
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => role = cursor.value()?.string().unwrap_or_default().into_owned(),
                "parts" => {
                    let Some(mut elements) = cursor.array()? else {
                        self.not_a_list(cursor)?;
                        continue;
                    };
                    while elements.next(cursor)? {
                        self.gemini_part(cursor, draft)?;
                    }
                }
                _ => self.other(cursor, Place::Message, &name)?,
            }
        }
        Ok(role)
    }

    fn gemini_part(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "parts", expected: "a list of objects" });
        };
        let (mut text, mut thought) = (None, false);
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            match name.as_ref() {
                "text" => text = value.text(),
                "thought" => thought = value.boolean() == Some(true),
                "inlineData" | "inline_data" => self.media(&value, draft, Requirement::ToolImages),
                "fileData" | "file_data" => self.media(&value, draft, Requirement::RemoteImages),
                "functionCall" | "function_call" => {
                    self.out.tool_calls_in_history = true;
                    for name in names(&value) {
                        self.requires_if(!matches!(name.as_ref(), "id" | "name" | "args"), Requirement::Native);
                    }
                    for part in ["name", "args"] {
                        let part = value.get(part);
                        self.out.prompt.characters += part.map_or(0, |part| part.characters());
                    }
                }
                "functionResponse" | "function_response" => self.function_response(*cursor, &value, draft)?,
                _ => self.judge(Place::Part, &name, &value),
            }
        }
        self.requires_if(thought, Requirement::Signatures);
        if let Some(text) = text {
            self.out.prompt.characters += text.characters();
            if !thought {
                draft.texts.push(text);
            }
        }
        Ok(())
    }

    /// Data or a file, by what it is. `image` is what an image of this kind requires; those in the request itself
    /// require something only inside a tool's result.
    fn media(&mut self, data: &Value<'a>, draft: &mut Draft<'a>, image: Requirement) {
        let [mime, other] = data.pick(["mimeType", "mime_type"]);
        let mime = mime.or(other);
        let mime = name_of(mime.as_ref());
        if mime.starts_with("image/") {
            self.image();
            draft.images = true;
            self.requires_if(image == Requirement::RemoteImages || draft.inside_result, image);
        } else if mime.starts_with("audio/") || mime.starts_with("video/") {
            self.requires(Requirement::AudioVideo);
        } else {
            self.requires(Requirement::Documents);
        }
    }

    fn function_response(
        &mut self,
        cursor: Cursor<'a>,
        response: &Value<'a>,
        draft: &mut Draft<'a>,
    ) -> Result<(), RequestError> {
        let (mut id, mut tool, mut output) = (None, None, None);
        for (name, value) in response.members() {
            match name.string().unwrap_or_default().as_ref() {
                "id" => id = Some(value),
                "name" => tool = Some(value),
                "response" => output = Some(value),
                "parts" if !draft.inside_result => {
                    let mut result = Draft { inside_result: true, ..Draft::default() };
                    for part in value.elements() {
                        self.gemini_part(&mut cursor.at(part.start), &mut result)?;
                    }
                }
                _ => self.requires_if(!value.is_null(), Requirement::Native),
            }
        }
        let mut is_error = None;
        if let Some(output) = &output {
            self.out.prompt.characters += output.characters();
            // How Google's own clients report a failure.
            for name in names(output) {
                match name.as_ref() {
                    "error" => is_error = Some(true),
                    "output" | "result" => is_error = is_error.or(Some(false)),
                    _ => {}
                }
            }
        }
        draft.results.push(ToolResult {
            call: name_of(id.or(tool).as_ref()),
            is_error,
            bytes: output.map_or(0, |output| output.raw.len() as u64),
        });
        Ok(())
    }

    fn gemini_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else { return self.not_a_list(cursor) };
        while elements.next(cursor)? {
            let Some(mut members) = cursor.object()? else { return self.not_a_list(cursor) };
            while let Some(name) = members.next(cursor)? {
                if matches!(name.as_ref(), "functionDeclarations" | "function_declarations") {
                    self.declarations(cursor)?;
                } else {
                    cursor.value()?;
                    self.out.needs.tools = true;
                    self.requires(Requirement::ServerTools);
                }
            }
        }
        Ok(())
    }

    fn declarations(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else { return self.not_a_list(cursor) };
        while elements.next(cursor)? {
            let mark = *cursor;
            let Some(mut members) = cursor.object()? else { return self.not_a_list(cursor) };
            while let Some(name) = members.next(cursor)? {
                let value = cursor.value()?;
                let known = ["name", "description", "parameters", "parametersJsonSchema", "parameters_json_schema"];
                self.requires_if(!known.contains(&name.as_ref()) && !value.is_null(), Requirement::Native);
            }
            self.tool(mark.until(cursor));
        }
        Ok(())
    }

    fn generation(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else { return self.not_a_list(cursor) };
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            match name.as_ref() {
                "maxOutputTokens" | "max_output_tokens" => self.out.max_output = value.whole(),
                "responseSchema"
                | "response_schema"
                | "responseJsonSchema"
                | "response_json_schema"
                | "_responseJsonSchema" => {
                    self.out.needs.structured_output |= !value.is_null();
                    self.json.1 |= !value.is_null();
                    self.signs.schema(&value);
                }
                "responseMimeType" | "response_mime_type" => {
                    let mime = value.string();
                    self.json.0 = mime.as_deref() == Some("application/json");
                    self.out.needs.structured_output |= self.json.0;
                    // One word of a list.
                    self.requires_if(mime.as_deref() == Some("text/x.enum"), Requirement::Native);
                }
                "presencePenalty" | "presence_penalty" | "frequencyPenalty" | "frequency_penalty" => {
                    self.requires_if(!value.is_nothing(), Requirement::Sampling);
                }
                "stopSequences" | "stop_sequences" => self.stops(&value),
                "temperature" => self.temperature(&value),
                "thinkingConfig" | "thinking_config" => {
                    for level in value.pick(["thinkingLevel", "thinking_level"]) {
                        self.effort(level.as_ref());
                    }
                    self.judge(Place::Generation, &name, &value);
                }
                "candidateCount" | "candidate_count" => {
                    self.requires_if(value.whole() != Some(1) && !value.is_null(), Requirement::ManyAnswers);
                }
                "responseLogprobs" | "response_logprobs" | "logprobs" => {
                    self.requires_if(!value.is_nothing(), Requirement::ManyAnswers);
                }
                "responseModalities" | "response_modalities" => {
                    self.requires_if(value.raw.contains("AUDIO"), Requirement::AudioVideo);
                    let text = value.is_nothing() || value.raw.eq_ignore_ascii_case(r#"["text"]"#);
                    self.requires_if(!text && !value.raw.contains("AUDIO"), Requirement::Native);
                }
                _ => self.judge(Place::Generation, &name, &value),
            }
        }
        Ok(())
    }
}

/// The names of an object's members.
fn names<'a>(object: &Value<'a>) -> impl Iterator<Item = Cow<'a, str>> + use<'a> {
    object.members().filter_map(|(name, _)| name.string())
}
