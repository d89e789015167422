//! The body of chat completions.

use contracts::Requirement;

use super::{
    history::{By, Draft},
    reading::{Reading, name_of},
};
use crate::{
    json::{Cursor, Kind, Value},
    known_fields::Place,
    limits,
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

    /// Settings that both of `OpenAI`'s APIs have and that are judged by their value.
    pub(super) fn openai_setting(&mut self, name: &str, value: &Value<'a>) {
        let (condition, requirement) = match name {
            "service_tier" => return self.service_tier(value),
            "temperature" => return self.temperature(value),
            "top_p" => return self.top_p(value),
            "tool_choice" => return self.openai_tool_choice(value),
            "safety_identifier" => return self.of_kind(Kind::String, value),
            "parallel_tool_calls" => {
                self.flag(value);
                self.one_tool_at_a_time = value.boolean() == Some(false);
                return;
            }
            "store" | "metadata" | "background" => (!value.is_nothing(), Requirement::StoredAnswers),
            "n" => (value.whole() != Some(1) && !value.is_null(), Requirement::ManyAnswers),
            "logprobs" | "top_logprobs" => (!value.is_nothing(), Requirement::ManyAnswers),
            "logit_bias" => (!value.is_nothing(), Requirement::Sampling),
            "frequency_penalty" | "presence_penalty" => {
                self.requires_if(!value.is_nothing() && value.kind != Kind::Number, Requirement::Native);
                (!value.is_nothing(), Requirement::Sampling)
            }
            "verbosity" => {
                self.of_kind(Kind::String, value);
                (is_verbose(value), Requirement::Sampling)
            }
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
    pub(super) fn openai_format(
        &mut self,
        format: &Value<'a>,
        kind: Option<Value<'a>>,
        [schema, name, description, strict]: [Option<Value<'a>>; 4],
    ) {
        if format.is_null() {
            return;
        }
        for text in [name, description].into_iter().flatten() {
            self.of_kind(Kind::String, &text);
        }
        if let Some(strict) = &strict {
            self.flag(strict);
        }
        match name_of(kind.as_ref()).as_ref() {
            "text" => {}
            "json_schema" => {
                self.requires_if(schema.is_none(), Requirement::Native);
                self.out.needs.structured_output = true;
            }
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

    /// A system message: at the start it is the system prompt.
    pub(super) fn openai_system(&mut self, draft: &Draft<'a>) {
        for text in &draft.texts {
            // They were counted as parts of a message.
            self.out.prompt.characters -= text.characters();
            self.system(*text);
        }
        self.requires_if(self.history.begun, Requirement::MidConversationSystem);
        self.ends_with_model &= draft.texts.iter().all(|text| limits::is_blank(&text.decoded()));
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
        let Some(mut elements) = inside.array()? else {
            self.of_kind(Kind::String, content);
            return Ok(());
        };
        while elements.next(&mut inside)? {
            self.part(&mut inside, draft)?;
        }
        Ok(())
    }
}

/// Whether a verbosity is another than the usual one.
pub(super) fn is_verbose(value: &Value<'_>) -> bool {
    !value.is_null() && value.string().as_deref() != Some("medium")
}
