//! Inspects the body of a `generateContent` request: its contents and their parts. Google's servers accept names in
//! camel case and in snake case.

use std::borrow::Cow;

use contracts::Requirement;

use crate::inspect::{history::MessageDraft, inspector::Inspector};
use crate::{
    fields::ObjectKind,
    json::{Cursor, ValueKind},
    request_summary::RequestError,
};

/// The expected type of `contents` and `parts`, for errors.
const LIST_OF_OBJECTS: &str = "a list of objects";

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a `generateContent` request: adds its content to the request summary and records
    /// the API features that it requires. `cursor` is before the value, and after it on return.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or has a type with which the request cannot be inspected.
    pub(crate) fn inspect_gemini_member(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "contents" => self.each_message(cursor, LIST_OF_OBJECTS, Self::inspect_gemini_content),
            "systemInstruction" | "system_instruction" => {
                let mut draft = MessageDraft::default();
                let characters_before = self.summary.prompt.characters;
                self.inspect_gemini_parts(cursor, &mut draft)?;
                self.require_if(
                    draft.has_tool_call || draft.has_images || !draft.results.is_empty(),
                    Requirement::Native,
                );
                self.summary.prompt.characters = characters_before;
                draft.texts.into_iter().for_each(|text| self.record_system_text(text));
                Ok(())
            }
            "tools" => self.inspect_gemini_tools(cursor),
            "toolConfig" | "tool_config" => {
                let value = cursor.read_value()?;
                self.inspect_gemini_tool_choice(&value);
                Ok(())
            }
            "generationConfig" | "generation_config" => self.inspect_generation_config(cursor),
            _ => self.skip_field(cursor, ObjectKind::Body, name),
        }
    }

    /// Inspects the content at `index` of the conversation in a Gemini request, which is a message with a role and
    /// parts, and records it according to its role. Unknown roles make the request [`Native`](Requirement::Native) (not
    /// convertible to another API).
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the content is not an object.
    fn inspect_gemini_content(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        if cursor.peek_kind()? != ValueKind::Object {
            return Err(RequestError::WrongType { field: "contents", expected: LIST_OF_OBJECTS });
        }
        let mut draft = MessageDraft::default();
        let role = self.inspect_gemini_parts(cursor, &mut draft)?;
        match role.as_deref() {
            // A missing role is the user's; function responses formerly had the role `function`.
            None | Some("user" | "function") => {
                self.require_if(draft.has_tool_call, Requirement::Native);
                self.record_user_message(index, &draft);
            }
            Some("model") => {
                // Images by the model cannot be sent back in other APIs.
                self.require_if(draft.has_images || !draft.results.is_empty(), Requirement::Native);
                self.record_content(&draft);
                self.record_assistant_message();
            }
            Some(_) => self.require(Requirement::Native),
        }
        self.summary.prompt.messages += 1;
        Ok(())
    }

    /// Inspects a content of a Gemini request and adds its parts to `draft`. Returns its role; `None` if it has none.
    /// `cursor` is before the content. A value that is not an object makes the request [`Native`](Requirement::Native)
    /// (not convertible to another API).
    ///
    /// # Errors
    /// [`RequestError`] if the content is not valid JSON, or a part is not an object.
    fn inspect_gemini_parts(
        &mut self,
        cursor: &mut Cursor<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<Option<String>, RequestError> {
        let mut role = None;
        let Some(mut members) = cursor.enter_object()? else {
            self.skip_non_list(cursor)?;
            return Ok(role);
        };
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => {
                    let value = cursor.read_value()?;
                    self.expect_kind(ValueKind::String, &value);
                    role = value.string().map(Cow::into_owned);
                }
                "parts" => {
                    let Some(mut elements) = cursor.enter_array()? else {
                        self.skip_non_list(cursor)?;
                        continue;
                    };
                    while elements.next(cursor)? {
                        self.inspect_gemini_part(cursor, draft)?;
                    }
                }
                _ => self.skip_field(cursor, ObjectKind::Message, &name)?,
            }
        }
        Ok(role)
    }

    /// Inspects one part of a content in a Gemini request: adds it to `draft`, and records its size and the API
    /// features that it requires. `cursor` is before the part.
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the part is not an object.
    fn inspect_gemini_part(
        &mut self,
        cursor: &mut Cursor<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "parts", expected: "a list of objects" });
        };
        let (mut text, mut is_thought, mut content_count) = (None, false, 0);
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            if value.is_null() && !matches!(name.as_ref(), "text" | "thought") {
                self.classify_field(ObjectKind::Part, &name, &value);
                continue;
            }
            content_count += 1;
            match name.as_ref() {
                "text" => {
                    self.expect_kind(ValueKind::String, &value);
                    content_count -= usize::from(value.is_null());
                    text = value.text();
                }
                "inlineData" | "inline_data" => draft.has_images |= self.inspect_inline_data(&value),
                "fileData" | "file_data" => draft.has_images |= self.inspect_file_data(&value),
                "functionCall" | "function_call" => {
                    draft.has_tool_call = true;
                    self.inspect_function_call(&value);
                }
                "functionResponse" | "function_response" => self.inspect_function_response(&value, draft),
                other => {
                    content_count -= 1;
                    if other == "thought" {
                        self.expect_bool(&value);
                        is_thought = value.as_bool() == Some(true);
                    } else {
                        self.classify_field(ObjectKind::Part, &name, &value);
                    }
                }
            }
        }
        self.require_if(is_thought, Requirement::EarlierThinking);
        // A part has one kind of content, and thoughts are texts.
        self.require_if(1 < content_count || (is_thought && text.is_none() && 0 < content_count), Requirement::Native);
        if let Some(text) = text {
            self.summary.prompt.characters += text.characters();
            if !is_thought {
                draft.texts.push(text);
            }
        }
        Ok(())
    }
}
