//! Inspects the settings, system messages and message contents that both `OpenAI` APIs have.

use contracts::Requirement;

use crate::{
    fields::ObjectKind,
    inspect::{
        history::MessageDraft,
        inspector::{Inspector, string_or_empty},
    },
    json::{Cursor, Value, ValueKind},
    limits,
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Records the features that a setting of the request body requires, if that depends on its value. `name` is the
    /// key of the setting, which both `OpenAI` APIs have. Other keys are classified by the table of known fields.
    pub(crate) fn inspect_openai_setting(&mut self, name: &str, value: &Value<'a>) {
        let (condition, requirement) = match name {
            "service_tier" => return self.inspect_service_tier(value),
            "temperature" => return self.inspect_temperature(value),
            "top_p" => return self.inspect_top_p(value),
            "tool_choice" => return self.inspect_openai_tool_choice(value),
            "safety_identifier" => return self.expect_kind(ValueKind::String, value),
            "parallel_tool_calls" => {
                self.expect_bool(value);
                self.is_one_tool_at_a_time = value.as_bool() == Some(false);
                return;
            }
            "store" | "metadata" | "background" => (!value.is_falsy(), Requirement::StoredAnswers),
            "n" => (value.as_u64() != Some(1) && !value.is_null(), Requirement::ManyAnswers),
            "logprobs" | "top_logprobs" => (!value.is_falsy(), Requirement::ManyAnswers),
            "logit_bias" => (!value.is_falsy(), Requirement::Sampling),
            "frequency_penalty" | "presence_penalty" => {
                self.require_if(!value.is_falsy() && value.kind != ValueKind::Number, Requirement::Native);
                (!value.is_falsy(), Requirement::Sampling)
            }
            "verbosity" => {
                self.expect_kind(ValueKind::String, value);
                (is_verbose(value), Requirement::Sampling)
            }
            "modalities" => (!matches!(value.raw, "null" | r#"["text"]"#), Requirement::AudioVideo),
            "truncation" => {
                let is_disabled = value.is_null() || value.string().as_deref() == Some("disabled");
                (!is_disabled, Requirement::ContextManagement)
            }
            _ => return self.classify_field(ObjectKind::Body, name, value),
        };
        self.require_if(condition, requirement);
    }

    /// Inspects `stream_options` in `OpenAI`'s APIs: records its byte range and whether usage is requested. Unknown
    /// options make the request [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_stream_options(&mut self, options: &Value<'a>) {
        self.summary.offsets.stream_options = Some(options.span());
        self.require_if(!options.is_null() && options.kind != ValueKind::Object, Requirement::Native);
        for (name, value) in options.members() {
            match name.string().unwrap_or_default().as_ref() {
                "include_usage" => self.summary.requests_stream_usage = value.as_bool() == Some(true),
                // Padding that hides the length of chunks; changes no content.
                "include_obfuscation" => {}
                _ => self.require_if(!value.is_null(), Requirement::Native),
            }
        }
    }

    /// Records the API features that the response format of `OpenAI`'s APIs requires, and that structured output is
    /// needed. `format` is the format object, `kind` its type; the array has the schema, name, description and `strict`
    /// of a JSON schema format, which the two APIs have at different positions.
    pub(crate) fn inspect_openai_format(
        &mut self,
        format: &Value<'a>,
        kind: Option<Value<'a>>,
        [schema, name, description, strict]: [Option<Value<'a>>; 4],
    ) {
        if format.is_null() {
            return;
        }
        for text in [name, description].into_iter().flatten() {
            self.expect_kind(ValueKind::String, &text);
        }
        if let Some(strict) = &strict {
            self.expect_bool(strict);
        }
        match string_or_empty(kind.as_ref()).as_ref() {
            "text" => {}
            "json_schema" => {
                self.require_if(schema.is_none(), Requirement::Native);
                self.summary.needs.structured_output = true;
            }
            "json_object" => {
                self.summary.needs.structured_output = true;
                self.require(Requirement::JsonObject);
            }
            // A grammar.
            _ => self.require(Requirement::Native),
        }
        if let Some(schema) = schema {
            self.record_response_schema(&schema);
        }
    }

    /// Records the texts of a system message of `OpenAI`'s APIs. Before all other messages it is part of the system
    /// prompt; after one it requires [`Requirement::MidConversationSystem`].
    pub(crate) fn record_openai_system_message(&mut self, draft: &MessageDraft<'a>) {
        for text in &draft.texts {
            // The texts were counted as parts of a message.
            self.summary.prompt.characters -= text.characters();
            self.record_system_text(*text);
        }
        self.require_if(self.history.has_begun, Requirement::MidConversationSystem);
        self.ends_with_model &= draft.texts.iter().all(|text| limits::is_blank(&text.decoded()));
    }

    /// Inspects the content of a message or tool result in `OpenAI`'s APIs, a string or a list of parts, and adds it to
    /// `draft`. `cursor` is only used to return to the content.
    ///
    /// # Errors
    /// [`RequestError`] if an element of the list is not a JSON object.
    pub(crate) fn inspect_openai_parts(
        &mut self,
        cursor: Cursor<'a>,
        content: &Value<'a>,
        draft: &mut MessageDraft<'a>,
    ) -> Result<(), RequestError> {
        if let Some(text) = content.text() {
            self.summary.prompt.characters += text.characters();
            draft.texts.push(text);
        }
        let mut content_cursor = cursor.moved_to(content.start);
        let Some(mut elements) = content_cursor.enter_array()? else {
            self.expect_kind(ValueKind::String, content);
            return Ok(());
        };
        while elements.next(&mut content_cursor)? {
            self.inspect_openai_part(&mut content_cursor, draft)?;
        }
        Ok(())
    }
}

/// Returns whether the `verbosity` setting of `OpenAI`'s APIs differs from the default `medium`; false for `null`.
pub(crate) fn is_verbose(value: &Value<'_>) -> bool {
    !value.is_null() && value.string().as_deref() != Some("medium")
}
