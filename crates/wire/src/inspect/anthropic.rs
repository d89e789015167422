//! The body of Anthropic's Messages.

use contracts::Requirement;

use super::{
    history::Draft,
    reading::{Reading, kind_of, name_of},
};
use crate::{
    json::{Cursor, Value},
    known_fields::Place,
    request::{RequestError, ToolResult},
};

impl<'a> Reading<'a> {
    /// Reads one member of the body.
    pub(super) fn anthropic(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.model(cursor),
            "stream" => return self.stream(cursor),
            "messages" => return self.messages(cursor),
            "system" => return self.system_blocks(cursor),
            "tools" => return self.anthropic_tools(cursor),
            _ => {}
        }
        let value = cursor.value()?;
        match name {
            "max_tokens" => self.out.max_output = value.whole(),
            "metadata" => self.metadata(&value),
            "output_config" => self.output_config(&value),
            "output_format" => self.output_format(&value),
            "thinking" => {
                let kind = kind_of(&value);
                self.requires_if(!value.is_null() && kind != "disabled", Requirement::ThinkingControl);
                self.requires_if(kind == "adaptive", Requirement::Effort);
                self.requires_if(kind == "enabled", Requirement::ThinkingBudget);
            }
            "stop_sequences" => self.stops(&value),
            "temperature" => self.temperature(&value),
            "tool_choice" => {
                let one = value.get("disable_parallel_tool_use").and_then(|one| one.boolean());
                self.one_tool_at_a_time = one == Some(true);
            }
            "service_tier" => self.service_tier(&value),
            _ => self.judge(Place::Body, name, &value),
        }
        Ok(())
    }

    fn messages(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list" });
        };
        let start = cursor.place().saturating_sub(1);
        self.conversation = true;
        let mut index = 0;
        while elements.next(cursor)? {
            self.index = index;
            self.anthropic_message(cursor, index)?;
            index += 1;
        }
        self.out.places.history = Some(start..cursor.place());
        Ok(())
    }

    fn anthropic_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content) = (None, None);
        while let Some(name) = members.next(cursor)? {
            match name.as_ref() {
                "role" => role = Some(cursor.value()?),
                // The role may stand behind the content, and says what to do with it.
                "content" if role.is_some() => {
                    self.anthropic_content(cursor, index, &name_of(role.as_ref()))?;
                    content = None;
                }
                "content" => content = Some(cursor.value()?),
                _ => self.other(cursor, Place::Message, &name)?,
            }
        }
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
                self.ends_with_model = false;
                return self.system_blocks(cursor);
            }
            "assistant" => self.answered(),
            "user" => {}
            _ => self.requires(Requirement::Native),
        }
        let mut draft = Draft::default();
        if let Some(mut elements) = cursor.array()? {
            while elements.next(cursor)? {
                self.block(cursor, &mut draft)?;
            }
        } else {
            let value = cursor.value()?;
            self.out.prompt.characters += value.text().map_or(0, |text| text.characters());
            draft.texts.extend(value.text());
        }
        if role == "user" {
            self.said(index, &draft);
        }
        Ok(())
    }

    /// Texts of the system prompt: a string or blocks.
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
            let mut block = Draft::default();
            let before = self.out.prompt.characters;
            self.block(cursor, &mut block)?;
            self.out.prompt.characters = before;
            for text in block.texts {
                self.system(text);
            }
        }
        Ok(())
    }

    /// One block of content.
    fn block(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "content", expected: "a string or a list of objects" });
        };
        let mut block = Block::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            match name.as_ref() {
                "type" => block.kind = Some(value),
                "text" | "thinking" | "data" => block.text = Some(value),
                "source" => block.source = Some(value),
                "content" => block.content = Some(value),
                "name" => block.name = Some(value),
                "input" => block.input = Some(value),
                "tool_use_id" => block.call = Some(value),
                "is_error" => block.is_error = value.boolean(),
                "citations" => self.requires_if(!value.is_nothing(), Requirement::Native),
                "caller" => {
                    let direct = value.is_null() || kind_of(&value) == "direct";
                    self.requires_if(!direct, Requirement::ServerTools);
                }
                _ => self.judge(Place::Part, &name, &value),
            }
        }
        self.block_of_kind(*cursor, &block, draft)
    }

    fn block_of_kind(
        &mut self,
        cursor: Cursor<'a>,
        block: &Block<'a>,
        draft: &mut Draft<'a>,
    ) -> Result<(), RequestError> {
        let characters = |value: &Option<Value<'a>>| value.as_ref().map_or(0, Value::characters);
        match name_of(block.kind.as_ref()).as_ref() {
            "text" => {
                self.out.prompt.characters += characters(&block.text);
                draft.texts.extend(block.text.and_then(|value| value.text()));
            }
            "thinking" => {
                self.out.prompt.characters += characters(&block.text);
                self.requires(Requirement::Signatures);
            }
            "redacted_thinking" => self.requires(Requirement::Signatures),
            "tool_use" => {
                self.out.tool_calls_in_history = true;
                self.out.prompt.characters += characters(&block.name) + characters(&block.input);
            }
            // A result inside a result is nothing the API has, and could go on for ever.
            "tool_result" if !draft.inside_result => {
                if let Some(content) = &block.content {
                    self.result_content(cursor.at(content.start))?;
                }
                draft.results.push(ToolResult {
                    call: name_of(block.call.as_ref()),
                    // Anthropic's default.
                    is_error: Some(block.is_error.unwrap_or(false)),
                    bytes: block.content.map_or(0, |content| content.raw.len() as u64),
                });
            }
            "image" => {
                self.image();
                draft.images = true;
                let inside = block.source.is_some_and(|source| kind_of(&source) == "base64");
                self.requires_if(!inside, Requirement::RemoteImages);
            }
            "document" => self.requires(Requirement::Documents),
            "server_tool_use" | "mcp_tool_use" | "mcp_tool_result" | "container_upload" => {
                self.requires(Requirement::ServerTools);
            }
            kind if kind.ends_with("_tool_result") => self.requires(Requirement::ServerTools),
            _ => self.requires(Requirement::Native),
        }
        Ok(())
    }

    /// The content of a tool's result: a string or blocks.
    fn result_content(&mut self, mut cursor: Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            self.out.prompt.characters += cursor.value()?.characters();
            return Ok(());
        };
        let mut inside = Draft { inside_result: true, ..Draft::default() };
        while elements.next(&mut cursor)? {
            self.block(&mut cursor, &mut inside)?;
        }
        self.requires_if(inside.images, Requirement::ToolImages);
        Ok(())
    }
}

/// What one block is made of.
#[derive(Default)]
struct Block<'a> {
    kind: Option<Value<'a>>,
    text: Option<Value<'a>>,
    source: Option<Value<'a>>,
    content: Option<Value<'a>>,
    name: Option<Value<'a>>,
    input: Option<Value<'a>>,
    call: Option<Value<'a>>,
    is_error: Option<bool>,
}
