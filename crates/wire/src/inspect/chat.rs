//! The body of chat completions.

use contracts::Requirement;

use super::{
    history::Draft,
    reading::{Reading, kind_of, name_of},
};
use crate::{
    json::{Cursor, Kind, Value},
    known_fields::{Place, fields},
    request::{RequestError, ToolResult},
};

impl<'a> Reading<'a> {
    /// Reads one member of the body.
    pub(super) fn chat(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.model(cursor),
            "stream" => return self.stream(cursor),
            "messages" => return self.chat_messages(cursor),
            "tools" => return self.openai_tools(cursor),
            _ => {}
        }
        let value = cursor.value()?;
        match name {
            "stream_options" => self.stream_options(&value),
            "max_tokens" | "max_completion_tokens" => self.out.max_output = value.whole().or(self.out.max_output),
            "response_format" => {
                let schema = value.get("json_schema").and_then(|outer| outer.get("schema"));
                self.openai_format(&value, schema);
            }
            "reasoning_effort" => self.effort(Some(&value)),
            "stop" => self.stops(&value),
            "prompt_cache_key" => self.out.identity.cache_key = value.string().map(Into::into),
            _ => self.openai_setting(name, &value),
        }
        Ok(())
    }

    /// Settings that both of `OpenAI`'s APIs have and that are judged by their value.
    pub(super) fn openai_setting(&mut self, name: &str, value: &Value<'a>) {
        let (condition, requirement) = match name {
            "service_tier" => return self.service_tier(value),
            "temperature" => return self.temperature(value),
            "parallel_tool_calls" => {
                self.one_tool_at_a_time = value.boolean() == Some(false);
                return;
            }
            "store" | "metadata" | "background" => (!value.is_nothing(), Requirement::StoredAnswers),
            "n" => (value.whole() != Some(1) && !value.is_null(), Requirement::ManyAnswers),
            "logprobs" | "top_logprobs" => (!value.is_nothing(), Requirement::ManyAnswers),
            "logit_bias" | "frequency_penalty" | "presence_penalty" => (!value.is_nothing(), Requirement::Sampling),
            "verbosity" => (is_verbose(value), Requirement::Sampling),
            "modalities" => (!matches!(value.raw, "null" | r#"["text"]"#), Requirement::AudioVideo),
            "truncation" => {
                let whole = value.is_null() || value.string().as_deref() == Some("disabled");
                (!whole, Requirement::ContextManagement)
            }
            _ => return self.judge(Place::Body, name, value),
        };
        self.requires_if(condition, requirement);
    }

    /// How a stream is to be ended and padded.
    pub(super) fn stream_options(&mut self, options: &Value<'a>) {
        self.out.places.stream_options = Some(options.span());
        self.requires_if(!options.is_null() && options.kind != Kind::Object, Requirement::Native);
        for (name, value) in options.members() {
            match name.string().unwrap_or_default().as_ref() {
                "include_usage" => self.out.asks_usage = value.boolean() == Some(true),
                // Padding against listeners; changes no content.
                "include_obfuscation" => {}
                _ => self.requires_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    /// The format of the answer; a schema when it says so.
    pub(super) fn openai_format(&mut self, format: &Value<'a>, schema: Option<Value<'a>>) {
        match kind_of(format).as_ref() {
            "" | "text" => self.requires_if(!format.is_null() && format.kind != Kind::Object, Requirement::Native),
            "json_schema" => self.out.needs.structured_output = true,
            "json_object" => {
                self.out.needs.structured_output = true;
                self.requires(Requirement::JsonObject);
            }
            // A grammar.
            _ => self.requires(Requirement::Native),
        }
        if let Some(schema) = schema {
            self.signs.schema(&schema);
        }
    }

    fn chat_messages(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list" });
        };
        let start = cursor.place().saturating_sub(1);
        self.conversation = true;
        let mut index = 0;
        while elements.next(cursor)? {
            self.index = index;
            self.chat_message(cursor, index)?;
            index += 1;
        }
        self.out.places.history = Some(start..cursor.place());
        Ok(())
    }

    fn chat_message(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "messages", expected: "a list of objects" });
        };
        let (mut role, mut content, mut calls, mut call, mut named) = (None, None, None, None, false);
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
        let mut draft = Draft::default();
        if let Some(content) = &content {
            self.parts(*cursor, content, &mut draft)?;
        }
        if let Some(calls) = &calls {
            self.chat_calls(calls);
        }
        match role.as_ref() {
            "system" | "developer" => {
                self.openai_system(&draft);
                return Ok(());
            }
            "user" => self.said(index, &draft),
            "assistant" => self.answered(),
            "tool" | "function" => {
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

    /// A system message: at the start it is the system prompt.
    pub(super) fn openai_system(&mut self, draft: &Draft<'a>) {
        for text in &draft.texts {
            // They were counted as parts of a message.
            self.out.prompt.characters -= text.characters();
            self.system(*text);
        }
        self.requires_if(self.history.begun, Requirement::MidConversationSystem);
        self.ends_with_model = false;
    }

    /// The content of a message in either of `OpenAI`'s APIs: a string or parts.
    pub(super) fn parts(
        &mut self,
        cursor: Cursor<'a>,
        content: &Value<'a>,
        draft: &mut Draft<'a>,
    ) -> Result<(), RequestError> {
        if let Some(text) = content.text() {
            self.out.prompt.characters += text.characters();
            draft.texts.push(text);
        }
        let mut inside = cursor.at(content.start);
        let Some(mut elements) = inside.array()? else { return Ok(()) };
        while elements.next(&mut inside)? {
            self.part(&mut inside, draft)?;
        }
        Ok(())
    }

    fn part(&mut self, cursor: &mut Cursor<'a>, draft: &mut Draft<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.object()? else {
            return Err(RequestError::WrongType { field: "content", expected: "a string or a list of objects" });
        };
        let (mut kind, mut text, mut image) = (None, None, None);
        while let Some(name) = members.next(cursor)? {
            let value = cursor.value()?;
            match name.as_ref() {
                "type" => kind = Some(value),
                "text" | "refusal" => text = value.text(),
                "image_url" | "file_id" => image = Some(value),
                "annotations" | "logprobs" => self.requires_if(!value.is_nothing(), Requirement::Native),
                _ => self.judge(Place::Part, &name, &value),
            }
        }
        match name_of(kind.as_ref()).as_ref() {
            "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
                self.out.prompt.characters += text.map_or(0, |text| text.characters());
                draft.texts.extend(text);
            }
            "image_url" | "input_image" => {
                self.image();
                draft.images = true;
                let url = match image {
                    Some(image) if image.kind == Kind::Object => image.get("url"),
                    other => other,
                };
                let inside = url.and_then(|url| url.text()).is_some_and(|url| url.raw.starts_with("data:"));
                self.requires_if(!inside, Requirement::RemoteImages);
            }
            "input_audio" | "video_url" => self.requires(Requirement::AudioVideo),
            "file" | "input_file" => self.requires(Requirement::Documents),
            _ => self.requires(Requirement::Native),
        }
        Ok(())
    }

    fn chat_calls(&mut self, calls: &Value<'a>) {
        for call in calls.elements() {
            self.out.tool_calls_in_history = true;
            for (name, value) in call.members() {
                match name.string().unwrap_or_default().as_ref() {
                    "id" | "index" => {}
                    "type" => self.requires_if(value.string().as_deref() == Some("custom"), Requirement::CustomTools),
                    "function" | "custom" => {
                        let parts = value.pick(["name", "arguments", "input"]).into_iter().flatten();
                        self.out.prompt.characters += parts.map(|part| part.characters()).sum::<u64>();
                    }
                    // Google's compatible API keeps the signature of the thinking here.
                    "extra_content" => self.requires_if(!value.is_nothing(), Requirement::Signatures),
                    _ => self.requires_if(!value.is_null(), Requirement::Native),
                }
            }
        }
    }

    /// Definitions of tools in either of `OpenAI`'s APIs.
    pub(super) fn openai_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else { return self.not_a_list(cursor) };
        while elements.next(cursor)? {
            let mark = *cursor;
            let Some(mut members) = cursor.object()? else {
                self.requires(Requirement::Native);
                cursor.value()?;
                continue;
            };
            let (mut kind, mut unknown) = (None, false);
            while let Some(name) = members.next(cursor)? {
                let value = cursor.value()?;
                match name.as_ref() {
                    "type" => kind = Some(value),
                    "function" => self.function(&value),
                    "defer_loading" => self.requires_if(!value.is_nothing(), Requirement::ServerTools),
                    "cache_control" => self.judge(Place::Tool, &name, &value),
                    "tools" => self.grouped(&value),
                    _ => unknown |= fields(self.out.api, Place::Tool).find(&name).is_none(),
                }
            }
            match name_of(kind.as_ref()).as_ref() {
                "function" => self.requires_if(unknown, Requirement::Native),
                "custom" => {
                    self.requires(Requirement::CustomTools);
                    self.requires_if(unknown, Requirement::Native);
                }
                // Functions in groups, which are called by two names.
                "namespace" => self.requires(Requirement::Native),
                // Its other members are the provider's own business.
                _ => self.requires(Requirement::ServerTools),
            }
            self.tool(mark.until(cursor));
        }
        Ok(())
    }

    /// The tools of a group.
    fn grouped(&mut self, tools: &Value<'a>) {
        for tool in tools.elements() {
            self.requires_if(kind_of(&tool) == "custom", Requirement::CustomTools);
        }
    }

    fn function(&mut self, function: &Value<'a>) {
        for (name, value) in function.members() {
            let name = name.string().unwrap_or_default();
            if !matches!(name.as_ref(), "name" | "description" | "parameters" | "strict") && !value.is_null() {
                self.requires(Requirement::Native);
            }
        }
    }
}

/// Whether a verbosity is another than the usual one.
pub(super) fn is_verbose(value: &Value<'_>) -> bool {
    !value.is_null() && value.string().as_deref() != Some("medium")
}
