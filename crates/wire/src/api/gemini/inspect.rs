//! Inspects a request body of Gemini's `generateContent`. Google's servers accept names in camel case and in snake
//! case.

use std::borrow::Cow;

use contracts::Requirement;

use crate::inspect::{history::Draft, inspector::Inspector};
use crate::{
    fields::ObjectKind,
    json::{Cursor, Kind},
    request_summary::RequestError,
};

/// The expected type of `contents` and `parts`, for errors.
const LIST_OF_OBJECTS: &str = "a list of objects";

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a `generateContent` request and records the features it requires; `cursor` is
    /// before its value.
    pub(crate) fn gemini(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "contents" => self.each_message(cursor, LIST_OF_OBJECTS, Self::gemini_content),
            "systemInstruction" | "system_instruction" => {
                let mut draft = Draft::default();
                let before = self.out.prompt.characters;
                self.content_parts(cursor, &mut draft)?;
                self.require_if(draft.calls || draft.images || !draft.results.is_empty(), Requirement::Native);
                self.out.prompt.characters = before;
                draft.texts.into_iter().for_each(|text| self.system(text));
                Ok(())
            }
            "tools" => self.gemini_tools(cursor),
            "toolConfig" | "tool_config" => {
                let value = cursor.value()?;
                self.gemini_tool_choice(&value);
                Ok(())
            }
            "generationConfig" | "generation_config" => self.generation(cursor),
            _ => self.skip_field(cursor, ObjectKind::Body, name),
        }
    }

    fn gemini_content(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        if cursor.kind()? != Kind::Object {
            return Err(RequestError::WrongType { field: "contents", expected: LIST_OF_OBJECTS });
        }
        let mut draft = Draft::default();
        let role = self.content_parts(cursor, &mut draft)?;
        match role.as_deref() {
            // A missing role is the user's; function responses formerly had the role `function`.
            None | Some("user" | "function") => {
                self.require_if(draft.calls, Requirement::Native);
                self.user_message(index, &draft);
            }
            Some("model") => {
                // Images by the model cannot be sent back in other APIs.
                self.require_if(draft.images || !draft.results.is_empty(), Requirement::Native);
                self.record_content(&draft);
                self.assistant_message();
            }
            Some(_) => self.require(Requirement::Native),
        }
        self.out.prompt.messages += 1;
        Ok(())
    }

    /// Inspects the parts of a content and returns its role; `None` if it has none.
    fn content_parts(
        &mut self,
        cursor: &mut Cursor<'a>,
        draft: &mut Draft<'a>,
    ) -> Result<Option<String>, RequestError> {
        let mut role = None;
        let Some(mut members) = cursor.object()? else {
            self.skip_non_list(cursor)?;
            return Ok(role);
        };
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => {
                    let value = cursor.value()?;
                    self.expect_kind(Kind::String, &value);
                    role = value.string().map(Cow::into_owned);
                }
                "parts" => {
                    let Some(mut elements) = cursor.array()? else {
                        self.skip_non_list(cursor)?;
                        continue;
                    };
                    while elements.next(cursor)? {
                        self.gemini_part(cursor, draft)?;
                    }
                }
                _ => self.skip_field(cursor, ObjectKind::Message, &name)?,
            }
        }
        Ok(role)
    }

    fn gemini_part(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "parts", expected: "a list of objects" });
        };
        let (mut text, mut thought, mut contents) = (None, false, 0);
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            if value.is_null() && !matches!(name.as_ref(), "text" | "thought") {
                self.classify_field(ObjectKind::Part, &name, &value);
                continue;
            }
            contents += 1;
            match name.as_ref() {
                "text" => {
                    self.expect_kind(Kind::String, &value);
                    contents -= usize::from(value.is_null());
                    text = value.text();
                }
                "inlineData" | "inline_data" => draft.images |= self.inline_data(&value),
                "fileData" | "file_data" => draft.images |= self.file_data(&value),
                "functionCall" | "function_call" => {
                    draft.calls = true;
                    self.function_call(&value);
                }
                "functionResponse" | "function_response" => self.function_response(&value, draft),
                other => {
                    contents -= 1;
                    if other == "thought" {
                        self.expect_bool(&value);
                        thought = value.as_bool() == Some(true);
                    } else {
                        self.classify_field(ObjectKind::Part, &name, &value);
                    }
                }
            }
        }
        self.require_if(thought, Requirement::Signatures);
        // A part has one kind of content, and thoughts are texts.
        self.require_if(1 < contents || (thought && text.is_none() && 0 < contents), Requirement::Native);
        if let Some(text) = text {
            self.out.prompt.characters += text.characters();
            if !thought {
                draft.texts.push(text);
            }
        }
        Ok(())
    }
}
