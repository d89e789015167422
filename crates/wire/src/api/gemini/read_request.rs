//! Parses the body of a `generateContent` request to the canonical form, which is independent of the API. Contents are
//! parsed in `read_contents`.

use contracts::Requirement;
use serde_json::{Number, Value};

use super::read_contents::Contents;
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Block, Effort, Format, Request, Tool, ToolChoice, ToolKind},
        fields::{ObjectReader, into_strings, is_falsy},
        gate::FeatureGate,
        schema,
    },
    fields::ObjectKind,
};

/// The error for a feature that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses the body of a `generateContent` request to the canonical form, which is independent of the API.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that the provider's API does not support and that may not be dropped;
/// [`ConvertError::Malformed`] if a field is missing or has another type.
pub(crate) fn read_request(body: Value, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
    let mut fields = ObjectReader::new_google(body, "the request")?;
    let mut request = Request::default();
    let mut contents = Contents::default();
    if let Some(system) = fields.take("systemInstruction") {
        for block in contents.read_system(system, gate)? {
            match block {
                Block::Text(text) => request.system.push(text),
                _ => return Err(NATIVE),
            }
        }
    }
    for content in fields.take_list("contents")? {
        request.messages.push(contents.read(content, gate)?);
    }
    for tool in fields.take_list("tools")? {
        read_tools(tool, &mut request.tools)?;
    }
    if let Some(config) = fields.take("toolConfig") {
        request.tool_choice = read_tool_choice(config)?;
    }
    if let Some(generation) = fields.take("generationConfig") {
        read_generation(generation, &mut request, gate)?;
    }
    fields.finish_known(ObjectKind::Body, gate)?;
    Ok(request)
}

/// Parses an element of `tools` in a Gemini request and appends its function declarations to `tools`.
///
/// # Errors
/// [`ConvertError::Requires`] if the element has tools of the provider.
fn read_tools(tool: Value, tools: &mut Vec<Tool>) -> Result<(), ConvertError> {
    let mut fields = ObjectReader::new_google(tool, "a tool")?;
    for declaration in fields.take_list("functionDeclarations")? {
        let mut function = ObjectReader::new_google(declaration, "a function")?;
        let in_google = function.take("parameters").map(from_google);
        let parameters = function.take("parametersJsonSchema").map(from_google).or(in_google);
        tools.push(Tool {
            name: function.take_required_string("name")?,
            description: function.take_string("description")?,
            kind: ToolKind::Function { parameters, strict: None },
        });
        function.finish()?;
    }
    if fields.is_empty() { Ok(()) } else { Err(ConvertError::Requires(Requirement::ServerTools)) }
}

/// Converts a schema to JSON Schema. Google's clients write Google's own dialect into both schema fields.
fn from_google(mut value: Value) -> Value {
    if let Value::Object(map) = &mut value {
        schema::from_google(map);
    }
    value
}

/// Parses `toolConfig` of a Gemini request; `None` if it contains no tool choice.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown modes, and for a choice between several functions.
fn read_tool_choice(config: Value) -> Result<Option<ToolChoice>, ConvertError> {
    let mut config = ObjectReader::new_google(config, "the tool configuration")?;
    let calling_config = config.take("functionCallingConfig");
    config.finish()?;
    let Some(calling_config) = calling_config else { return Ok(None) };
    let mut calling_config = ObjectReader::new_google(calling_config, "the configuration of calls")?;
    let mut names = into_strings(calling_config.take_list("allowedFunctionNames")?, "the name of a function")?;
    let choice = match (calling_config.take_string("mode")?.as_deref(), names.pop()) {
        (None | Some("AUTO" | "MODE_UNSPECIFIED"), None) => ToolChoice::Auto,
        (Some("NONE"), None) => ToolChoice::None,
        (Some("ANY"), None) => ToolChoice::Any,
        (Some("ANY"), Some(name)) if names.is_empty() => ToolChoice::Named(name),
        _ => return Err(NATIVE),
    };
    calling_config.finish()?;
    Ok(Some(choice))
}

/// Parses `generationConfig` of a Gemini request and sets output limit, stop sequences, sampling, effort and format of
/// `request`.
///
/// # Errors
/// [`ConvertError::Requires`] for settings that no other API supports, and for features that may not be dropped.
fn read_generation(generation: Value, request: &mut Request, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    let mut fields = ObjectReader::new_google(generation, "the generation configuration")?;
    fields.reject_unless_default(&[
        ("candidateCount", |value| value == 1, Requirement::ManyAnswers),
        ("responseLogprobs", is_falsy, Requirement::ManyAnswers),
        ("logprobs", is_falsy, Requirement::ManyAnswers),
        ("responseModalities", is_text_only, Requirement::AudioVideo),
    ])?;
    let not_zero = |number: &Number| number.as_f64() != Some(0.0);
    request.max_output = fields.take_count("maxOutputTokens")?;
    request.stop = into_strings(fields.take_list("stopSequences")?, "a stop sequence")?;
    request.sampling.temperature = fields.take_number("temperature")?;
    request.sampling.top_p = fields.take_number("topP")?;
    request.sampling.top_k = fields.take_number("topK")?;
    request.sampling.seed = fields.take_number("seed")?;
    request.sampling.presence_penalty = fields.take_number("presencePenalty")?.filter(not_zero);
    request.sampling.frequency_penalty = fields.take_number("frequencyPenalty")?.filter(not_zero);
    if let Some(thinking) = fields.take("thinkingConfig") {
        read_thinking(thinking, request, gate)?;
    }
    request.format = read_format(&mut fields)?;
    fields.finish_known(ObjectKind::Generation, gate)
}

/// Returns whether a list of Gemini's response modalities contains text only; also true for empty values.
fn is_text_only(value: &Value) -> bool {
    is_falsy(value) || value.as_array().is_some_and(|modalities| modalities.iter().all(|modality| modality == "TEXT"))
}

/// Parses `thinkingConfig` of a Gemini request and sets the effort of `request` to the thinking level, and its thinking
/// budget. The budget, which no other API has, and the request to return thoughts are dropped; of a budget above 0, the
/// corresponding effort remains.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown levels, and for settings that may not be dropped.
fn read_thinking(thinking: Value, request: &mut Request, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    let mut fields = ObjectReader::new_google(thinking, "the thinking configuration")?;
    let level =
        fields.take_string("thinkingLevel")?.filter(|level| !level.eq_ignore_ascii_case("THINKING_LEVEL_UNSPECIFIED"));
    let (budget, shown) = (fields.take("thinkingBudget"), fields.take_unless("includeThoughts", is_falsy));
    if budget.is_some() || shown.is_some() {
        gate.drop_feature(Requirement::ThinkingControl)?;
    }
    fields.finish()?;
    // 0 switches thinking off, -1 lets the model decide.
    request.thinking_budget = budget.and_then(|budget| budget.as_u64()).filter(|tokens| 0 < *tokens);
    request.effort = level.map(|level| Effort::parse(&level).ok_or(NATIVE)).transpose()?;
    Ok(())
}

/// Takes the response format of a Gemini request from its MIME type and schema; `None` for text.
///
/// # Errors
/// [`ConvertError::Requires`] for other MIME types, and for a schema without the type `application/json`.
fn read_format(fields: &mut ObjectReader) -> Result<Option<Format>, ConvertError> {
    let in_google = fields.take("responseSchema");
    let schema = fields.take("responseJsonSchema").or(in_google).map(from_google);
    match (fields.take_string("responseMimeType")?.as_deref(), schema) {
        (None | Some("text/plain"), None) => Ok(None),
        (Some("application/json"), None) => Ok(Some(Format::JsonObject)),
        (Some("application/json"), Some(schema)) => {
            Ok(Some(Format::JsonSchema { name: None, description: None, schema, strict: None }))
        }
        _ => Err(NATIVE),
    }
}
