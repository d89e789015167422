//! Inspects a request body of chat completions.

use contracts::Requirement;

use crate::inspect::{
    history::{By, Draft},
    inspector::{Reading, name_of},
};
use crate::{
    fields::Place,
    json::{Cursor, Kind, Value},
    limits,
    request::{RequestError, ToolResult},
};

impl<'a> Reading<'a> {
    /// Reads the member `name` of the body; `cursor` is before its value.
    pub(crate) fn chat(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.model(cursor),
            "stream" => return self.stream(cursor),
            "messages" => return self.each_message(cursor, "a list", Self::chat_message),
            "tools" => return self.openai_tools(cursor),
            _ => {}
        }
        let value = cursor.value()?;
        match name {
            "stream_options" => self.stream_options(&value),
            "max_tokens" | "max_completion_tokens" => self.out.max_output = self.count(&value).or(self.out.max_output),
            "response_format" => {
                let [kind, described] = self.only(&value, ["type", "json_schema"]);
                let is_schema = name_of(kind.as_ref()) == "json_schema";
                self.requires_if(described.is_some() != is_schema, Requirement::Native);
                let names = ["schema", "name", "description", "strict"];
                let described = described.map(|described| self.only(&described, names));
                self.openai_format(&value, kind, described.unwrap_or_default());
            }
            "reasoning_effort" => self.effort(Some(&value)),
            "stop" if value.kind == Kind::String => {
                self.out.requires.extend(limits::of_stops(&[value.string().unwrap_or_default()]));
            }
            "stop" => self.stops(&value),
            "top_k" | "seed" => {
                self.of_kind(Kind::Number, &value);
                self.judge(Place::Body, name, &value);
            }
            "prompt_cache_key" => {
                self.of_kind(Kind::String, &value);
                self.out.identity.cache_key = value.string().map(Into::into);
            }
            _ => self.openai_setting(name, &value),
        }
        Ok(())
    }

    fn chat_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content, mut calls, mut call, mut named) = (None, None, None, None::<Value<'a>>, false);
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            match name.as_ref() {
                "role" => role = Some(value),
                "content" => content = Some(value),
                "tool_calls" => calls = Some(value),
                "tool_call_id" => call = Some(value),
                "name" => named = !value.is_null(),
                "refusal" | "annotations" | "function_call" => {
                    self.requires_if(!value.is_nothing(), Requirement::Native);
                }
                "reasoning" | "reasoning_content" | "reasoning_details" if value.is_nothing() => {}
                "reasoning" | "reasoning_content" => {
                    self.out.prompt.characters += value.characters();
                    self.requires(Requirement::Signatures);
                }
                _ => self.judge(Place::Message, &name, &value),
            }
        }
        let role = name_of(role.as_ref());
        // Which of several people spoke; on a tool's result it repeats the call's.
        self.requires_if(named && role != "tool", Requirement::Native);
        let by = match role.as_ref() {
            "assistant" => By::Model,
            "user" | "tool" => By::User,
            _ => By::System,
        };
        let mut draft = Draft { by, ..Draft::default() };
        if let Some(content) = &content {
            self.parts(*cursor, content, &mut draft)?;
        }
        if let Some(calls) = &calls {
            self.chat_calls(calls, by);
        }
        let call = call.filter(|call| !call.is_null());
        self.requires_if(call.is_some() && role != "tool", Requirement::Native);
        match role.as_ref() {
            "system" | "developer" => {
                self.openai_system(&draft);
                return Ok(());
            }
            "user" => self.said(index, &draft),
            "assistant" => {
                self.heard(&draft);
                self.answered();
            }
            "tool" | "function" => {
                self.returned(call.as_ref());
                self.requires_if(role == "function", Requirement::Native);
                self.requires_if(draft.images, Requirement::ToolImages);
                let bytes = content.map_or(0, |content| content.raw.len() as u64);
                let result = ToolResult { call: name_of(call.as_ref()), is_error: None, bytes };
                self.said(index, &Draft { results: vec![result], ..Draft::default() });
            }
            _ => self.requires(Requirement::Native),
        }
        self.out.prompt.messages += 1;
        Ok(())
    }
}
