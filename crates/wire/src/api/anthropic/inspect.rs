//! Inspects a request body of Anthropic's Messages.

use contracts::Requirement;

use crate::inspect::{
    history::{By, Draft},
    inspector::{Reading, kind_of, name_of},
};
use crate::{
    fields::Place,
    json::{Cursor, Kind},
    request::RequestError,
};

impl<'a> Reading<'a> {
    /// Reads the member `name` of the body; `cursor` is before its value.
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
            "max_tokens" => self.out.max_output = self.count(&value),
            "metadata" => self.metadata(&value),
            "output_config" => self.output_config(&value),
            "output_format" => self.output_format(&value),
            "thinking" => {
                let kind = kind_of(&value);
                self.requires_if(!value.is_null() && kind != "disabled", Requirement::ThinkingControl);
                match kind.as_ref() {
                    "adaptive" => self.requires(Requirement::Effort),
                    "enabled" => self.requires(Requirement::ThinkingBudget),
                    "disabled" => {
                        self.only(&value, ["type"]);
                    }
                    _ => self.requires_if(!value.is_null(), Requirement::Native),
                }
            }
            "stop_sequences" => self.stops(&value),
            "temperature" => self.temperature(&value),
            "top_p" => self.top_p(&value),
            "top_k" => {
                self.of_kind(Kind::Number, &value);
                self.judge(Place::Body, name, &value);
            }
            "tool_choice" => self.anthropic_tool_choice(&value),
            "service_tier" => self.service_tier(&value),
            _ => self.judge(Place::Body, name, &value),
        }
        Ok(())
    }

    fn anthropic_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content, mut said) = (None, None, false);
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => role = Some(cursor.value()?),
                // The role may stand behind the content, and says what to do with it.
                "content" if role.is_some() => {
                    self.anthropic_content(cursor, index, &name_of(role.as_ref()))?;
                    (content, said) = (None, true);
                }
                "content" => content = Some(cursor.value()?),
                _ => self.other(cursor, Place::Message, &name)?,
            }
        }
        self.requires_if(!said && content.is_none(), Requirement::Native);
        if let Some(content) = content {
            self.anthropic_content(&mut cursor.at(content.start), index, &name_of(role.as_ref()))?;
        }
        self.out.prompt.messages += 1;
        Ok(())
    }

    fn anthropic_content(&mut self, cursor: &mut Cursor<'a>, index: usize, role: &str) -> Result<(), RequestError> {
        match role {
            "system" => {
                self.requires(Requirement::MidConversationSystem);
                self.heard.system = false;
                self.system_blocks(cursor)?;
                self.ends_with_model &= !self.heard.system;
                return Ok(());
            }
            "assistant" => self.answered(),
            "user" => {}
            _ => self.requires(Requirement::Native),
        }
        let by = if role == "assistant" { By::Model } else { By::User };
        let mut draft = Draft { by, ..Draft::default() };
        if let Some(mut elements) = cursor.array()? {
            while elements.next(cursor)? {
                self.block(cursor, &mut draft)?;
            }
        } else {
            let value = cursor.value()?;
            self.needed_text(Some(&value));
            self.out.prompt.characters += value.text().map_or(0, |text| text.characters());
            draft.texts.extend(value.text());
        }
        if role == "user" {
            self.said(index, &draft);
        } else {
            self.heard(&draft);
        }
        Ok(())
    }

    /// Reads the system prompt or a system message: a string or a list of blocks.
    fn system_blocks(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            let value = cursor.value()?;
            if let Some(text) = value.text() {
                self.system(text);
            } else {
                self.requires_if(!value.is_null(), Requirement::Native);
            }
            return Ok(());
        };
        while elements.next(cursor)? {
            let mut block = Draft { by: By::System, ..Draft::default() };
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
