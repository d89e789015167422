//! Inspects a request body of Anthropic's Messages.

use contracts::Requirement;

use crate::inspect::{
    history::{Author, Draft},
    inspector::{Inspector, string_or_empty, type_of},
};
use crate::{
    fields::ObjectKind,
    json::{Cursor, Kind},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a Messages request and records the features it requires; `cursor` is before its
    /// value.
    pub(crate) fn anthropic(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.model(cursor),
            "stream" => return self.stream(cursor),
            "messages" => return self.each_message(cursor, "a list", Self::anthropic_message),
            "system" => return self.system_blocks(cursor),
            "tools" => return self.anthropic_tools(cursor),
            _ => {}
        }
        let value = cursor.value()?;
        match name {
            "max_tokens" => self.out.max_output = self.expect_count(&value),
            "metadata" => self.metadata(&value),
            "output_config" => self.output_config(&value),
            "output_format" => self.output_format(&value),
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
            "stop_sequences" => self.stop_sequences(&value),
            "temperature" => self.temperature(&value),
            "top_p" => self.top_p(&value),
            "top_k" => {
                self.expect_kind(Kind::Number, &value);
                self.classify_field(ObjectKind::Body, name, &value);
            }
            "tool_choice" => self.anthropic_tool_choice(&value),
            "service_tier" => self.service_tier(&value),
            _ => self.classify_field(ObjectKind::Body, name, &value),
        }
        Ok(())
    }

    fn anthropic_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content, mut is_read) = (None, None, false);
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => role = Some(cursor.value()?),
                // The role may follow the content, which depends on it.
                "content" if role.is_some() => {
                    self.anthropic_content(cursor, index, &string_or_empty(role.as_ref()))?;
                    (content, is_read) = (None, true);
                }
                "content" => content = Some(cursor.value()?),
                _ => self.skip_field(cursor, ObjectKind::Message, &name)?,
            }
        }
        self.require_if(!is_read && content.is_none(), Requirement::Native);
        if let Some(content) = content {
            self.anthropic_content(&mut cursor.at(content.start), index, &string_or_empty(role.as_ref()))?;
        }
        self.out.prompt.messages += 1;
        Ok(())
    }

    fn anthropic_content(&mut self, cursor: &mut Cursor<'a>, index: usize, role: &str) -> Result<(), RequestError> {
        match role {
            "system" => {
                self.require(Requirement::MidConversationSystem);
                self.authors.system = false;
                self.system_blocks(cursor)?;
                self.ends_with_model &= !self.authors.system;
                return Ok(());
            }
            "assistant" => self.assistant_message(),
            "user" => {}
            _ => self.require(Requirement::Native),
        }
        let by = if role == "assistant" { Author::Model } else { Author::User };
        let mut draft = Draft { by, ..Draft::default() };
        if let Some(mut elements) = cursor.array()? {
            while elements.next(cursor)? {
                self.block(cursor, &mut draft)?;
            }
        } else {
            let value = cursor.value()?;
            self.expect_string(Some(&value));
            self.out.prompt.characters += value.text().map_or(0, |text| text.characters());
            draft.texts.extend(value.text());
        }
        if role == "user" {
            self.user_message(index, &draft);
        } else {
            self.record_content(&draft);
        }
        Ok(())
    }

    /// Inspects the system prompt or a system message: a string or a list of text blocks.
    fn system_blocks(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            let value = cursor.value()?;
            if let Some(text) = value.text() {
                self.system(text);
            } else {
                self.require_if(!value.is_null(), Requirement::Native);
            }
            return Ok(());
        };
        while elements.next(cursor)? {
            let mut block = Draft { by: Author::System, ..Draft::default() };
            let before = self.out.prompt.characters;
            self.block(cursor, &mut block)?;
            self.out.prompt.characters = before;
            for text in block.texts {
                self.system(text);
            }
        }
        Ok(())
    }
}
