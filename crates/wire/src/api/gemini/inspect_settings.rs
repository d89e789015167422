//! Inspects the settings of `generateContent` requests: tools, tool choice and generation settings.

use contracts::Requirement;

use crate::inspect::inspector::Inspector;
use crate::{
    fields::ObjectKind,
    json::{Cursor, Value, ValueKind},
    request_summary::RequestError,
};

impl<'a> Inspector<'a> {
    /// Counts the tools of a `generateContent` request and records the API features that they require. Members other
    /// than function declarations are tools of the provider. `cursor` is before the list.
    ///
    /// # Errors
    /// [`RequestError`] if the list is not valid JSON.
    pub(crate) fn inspect_gemini_tools(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else { return self.skip_non_list(cursor) };
        while elements.next(cursor)? {
            let Some(mut members) = cursor.enter_object()? else {
                self.require_native();
                cursor.read_value()?;
                continue;
            };
            while let Some(name) = members.next(cursor)? {
                if matches!(name.as_ref(), "functionDeclarations" | "function_declarations") {
                    self.inspect_declarations(cursor)?;
                } else if !cursor.read_value()?.is_null() {
                    self.summary.needs.tools = true;
                    self.add_server_tool(&name);
                }
            }
        }
        Ok(())
    }

    /// Counts the function declarations of a Gemini request and records the API features that they require. `cursor` is
    /// before the list.
    ///
    /// # Errors
    /// [`RequestError`] if the list is not valid JSON.
    fn inspect_declarations(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut elements) = cursor.enter_array()? else { return self.skip_non_list(cursor) };
        while elements.next(cursor)? {
            let start = *cursor;
            let Some(mut members) = cursor.enter_object()? else {
                self.require_native();
                cursor.read_value()?;
                continue;
            };
            let mut function = None;
            while let Some(name) = members.next(cursor)? {
                let value = cursor.read_value()?;
                match name.as_ref() {
                    "name" => function = Some(value),
                    "description" => self.expect_kind(ValueKind::String, &value),
                    "parameters" | "parametersJsonSchema" | "parameters_json_schema" => {}
                    _ => self.require_if(!value.is_null(), Requirement::Native),
                }
            }
            self.inspect_tool_name(function.as_ref());
            self.count_tool(start.text_until(cursor));
        }
        Ok(())
    }

    /// Inspects `toolConfig` of a Gemini request, which contains the tool choice. Unknown modes, and a choice between
    /// several functions, make the request [`Native`](Requirement::Native) (not convertible to another API).
    pub(crate) fn inspect_gemini_tool_choice(&mut self, config: &Value<'a>) {
        let [calling_config] = self.known_google_members(config, ["functionCallingConfig"]);
        let Some(calling_config) = calling_config else { return };
        let [mode, functions] = self.known_google_members(&calling_config, ["mode", "allowedFunctionNames"]);
        if let Some(functions) = &functions {
            self.expect_kind(ValueKind::Array, functions);
            self.require_if(functions.elements().any(|name| name.kind != ValueKind::String), Requirement::Native);
        }
        let mode = mode.map_or(Some("AUTO".into()), |mode| mode.string());
        let is_supported = match (mode.as_deref(), functions.map_or(0, |functions| functions.elements().count())) {
            (Some("AUTO" | "MODE_UNSPECIFIED" | "NONE"), 0) => true,
            (Some("ANY"), count) => count < 2,
            _ => false,
        };
        self.require_if(!is_supported, Requirement::Native);
    }

    /// Records the API features that the members of `generationConfig` in a Gemini request require. `cursor` is before
    /// the object.
    ///
    /// # Errors
    /// [`RequestError`] if the value is not valid JSON.
    pub(crate) fn inspect_generation_config(&mut self, cursor: &mut Cursor<'a>) -> Result<(), RequestError> {
        let Some(mut members) = cursor.enter_object()? else { return self.skip_non_list(cursor) };
        while let Some(name) = members.next(cursor)? {
            let value = cursor.read_value()?;
            self.inspect_generation_setting(&name, &value);
        }
        Ok(())
    }

    /// Records the API features that the member `name` of `generationConfig` in a Gemini request requires. Output
    /// limit, sampling and response format are also recorded.
    fn inspect_generation_setting(&mut self, name: &str, value: &Value<'a>) {
        match name {
            "maxOutputTokens" | "max_output_tokens" => self.summary.max_output = self.expect_count(value),
            "responseSchema"
            | "response_schema"
            | "responseJsonSchema"
            | "response_json_schema"
            | "_responseJsonSchema" => {
                self.summary.needs.structured_output |= !value.is_null();
                self.gemini_json.has_schema |= !value.is_null();
                self.record_response_schema(value);
            }
            "responseMimeType" | "response_mime_type" => {
                let mime = value.string();
                self.gemini_json.is_requested = mime.as_deref() == Some("application/json");
                self.summary.needs.structured_output |= self.gemini_json.is_requested;
                // Other types, or a value that is no text.
                let is_known = value.is_null() || matches!(mime.as_deref(), Some("application/json" | "text/plain"));
                self.require_if(!is_known, Requirement::Native);
            }
            "presencePenalty" | "presence_penalty" | "frequencyPenalty" | "frequency_penalty" => {
                self.expect_kind(ValueKind::Number, value);
                self.require_if(!value.is_falsy(), Requirement::Sampling);
            }
            "stopSequences" | "stop_sequences" => self.inspect_stop_sequences(value),
            "temperature" => self.inspect_temperature(value),
            "topP" | "top_p" => self.inspect_top_p(value),
            "topK" | "top_k" | "seed" => {
                self.expect_kind(ValueKind::Number, value);
                self.classify_field(ObjectKind::Generation, name, value);
            }
            "thinkingConfig" | "thinking_config" => {
                self.inspect_thinking_level(value);
                self.classify_field(ObjectKind::Generation, name, value);
            }
            "candidateCount" | "candidate_count" => {
                self.require_if(value.as_u64() != Some(1) && !value.is_null(), Requirement::ManyAnswers);
            }
            "responseLogprobs" | "response_logprobs" | "logprobs" => {
                self.require_if(!value.is_falsy(), Requirement::ManyAnswers);
            }
            "responseModalities" | "response_modalities" => {
                self.require_if(value.raw.contains("AUDIO"), Requirement::AudioVideo);
                let is_text_only = value.is_falsy() || value.raw == r#"["TEXT"]"#;
                self.require_if(!is_text_only && !value.raw.contains("AUDIO"), Requirement::Native);
            }
            _ => self.classify_field(ObjectKind::Generation, name, value),
        }
    }

    /// Records the API features that the thinking level (`thinkingConfig`) of a Gemini request requires; it is treated
    /// as the reasoning effort.
    fn inspect_thinking_level(&mut self, config: &Value<'a>) {
        let names = ["thinkingLevel", "thinkingBudget", "includeThoughts"];
        let [level, _, _] = self.known_google_members(config, names);
        let is_default = |level: &Value<'_>| {
            level.string().is_some_and(|level| level.eq_ignore_ascii_case("thinking_level_unspecified"))
        };
        self.inspect_effort(level.filter(|level| !is_default(level)).as_ref());
    }
}
