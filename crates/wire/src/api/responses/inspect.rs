//! Inspects the body of a Responses request: its settings and the items of its conversation.

use client_formats::client::{
    headers::{CODEX_PARENT, CODEX_SUBAGENT},
    is_codex_subagent,
};
use contracts::{Requirement, WireApi};

use super::inspect_item::Item;
use crate::api::openai::is_verbose;
use crate::inspect::{
    history::{Author, MessageDraft},
    inspector::{Inspector, string_or_empty},
};
use crate::{
    fields::{ObjectKind, fields},
    json::{Cursor, Value, ValueKind},
    request_summary::{RequestError, ToolResult},
};

impl<'a> Inspector<'a> {
    /// Inspects the member `name` of a Responses request: adds its content to the request summary and records the API
    /// features that it requires. `cursor` is before the value, and after it on return.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON, or has a type with which the request cannot be inspected.
    pub(crate) fn inspect_responses_member(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.read_model(cursor),
            "stream" => return self.read_stream(cursor),
            "input" => return self.inspect_input(cursor),
            "tools" => return self.inspect_openai_tools(cursor),
            _ => {}
        }
        let value = cursor.read_value()?;
        match name {
            "stream_options" => self.inspect_stream_options(&value),
            "instructions" => {
                self.expect_kind(ValueKind::String, &value);
                value.text().into_iter().for_each(|text| self.record_system_text(text));
            }
            "max_output_tokens" => self.summary.max_output = self.expect_count(&value),
            "text" => self.inspect_text_settings(&value),
            "reasoning" => self.inspect_reasoning(&value),
            "include" => self.inspect_include(&value),
            "client_metadata" => self.inspect_client_metadata(&value),
            "prompt_cache_key" => {
                self.expect_kind(ValueKind::String, &value);
                self.summary.identity.cache_key = value.string().map(Into::into);
            }
            _ => self.inspect_openai_setting(name, &value),
        }
        Ok(())
    }

    /// Records the API features that the `text` settings of a Responses request require: response format and verbosity.
    /// Other members make the request [`Native`](Requirement::Native) (not convertible to another API).
    fn inspect_text_settings(&mut self, text: &Value<'a>) {
        self.expect_kind(ValueKind::Object, text);
        for (name, value) in text.members() {
            match name.string().unwrap_or_default().as_ref() {
                "format" => self.inspect_text_format(&value),
                "verbosity" => {
                    self.expect_kind(ValueKind::String, &value);
                    self.require_if(is_verbose(&value), Requirement::Sampling);
                }
                _ => self.require_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    /// Records the API features that the response format in the `text` settings of a Responses request requires.
    /// Members of a JSON schema format in a format of another type make the request [`Native`](Requirement::Native)
    /// (not convertible to another API).
    fn inspect_text_format(&mut self, format: &Value<'a>) {
        let names = ["type", "schema", "name", "description", "strict"];
        let [kind, schema, name, description, strict] = self.known_members(format, names);
        let schema_members = [schema, name, description, strict];
        let is_schema = string_or_empty(kind.as_ref()) == "json_schema";
        self.require_if(!is_schema && schema_members.iter().any(Option::is_some), Requirement::Native);
        self.inspect_openai_format(format, kind, schema_members);
    }

    /// Records the API features that the `reasoning` settings of a Responses request require: the effort, and options
    /// that control the returned thinking. Other members make the request [`Native`](Requirement::Native) (not
    /// convertible to another API).
    fn inspect_reasoning(&mut self, reasoning: &Value<'a>) {
        self.expect_kind(ValueKind::Object, reasoning);
        for (name, value) in reasoning.members() {
            let requirement = match name.string().unwrap_or_default().as_ref() {
                "effort" => {
                    self.inspect_effort(Some(&value));
                    continue;
                }
                "summary" | "generate_summary" | "context" => Requirement::ThinkingControl,
                _ => Requirement::Native,
            };
            self.require_if(!value.is_null(), requirement);
        }
    }

    /// Records the API features that `include` of a Responses request requires, a list of additional outputs. Encrypted
    /// reasoning requires nothing.
    fn inspect_include(&mut self, include: &Value<'a>) {
        self.expect_kind(ValueKind::Array, include);
        for output in include.elements() {
            match output.string().as_deref() {
                Some("reasoning.encrypted_content") => {}
                Some("message.output_text.logprobs") => self.require(Requirement::ManyAnswers),
                Some(name) if name.contains("_call.") => self.require(Requirement::ServerTools),
                _ => self.require(Requirement::Native),
            }
        }
    }

    /// Extracts session, thread, parent and sub-agent from `client_metadata` of a Responses request, in which Codex
    /// repeats its headers, and records them.
    fn inspect_client_metadata(&mut self, metadata: &Value<'a>) {
        let names = ["session_id", "thread_id", CODEX_PARENT, CODEX_SUBAGENT];
        let text = |value: Option<Value<'a>>| value.and_then(|value| value.string()).map(String::from);
        let [session, thread, parent, subagent] = metadata.get_many(names).map(text);
        let identity = &mut self.summary.identity;
        identity.session = session;
        identity.thread = thread;
        identity.parent = parent;
        identity.subagent |= subagent.is_some_and(|kind| is_codex_subagent(&kind));
    }

    /// Inspects the conversation of a Responses request, a string or a list of items. `cursor` is before it.
    ///
    /// # Errors
    /// [`RequestError`] if the value is of another type, or an item is not a JSON object.
    fn inspect_input(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        if cursor.peek_kind()? != ValueKind::String {
            return self.each_message(cursor, "a string or a list", Self::inspect_item);
        }
        let text = cursor.read_value()?.text();
        self.has_conversation = true;
        self.summary.prompt.characters += text.map_or(0, |text| text.characters());
        self.summary.prompt.messages += 1;
        self.record_user_message(0, &MessageDraft { texts: text.into_iter().collect(), ..MessageDraft::default() });
        Ok(())
    }

    /// Inspects the item at `index` of the conversation in a Responses request and records it according to its type. An
    /// item without a type is a message.
    ///
    /// # Errors
    /// [`RequestError`] if the item is not a JSON object.
    fn inspect_item(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.enter_object()? else {
            return Err(RequestError::WrongType { field: "input", expected: "a list of objects" });
        };
        let mut item = Item::default();
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            match name.as_ref() {
                _ if value.is_null() => {}
                "type" => item.kind = Some(value),
                "role" => item.role = Some(value),
                "content" => item.content = Some(value),
                "call_id" => item.call_id = Some(value),
                "output" => item.output = Some(value),
                "tools" => item.tools = Some(value),
                "name" => item.name = Some(value),
                "arguments" => item.arguments = Some(value),
                "input" => item.input = Some(value),
                "summary" => item.summary = Some(value),
                "encrypted_content" => item.has_encrypted_content = true,
                // Which of these are allowed depends on the type of the item.
                _ => {
                    let is_unknown = |kind| fields(WireApi::OpenAiResponses, kind).find(&name).is_none();
                    item.is_unknown_to_messages |= is_unknown(ObjectKind::Message);
                    item.is_unknown_to_other_items |= is_unknown(ObjectKind::Item);
                }
            }
        }
        match string_or_empty(item.kind.as_ref()).as_ref() {
            // The type of a message may be omitted.
            "message" => self.inspect_message_item(*cursor, &item, index),
            "" if item.kind.is_none() => self.inspect_message_item(*cursor, &item, index),
            "additional_tools" => {
                self.require(Requirement::Native);
                item.tools.map_or(Ok(()), |tools| self.inspect_openai_tools(&mut cursor.moved_to(tools.start)))
            }
            kind => self.inspect_other_item(*cursor, &item, kind, index),
        }
    }

    /// Inspects a message item at `index` of the conversation in a Responses request, and records it according to its
    /// role. An unknown role, an unexpected member or a missing content makes the request [`Native`](Requirement::Native)
    /// (not convertible to another API). `cursor` is the reader of the request, which is moved back to the content.
    ///
    /// # Errors
    /// [`RequestError`] if a part of the content is not an object.
    fn inspect_message_item(&mut self, cursor: Cursor<'a>, item: &Item<'a>, index: usize) -> Result<(), RequestError> {
        let is_unexpected = item.is_unknown_to_messages || item.is_call() || item.is_result() || item.is_reasoning();
        self.require_if(is_unexpected || item.content.is_none(), Requirement::Native);
        let role = string_or_empty(item.role.as_ref());
        let author = match role.as_ref() {
            "user" => Author::User,
            "assistant" => Author::Model,
            _ => Author::System,
        };
        let mut draft = MessageDraft { author, ..MessageDraft::default() };
        if let Some(content) = &item.content {
            self.inspect_openai_parts(cursor, content, &mut draft)?;
        }
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
            _ => self.require(Requirement::Native),
        }
        self.summary.prompt.messages += 1;
        Ok(())
    }

    /// Inspects an item other than a message, at `index` of the conversation in a Responses request: a tool call, a
    /// result, reasoning or an item of the provider. `kind` is its type. `cursor` is only used to return to the output
    /// of a result.
    ///
    /// # Errors
    /// [`RequestError`] if a part of the output of a result is not an object.
    fn inspect_other_item(
        &mut self,
        cursor: Cursor<'a>,
        item: &Item<'a>,
        kind: &str,
        index: usize,
    ) -> Result<(), RequestError> {
        self.summary.prompt.messages += 1;
        let content = [item.name, item.arguments, item.input, item.summary].into_iter().flatten();
        self.has_content.non_system |= kind != "reasoning";
        self.summary.prompt.characters += content.map(|content| content.characters()).sum::<u64>();
        let client_kinds =
            ["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning"];
        // The provider's own items may have any other members.
        self.require_if(item.is_unknown_to_other_items && client_kinds.contains(&kind), Requirement::Native);
        match kind {
            kind if kind.ends_with("_output") => return self.inspect_output_item(cursor, item, kind, index),
            "function_call" => {
                self.inspect_call_item(item);
                self.require_if(item.input.is_some(), Requirement::Native);
                self.inspect_arguments(item.arguments.as_ref());
            }
            "custom_tool_call" => {
                self.inspect_call_item(item);
                self.require(Requirement::CustomTools);
                self.require_if(item.arguments.is_some(), Requirement::Native);
                self.expect_optional(ValueKind::String, item.input.as_ref());
            }
            "reasoning" => {
                // Reasoning does not count as the last message.
                let ends_with_model = self.ends_with_model;
                self.record_assistant_message();
                self.ends_with_model = ends_with_model;
                self.require(Requirement::EarlierThinking);
            }
            "item_reference" => self.require(Requirement::StoredAnswers),
            kind if kind.ends_with("_call") => {
                self.record_assistant_message();
                self.record_call(item.call_id.as_ref());
                self.require(Requirement::ServerTools);
            }
            // This includes a history that the provider has compacted and encrypted.
            _ => self.require(Requirement::Native),
        }
        Ok(())
    }

    /// Inspects the item of a tool call in a Responses request: records the call, and the API features that its id,
    /// name and members require.
    fn inspect_call_item(&mut self, item: &Item<'a>) {
        self.record_assistant_message();
        self.record_call(item.call_id.as_ref());
        self.expect_string(item.call_id.as_ref());
        self.inspect_tool_name(item.name.as_ref());
        let is_unexpected = item.role.is_some() || item.content.is_some() || item.is_result() || item.is_reasoning();
        self.require_if(is_unexpected, Requirement::Native);
    }

    /// Inspects the item of a tool result at `index` of the conversation in a Responses request: records the result and
    /// the API features that it requires. `kind` is the type of the item; `cursor` is only used to return to the
    /// output.
    ///
    /// # Errors
    /// [`RequestError`] if a part of the output is not an object.
    fn inspect_output_item(
        &mut self,
        cursor: Cursor<'a>,
        item: &Item<'a>,
        kind: &str,
        index: usize,
    ) -> Result<(), RequestError> {
        match kind {
            "function_call_output" => {}
            "custom_tool_call_output" => self.require(Requirement::CustomTools),
            _ => self.require(Requirement::ServerTools),
        }
        let mut result_draft = MessageDraft::default();
        let is_unexpected = item.role.is_some()
            || item.content.is_some()
            || item.name.is_some()
            || item.arguments.is_some()
            || item.input.is_some()
            || item.tools.is_some()
            || item.is_reasoning();
        self.require_if(is_unexpected, Requirement::Native);
        self.record_result(item.call_id.as_ref());
        if let Some(output) = &item.output {
            self.inspect_openai_parts(cursor, output, &mut result_draft)?;
        }
        self.require_if(result_draft.has_images, Requirement::ToolImages);
        let bytes = item.output.map_or(0, |output| output.raw.len() as u64);
        let (call_id, content) = (string_or_empty(item.call_id.as_ref()), item.output);
        let result = ToolResult { call_id, is_error: None, bytes, content };
        self.record_user_message(index, &MessageDraft { results: vec![result], ..MessageDraft::default() });
        Ok(())
    }
}
