//! The body of `OpenAI`'s Responses.

use contracts::Requirement;

use super::{
    chat::is_verbose,
    history::Draft,
    member::member,
    reading::{Reading, name_of},
};
use crate::{
    json::{Cursor, Kind, Value},
    known_fields::Place,
    request::{RequestError, ToolResult},
};

impl<'a> Reading<'a> {
    /// Reads one member of the body.
    pub(super) fn responses(&mut self, cursor: &mut Cursor<'a>, name: &str) -> Result<(), RequestError> {
        match name {
            "model" => return self.model(cursor),
            "stream" => return self.stream(cursor),
            "input" => return self.input(cursor),
            "tools" => return self.openai_tools(cursor),
            _ => {}
        }
        let value = cursor.value()?;
        match name {
            "stream_options" => self.stream_options(*cursor, &value)?,
            "instructions" => value.text().into_iter().for_each(|text| self.system(text)),
            "max_output_tokens" => self.out.max_output = value.whole(),
            "text" => self.text(*cursor, &value)?,
            "reasoning" => self.reasoning(*cursor, &value)?,
            "include" => self.include(*cursor, &value)?,
            "client_metadata" => self.client_metadata(*cursor, &value)?,
            "prompt_cache_key" => self.out.identity.cache_key = value.string().map(Into::into),
            _ => self.openai_setting(name, &value),
        }
        Ok(())
    }

    fn text(&mut self, cursor: Cursor<'a>, text: &Value<'a>) -> Result<(), RequestError> {
        let mut inside = cursor.at(text.start);
        let Some(mut members) = inside.object()? else { return self.not_a_list(&mut inside) };
        while let Some(name) = members.next(&mut inside)? {
            let value = inside.value()?;
            match name.as_ref() {
                "format" => {
                    let schema = member(inside, &value, "schema")?;
                    self.openai_format(inside, &value, schema)?;
                }
                "verbosity" => self.requires_if(is_verbose(&value), Requirement::Sampling),
                _ => self.requires_if(!value.is_null(), Requirement::Native),
            }
        }
        Ok(())
    }

    fn reasoning(&mut self, cursor: Cursor<'a>, reasoning: &Value<'a>) -> Result<(), RequestError> {
        let mut inside = cursor.at(reasoning.start);
        let Some(mut members) = inside.object()? else { return self.not_a_list(&mut inside) };
        while let Some(name) = members.next(&mut inside)? {
            let value = inside.value()?;
            let requirement = match name.as_ref() {
                "effort" => continue,
                "summary" | "generate_summary" | "context" => Requirement::ThinkingControl,
                _ => Requirement::Native,
            };
            self.requires_if(!value.is_null(), requirement);
        }
        Ok(())
    }

    fn include(&mut self, cursor: Cursor<'a>, include: &Value<'a>) -> Result<(), RequestError> {
        let mut inside = cursor.at(include.start);
        let Some(mut elements) = inside.array()? else { return self.not_a_list(&mut inside) };
        while elements.next(&mut inside)? {
            match inside.value()?.string().as_deref() {
                Some("reasoning.encrypted_content") => {}
                Some("message.output_text.logprobs") => self.requires(Requirement::ManyAnswers),
                Some(name) if name.contains("_call.") => self.requires(Requirement::ServerTools),
                _ => self.requires(Requirement::Native),
            }
        }
        Ok(())
    }

    /// Codex repeats its headers here.
    fn client_metadata(&mut self, cursor: Cursor<'a>, metadata: &Value<'a>) -> Result<(), RequestError> {
        let mut inside = cursor.at(metadata.start);
        let Some(mut members) = inside.object()? else { return Ok(()) };
        while let Some(name) = members.next(&mut inside)? {
            let value = inside.value()?.string().map(String::from);
            let identity = &mut self.out.identity;
            match name.as_ref() {
                "session_id" => identity.session = value,
                "thread_id" => identity.thread = value,
                "x-codex-parent-thread-id" => identity.parent = value,
                "x-openai-subagent" => identity.subagent |= value.is_some(),
                _ => {}
            }
        }
        Ok(())
    }

    fn input(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.array()? else {
            let value = cursor.value()?;
            let expected = RequestError::WrongType { field: "input", expected: "a string or a list" };
            let text = value.text().ok_or(expected)?;
            self.conversation = true;
            self.out.prompt.characters += text.characters();
            self.out.prompt.messages += 1;
            self.said(0, &Draft { texts: vec![text], ..Draft::default() });
            return Ok(());
        };
        let start = cursor.place().saturating_sub(1);
        self.conversation = true;
        let mut index = 0;
        while elements.next(cursor)? {
            self.item(cursor, index)?;
            index += 1;
        }
        self.out.places.history = Some(start..cursor.place());
        Ok(())
    }

    fn item(&mut self, cursor: &mut Cursor<'a>, index: usize) -> Result<(), RequestError> {
        let item = cursor.value()?;
        if item.kind != Kind::Object {
            return Err(RequestError::WrongType { field: "input", expected: "a list of objects" });
        }
        let kind = member(*cursor, &item, "type")?;
        match name_of(kind.as_ref()).as_ref() {
            // The type may be left out.
            "message" | "" => self.message_item(*cursor, &item, index),
            kind => self.other_item(*cursor, &item, kind, index),
        }
    }

    fn message_item(&mut self, cursor: Cursor<'a>, item: &Value<'a>, index: usize) -> Result<(), RequestError> {
        let mut inside = cursor.at(item.start);
        let Some(mut members) = inside.object()? else { return Ok(()) };
        let (mut role, mut content) = (None, None);
        while let Some(name) = members.next(&mut inside)? {
            let value = inside.value()?;
            match name.as_ref() {
                "role" => role = Some(value),
                "content" => content = Some(value),
                _ => self.judge(Place::Message, &name, &value),
            }
        }
        let mut draft = Draft::default();
        if let Some(content) = content {
            self.parts(cursor.at(content.start), &mut draft)?;
        }
        match name_of(role.as_ref()).as_ref() {
            "system" | "developer" => {
                self.openai_system(&draft);
                return Ok(());
            }
            "user" => self.said(index, &draft),
            "assistant" => self.answered(),
            _ => self.requires(Requirement::Native),
        }
        self.out.prompt.messages += 1;
        Ok(())
    }

    fn other_item(
        &mut self,
        cursor: Cursor<'a>,
        item: &Value<'a>,
        kind: &str,
        index: usize,
    ) -> Result<(), RequestError> {
        if kind == "additional_tools" {
            self.requires(Requirement::Native);
            return match member(cursor, item, "tools")? {
                Some(tools) => self.openai_tools(&mut cursor.at(tools.start)),
                None => Ok(()),
            };
        }
        let mut inside = cursor.at(item.start);
        let Some(mut members) = inside.object()? else { return Ok(()) };
        let (mut call, mut output) = (None, None);
        while let Some(name) = members.next(&mut inside)? {
            let value = inside.value()?;
            match name.as_ref() {
                "call_id" => call = Some(value),
                "output" => output = Some(value),
                "name" | "arguments" | "input" | "summary" => self.out.prompt.characters += value.characters(),
                _ => self.judge_item(kind, &name, &value),
            }
        }
        self.out.prompt.messages += 1;
        if kind.ends_with("_output") {
            return self.output_item(cursor, kind, call.as_ref(), output.as_ref(), index);
        }
        match kind {
            "function_call" => self.called(),
            "custom_tool_call" => {
                self.called();
                self.requires(Requirement::CustomTools);
            }
            "reasoning" => {
                self.answered();
                self.requires(Requirement::Signatures);
            }
            "item_reference" => self.requires(Requirement::StoredAnswers),
            kind if kind.ends_with("_call") => {
                self.called();
                self.requires(Requirement::ServerTools);
            }
            // Among them what is left of a history that the provider shortened, which nobody else can read.
            _ => self.requires(Requirement::Native),
        }
        Ok(())
    }

    /// The members of an item of the provider's own may be anything: its type says enough.
    fn judge_item(&mut self, kind: &str, name: &str, value: &Value<'a>) {
        let ours =
            ["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning"];
        if name != "type" && ours.contains(&kind) {
            self.judge(Place::Item, name, value);
        }
    }

    fn called(&mut self) {
        self.answered();
        self.out.tool_calls_in_history = true;
    }

    fn output_item(
        &mut self,
        cursor: Cursor<'a>,
        kind: &str,
        call: Option<&Value<'a>>,
        output: Option<&Value<'a>>,
        index: usize,
    ) -> Result<(), RequestError> {
        match kind {
            "function_call_output" => {}
            "custom_tool_call_output" => self.requires(Requirement::CustomTools),
            _ => self.requires(Requirement::ServerTools),
        }
        let bytes = output.map_or(0, |output| output.raw.len() as u64);
        let mut inside = Draft::default();
        match output {
            Some(output) if output.kind == Kind::Object => self.requires(Requirement::Native),
            Some(output) => self.parts(cursor.at(output.start), &mut inside)?,
            None => {}
        }
        self.requires_if(inside.images, Requirement::ToolImages);
        let result = ToolResult { call: name_of(call), is_error: None, bytes };
        self.said(index, &Draft { results: vec![result], ..Draft::default() });
        Ok(())
    }
}
