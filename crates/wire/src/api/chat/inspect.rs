//! Inspects the body of a chat completions request: its settings and its messages.

use contracts::Requirement;

use crate::inspect::{
    history::{Author, MessageDraft},
    inspector::{Inspector, string_or_empty},
};
use crate::{
    fields::ObjectKind,
    json::{Cursor, Value, ValueKind},
    limits,
    request_summary::{RequestError, ToolResult},
};

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a chat completions request: adds its content to the request summary and records
    /// the API features that it requires. `cursor` is before the value, and after it on return.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or has a type with which the request cannot be inspected.
    pub(crate) fn inspect_chat_member(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.read_model(cursor),
            "stream" => return self.read_stream(cursor),
            "messages" => return self.each_message(cursor, "a list", Self::inspect_chat_message),
            "tools" => return self.inspect_openai_tools(cursor),
            _ => {}
        }
        let value = cursor.read_value()?;
        match name {
            "stream_options" => self.inspect_stream_options(&value),
            "max_tokens" | "max_completion_tokens" => {
                self.summary.max_output = self.expect_count(&value).or(self.summary.max_output);
            }
            "response_format" => {
                let [kind, schema_object] = self.known_members(&value, ["type", "json_schema"]);
                let is_schema = string_or_empty(kind.as_ref()) == "json_schema";
                self.require_if(schema_object.is_some() != is_schema, Requirement::Native);
                let names = ["schema", "name", "description", "strict"];
                let schema_object = schema_object.map(|schema_object| self.known_members(&schema_object, names));
                self.inspect_openai_format(&value, kind, schema_object.unwrap_or_default());
            }
            "reasoning_effort" => self.inspect_effort(Some(&value)),
            "stop" if value.kind == ValueKind::String => {
                self.summary.requires.extend(limits::required_by_stop_sequences(&[value.string().unwrap_or_default()]));
            }
            "stop" => self.inspect_stop_sequences(&value),
            "top_k" | "seed" => {
                self.expect_kind(ValueKind::Number, &value);
                self.classify_field(ObjectKind::Body, name, &value);
            }
            "prompt_cache_key" => {
                self.expect_kind(ValueKind::String, &value);
                self.summary.identity.cache_key = value.string().map(Into::into);
            }
            _ => self.inspect_openai_setting(name, &value),
        }
        Ok(())
    }

    /// Inspects the message at `index` of the conversation in a chat completions request and records it according to
    /// its role. Unknown roles make the request [`Native`](Requirement::Native) (not convertible to another API).
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the message, or a part of its content, is not an object.
    fn inspect_chat_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let ChatMessage { role, content, tool_calls, call_id, has_name } = self.read_chat_message(cursor)?;
        let role = string_or_empty(role.as_ref());
        // The name of a participant; on a tool result it repeats the name of the tool.
        self.require_if(has_name && role != "tool", Requirement::Native);
        let author = match role.as_ref() {
            "assistant" => Author::Model,
            "user" | "tool" => Author::User,
            _ => Author::System,
        };
        let mut draft = MessageDraft { author, ..MessageDraft::default() };
        if let Some(content) = &content {
            self.inspect_openai_parts(*cursor, content, &mut draft)?;
        }
        if let Some(tool_calls) = &tool_calls {
            self.inspect_chat_calls(tool_calls, author);
        }
        self.require_if(call_id.is_some() && role != "tool", Requirement::Native);
        match role.as_ref() {
            "system" | "developer" => {
                self.record_openai_system_message(&draft);
                return Ok(());
            }
            "user" => self.record_user_message(index, &draft),
            "assistant" => {
                self.record_content(&draft);
                self.record_assistant_message();
            }
            "tool" | "function" => {
                self.record_result(call_id.as_ref());
                self.require_if(role == "function", Requirement::Native);
                self.require_if(draft.has_images, Requirement::ToolImages);
                let bytes = content.map_or(0, |content| content.raw.len() as u64);
                let result = ToolResult { call_id: string_or_empty(call_id.as_ref()), is_error: None, bytes, content };
                self.record_user_message(index, &MessageDraft { results: vec![result], ..MessageDraft::default() });
            }
            _ => self.require(Requirement::Native),
        }
        self.summary.prompt.messages += 1;
        Ok(())
    }

    /// Reads the members of a message in a chat completions request. Members whose meaning depends on the role are returned;
    /// all others are recorded here as requirements of the request.
    ///
    /// # Errors
    /// [`RequestError::WrongType`] if the message is not an object, and the errors of invalid JSON.
    fn read_chat_message(&mut self, cursor: &mut Cursor<'a>) -> Result<ChatMessage<'a>, RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let mut message = ChatMessage::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            match name.as_ref() {
                "role" => message.role = Some(value),
                "content" => message.content = Some(value),
                "tool_calls" => message.tool_calls = Some(value),
                "tool_call_id" => message.call_id = Some(value).filter(|call_id| !call_id.is_null()),
                "name" => message.has_name = !value.is_null(),
                "refusal" | "annotations" | "function_call" => {
                    self.require_if(!value.is_falsy(), Requirement::Native);
                }
                "reasoning" | "reasoning_content" | "reasoning_details" if value.is_falsy() => {}
                "reasoning" | "reasoning_content" => {
                    self.summary.prompt.characters += value.characters();
                    self.require(Requirement::EarlierThinking);
                }
                _ => self.classify_field(ObjectKind::Message, &name, &value),
            }
        }
        Ok(message)
    }
}

/// The members of one message of a chat completions request, collected before its role is known.
#[derive(Default)]
struct ChatMessage<'a> {
    /// The member `role`.
    role: Option<Value<'a>>,
    /// The member `content`: a string, a list of parts, or `null`.
    content: Option<Value<'a>>,
    /// The member `tool_calls` of a message of the model.
    tool_calls: Option<Value<'a>>,
    /// The member `tool_call_id` of a tool result; `None` if it is missing or `null`.
    call_id: Option<Value<'a>>,
    /// Whether the message has a `name`.
    has_name: bool,
}
