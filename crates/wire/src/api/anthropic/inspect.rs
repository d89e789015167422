//! Inspects the body of a Messages request: its messages, their content and the system prompt. Tools and settings are
//! in `inspect_settings`, content blocks in `inspect_blocks`.

use contracts::Requirement;

use crate::inspect::{
    history::{Author, MessageDraft},
    inspector::{Inspector, string_or_empty, type_of},
};
use crate::{
    fields::ObjectKind,
    json::{Cursor, ValueKind},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a Messages request: adds its content to the request summary and records the API
    /// features that it requires. `cursor` is before the value, and after it on return.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or has a type with which the request cannot be inspected.
    pub(crate) fn inspect_anthropic_member(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.read_model(cursor),
            "stream" => return self.read_stream(cursor),
            "messages" => return self.each_message(cursor, "a list", Self::inspect_anthropic_message),
            "system" => return self.inspect_system_blocks(cursor),
            "tools" => return self.inspect_anthropic_tools(cursor),
            _ => {}
        }
        let value = cursor.read_value()?;
        match name {
            "max_tokens" => self.summary.max_output = self.expect_count(&value),
            "metadata" => self.inspect_metadata(&value),
            "output_config" => self.inspect_output_config(&value),
            "output_format" => self.inspect_output_format(&value),
            "thinking" => {
                let kind = type_of(&value);
                self.require_if(!value.is_null() && kind != "disabled", Requirement::ThinkingControl);
                match kind.as_ref() {
                    "adaptive" => self.require(Requirement::Effort),
                    "enabled" => self.require(Requirement::ThinkingBudget),
                    "disabled" => {
                        self.known_members(&value, ["type"]);
                    }
                    _ => self.require_if(!value.is_null(), Requirement::Native),
                }
            }
            "stop_sequences" => self.inspect_stop_sequences(&value),
            "temperature" => self.inspect_temperature(&value),
            "top_p" => self.inspect_top_p(&value),
            "top_k" => {
                self.expect_kind(ValueKind::Number, &value);
                self.classify_field(ObjectKind::Body, name, &value);
            }
            "tool_choice" => self.inspect_anthropic_tool_choice(&value),
            "service_tier" => self.inspect_service_tier(&value),
            _ => self.classify_field(ObjectKind::Body, name, &value),
        }
        Ok(())
    }

    /// Inspects the message at `index` of the conversation in a Messages request. The content is inspected once the
    /// role is known; if `role` follows `content`, the cursor returns to the content after the last member.
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the message is not an object.
    fn inspect_anthropic_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content, mut is_read) = (None, None, false);
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => role = Some(cursor.read_value()?),
                // The role may follow the content, which depends on it.
                "content" if role.is_some() => {
                    self.inspect_anthropic_content(cursor, index, &string_or_empty(role.as_ref()))?;
                    (content, is_read) = (None, true);
                }
                "content" => content = Some(cursor.read_value()?),
                _ => self.skip_field(cursor, ObjectKind::Message, &name)?,
            }
        }
        self.require_if(!is_read && content.is_none(), Requirement::Native);
        if let Some(content) = content {
            self.inspect_anthropic_content(
                &mut cursor.moved_to(content.start),
                index,
                &string_or_empty(role.as_ref()),
            )?;
        }
        self.summary.prompt.messages += 1;
        Ok(())
    }

    /// Inspects the content of a message in a Messages request, a string or a list of blocks, and records it according
    /// to `role`. `cursor` is before the content; `index` is the index of the message in the conversation. An unknown
    /// role makes the request [`Native`](Requirement::Native) (not convertible to another API).
    ///
    /// # Errors
    /// [`RequestError`] if the content is not valid JSON, or a block is not an object.
    fn inspect_anthropic_content(
        &mut self,
        cursor: &mut Cursor<'a>,
        index: usize,
        role: &str,
    ) -> Result<(), RequestError> {
        match role {
            "system" => {
                self.require(Requirement::MidConversationSystem);
                self.has_content.system = false;
                self.inspect_system_blocks(cursor)?;
                self.ends_with_model &= !self.has_content.system;
                return Ok(());
            }
            "assistant" => self.record_assistant_message(),
            "user" => {}
            _ => self.require(Requirement::Native),
        }
        let author = if role == "assistant" { Author::Model } else { Author::User };
        let mut draft = MessageDraft { author, ..MessageDraft::default() };
        if let Some(mut elements) = cursor.enter_array()? {
            while elements.next(cursor)? {
                self.inspect_block(cursor, &mut draft)?;
            }
        } else {
            let value = cursor.read_value()?;
            self.expect_string(Some(&value));
            self.summary.prompt.characters += value.text().map_or(0, |text| text.characters());
            draft.texts.extend(value.text());
        }
        if role == "user" {
            self.record_user_message(index, &draft);
        } else {
            self.record_content(&draft);
        }
        Ok(())
    }

    /// Records the texts of a system prompt or system message of a Messages request, which is a string or a list of
    /// text blocks. `cursor` is before it.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or a block is not an object.
    fn inspect_system_blocks(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else {
            let value = cursor.read_value()?;
            if let Some(text) = value.text() {
                self.record_system_text(text);
            } else {
                self.require_if(!value.is_null(), Requirement::Native);
            }
            return Ok(());
        };
        while elements.next(cursor)? {
            let mut block = MessageDraft { author: Author::System, ..MessageDraft::default() };
            let characters_before = self.summary.prompt.characters;
            self.inspect_block(cursor, &mut block)?;
            self.summary.prompt.characters = characters_before;
            for text in block.texts {
                self.record_system_text(text);
            }
        }
        Ok(())
    }
}
