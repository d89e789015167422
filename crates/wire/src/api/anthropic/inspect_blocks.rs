//! Inspects the content blocks of a Messages request: text, images, thinking, tool calls and tool results.

use contracts::Requirement;

use crate::inspect::{
    history::{Author, MessageDraft},
    inspector::{Inspector, string_or_empty, type_of},
};
use crate::{
    fields::ObjectKind,
    json::{Cursor, Value, ValueKind},
    request_summary::{RequestError, ToolResult},
};

impl<'a> Inspector<'a> {
    /// Inspects one content block of a Messages request: adds its content to `draft`, and records its size and the API
    /// features that it requires. `cursor` is before the block.
    ///
    /// # Errors
    /// [`RequestError`] if the block is not a JSON object.
    pub(crate) fn inspect_block(
        &mut self,
        cursor: &mut Cursor<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "content", expected: "a string or a list of objects" });
        };
        let mut block = Block::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            if value.is_null() {
                continue;
            }
            match name.as_ref() {
                "is_error" => {
                    self.expect_bool(&value);
                    block.is_error = value.as_bool();
                }
                "citations" => self.require_if(!value.is_falsy(), Requirement::Native),
                "caller" => self.require_if(type_of(&value) != "direct", Requirement::ServerTools),
                _ => {}
            }
            if let Some(member) = block.member_mut(&name) {
                *member = Some(value);
            }
            match Block::group_of(&name) {
                Some(group) => block.present_groups |= group,
                None if name == "type" => {}
                None => self.classify_field(ObjectKind::Part, &name, &value),
            }
        }
        self.inspect_block_members(*cursor, &block, draft)
    }

    /// Inspects the members of a content block of a Messages request according to its type. Unknown types, and members
    /// that the type does not have, make the request [`Native`](Requirement::Native) (not convertible to another API).
    /// `cursor` is only used to return to the content of a tool result.
    ///
    /// # Errors
    /// [`RequestError`] if a block in the content of a tool result is not an object.
    fn inspect_block_members(
        &mut self,
        cursor: Cursor<'a>,
        block: &Block<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        let kind = string_or_empty(block.kind.as_ref());
        self.has_content.non_system |=
            draft.author != Author::System && !matches!(kind.as_ref(), "text" | "thinking" | "redacted_thinking");
        self.require_if(
            block.has_members_of_other_types(&kind) || !is_allowed(draft.author, &kind),
            Requirement::Native,
        );
        match kind.as_ref() {
            "text" => {
                self.expect_string(block.text.as_ref());
                self.summary.prompt.characters += characters(block.text.as_ref());
                draft.texts.extend(block.text.and_then(|value| value.text()));
            }
            "thinking" => {
                self.summary.prompt.characters += characters(block.thought.as_ref());
                self.require(Requirement::EarlierThinking);
            }
            "redacted_thinking" => self.require(Requirement::EarlierThinking),
            "tool_use" => self.inspect_tool_use(block),
            // The API has no results within results; they could nest without limit.
            "tool_result" if !draft.is_tool_result => self.inspect_tool_result(cursor, block, draft)?,
            "image" => {
                self.count_image();
                draft.has_images = true;
                match &block.source {
                    Some(source) => self.inspect_image_source(source),
                    None => self.require_native(),
                }
            }
            "document" => self.require(Requirement::Documents),
            "server_tool_use" | "mcp_tool_use" | "mcp_tool_result" | "container_upload" => {
                self.require(Requirement::ServerTools);
            }
            kind if kind.ends_with("_tool_result") => self.require(Requirement::ServerTools),
            _ => self.require(Requirement::Native),
        }
        Ok(())
    }

    /// Inspects a `tool_use` block of a Messages request, a tool call of the model: records the call, its size, and the
    /// API features that its name and arguments require.
    fn inspect_tool_use(&mut self, block: &Block<'a>) {
        self.record_call(block.id.as_ref());
        self.expect_string(block.id.as_ref());
        self.inspect_tool_name(block.name.as_ref());
        if let Some(input) = &block.input {
            self.expect_kind(ValueKind::Object, input);
        }
        self.summary.prompt.characters += characters(block.name.as_ref()) + characters(block.input.as_ref());
    }

    /// Inspects a `tool_result` block of a Messages request: records its size and the API features that it requires,
    /// and adds the result to `draft`. `cursor` is only used to return to the content of the result.
    ///
    /// # Errors
    /// [`RequestError`] if a block in the content is not an object.
    fn inspect_tool_result(
        &mut self,
        cursor: Cursor<'a>,
        block: &Block<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        if let Some(content) = &block.content {
            self.inspect_result_content(cursor.moved_to(content.start))?;
        }
        self.record_result(block.tool_use_id.as_ref());
        draft.results.push(ToolResult {
            call_id: string_or_empty(block.tool_use_id.as_ref()),
            // The default of the API.
            is_error: Some(block.is_error.unwrap_or(false)),
            bytes: block.content.map_or(0, |content| content.raw.len() as u64),
            content: block.content,
        });
        Ok(())
    }

    /// Inspects the content of a `tool_result` block of a Messages request, a string or a list of blocks: records its
    /// size, and the API features that its blocks require. `cursor` is before it.
    ///
    /// # Errors
    /// [`RequestError`] if a block is not an object.
    fn inspect_result_content(&mut self, mut cursor: Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else {
            let value = cursor.read_value()?;
            self.expect_string(Some(&value));
            self.summary.prompt.characters += value.characters();
            return Ok(());
        };
        let mut result_draft = MessageDraft { is_tool_result: true, ..MessageDraft::default() };
        while elements.next(&mut cursor)? {
            self.inspect_block(&mut cursor, &mut result_draft)?;
        }
        self.require_if(result_draft.has_images, Requirement::ToolImages);
        Ok(())
    }
}

/// Returns the number of Unicode scalar values of a member; 0 if it is missing.
fn characters(member: Option<&Value<'_>>) -> u64 {
    member.map_or(0, Value::characters)
}

/// Returns whether a message by `author` in a Messages request may contain content blocks of the type `kind`. Unknown
/// types are allowed.
fn is_allowed(author: Author, kind: &str) -> bool {
    match kind {
        "image" | "tool_result" => author == Author::User,
        "tool_use" | "thinking" | "redacted_thinking" => author == Author::Model,
        _ => true,
    }
}

/// The members of one content block of a Messages request, collected before its type is known.
#[derive(Default)]
struct Block<'a> {
    /// The groups of members that are present, as a bit set of [`Block::TEXT`] and the other constants.
    present_groups: u8,
    /// The member `type`.
    kind: Option<Value<'a>>,
    /// The member `id` of a tool call.
    id: Option<Value<'a>>,
    /// The member `thinking`, or `data` of redacted thinking.
    thought: Option<Value<'a>>,
    /// The member `text` of a text block.
    text: Option<Value<'a>>,
    /// The member `source` of an image or document.
    source: Option<Value<'a>>,
    /// The member `content` of a tool result.
    content: Option<Value<'a>>,
    /// The member `name` of a tool call.
    name: Option<Value<'a>>,
    /// The member `input` of a tool call: its arguments.
    input: Option<Value<'a>>,
    /// The member `tool_use_id` of a tool result.
    tool_use_id: Option<Value<'a>>,
    /// The member `is_error` of a tool result; `None` if it is missing or not a boolean.
    is_error: Option<bool>,
}

impl<'a> Block<'a> {
    /// The group of the members of text blocks.
    const TEXT: u8 = 1;
    /// The group of the members of thinking and redacted thinking.
    const THOUGHT: u8 = 2;
    /// The group of the member `source` of images and documents.
    const SOURCE: u8 = 4;
    /// The group of the members of tool calls.
    const CALL: u8 = 8;
    /// The group of the members of tool results.
    const RESULT: u8 = 16;
    /// The group of the members that only documents have.
    const DOCUMENT: u8 = 32;

    /// Returns the group of the member `name` of a Messages content block: one of the constants such as
    /// [`Block::TEXT`]; `None` if the member belongs to no group.
    fn group_of(name: &str) -> Option<u8> {
        match name {
            "text" | "citations" => Some(Self::TEXT),
            "thinking" | "data" | "signature" => Some(Self::THOUGHT),
            "source" => Some(Self::SOURCE),
            "id" | "name" | "input" | "caller" => Some(Self::CALL),
            "content" | "tool_use_id" | "is_error" => Some(Self::RESULT),
            "title" | "context" => Some(Self::DOCUMENT),
            _ => None,
        }
    }

    /// Returns the field of this struct for the member `name` of a content block; `None` if values of this member are
    /// not stored.
    fn member_mut(&mut self, name: &str) -> Option<&mut Option<Value<'a>>> {
        match name {
            "type" => Some(&mut self.kind),
            "id" => Some(&mut self.id),
            "thinking" | "data" => Some(&mut self.thought),
            "text" => Some(&mut self.text),
            "source" => Some(&mut self.source),
            "content" => Some(&mut self.content),
            "name" => Some(&mut self.name),
            "input" => Some(&mut self.input),
            "tool_use_id" => Some(&mut self.tool_use_id),
            _ => None,
        }
    }

    /// Returns whether the content block has a member that blocks of the type `kind` do not have. Types that only the
    /// provider handles may have any members.
    fn has_members_of_other_types(&self, kind: &str) -> bool {
        let allowed_groups = match kind {
            "text" => Self::TEXT,
            "image" => Self::SOURCE,
            "tool_use" => Self::CALL,
            "tool_result" => Self::RESULT,
            "thinking" | "redacted_thinking" => Self::THOUGHT,
            _ => u8::MAX,
        };
        self.present_groups & !allowed_groups != 0
    }
}
