//! Writes the body of a `generateContent` request from the canonical form. The model and whether to stream are in the
//! path of the URL.

use contracts::Requirement;
use serde_json::{Map, Value};

use super::write_contents::Contents;
use crate::convert::{
    ConvertError,
    canonical::request::{Effort, Format, Request, Tool, ToolChoice, ToolKind},
    gate::FeatureGate,
    object::object,
    request::merge_consecutive_roles,
    schema,
};

/// Writes the body of a `generateContent` request. Consecutive messages of one role are merged.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that Gemini does not support and that may not be dropped.
pub(crate) fn write_request(mut request: Request, gate: &mut FeatureGate<'_>) -> Result<Value, ConvertError> {
    if request.parallel_tools == Some(false) && !request.tools.is_empty() {
        gate.require(Requirement::OneToolAtATime)?;
    }
    let mut body = Map::new();
    if !request.system.is_empty() {
        let parts: Vec<Value> = request.system.drain(..).map(|text| object!({"text": text})).collect();
        body.insert("systemInstruction".to_owned(), object!({"parts": parts}));
    }
    let mut contents = Contents::default();
    let messages = merge_consecutive_roles(std::mem::take(&mut request.messages));
    let messages: Vec<Value> =
        messages.into_iter().filter_map(|message| contents.write(message).transpose()).collect::<Result<_, _>>()?;
    body.insert("contents".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        let is_strict = |tool: &Tool| matches!(tool.kind, ToolKind::Function { strict: Some(true), .. });
        let has_strict_tool = request.tools.iter().any(is_strict);
        if let Some(config) = write_tool_choice(request.tool_choice.take(), has_strict_tool) {
            body.insert("toolConfig".to_owned(), object!({"functionCallingConfig": config}));
        }
        let declarations: Vec<Value> = request.tools.drain(..).map(write_tool).collect::<Result<_, _>>()?;
        body.insert("tools".to_owned(), Value::from(vec![object!({"functionDeclarations": declarations})]));
    }
    let generation = write_generation(request, gate)?;
    if !generation.is_empty() {
        body.insert("generationConfig".to_owned(), Value::Object(generation));
    }
    Ok(Value::Object(body))
}

/// Writes a function declaration of a Gemini request.
///
/// # Errors
/// [`ConvertError::Requires`] for custom tools, which Gemini does not have.
fn write_tool(tool: Tool) -> Result<Value, ConvertError> {
    let ToolKind::Function { parameters, .. } = tool.kind else {
        return Err(ConvertError::Requires(Requirement::CustomTools));
    };
    let mut function = object!({"name": tool.name});
    if let Some(description) = tool.description {
        function["description"] = Value::from(description);
    }
    if let Some(parameters) = parameters {
        function["parametersJsonSchema"] = parameters;
    }
    Ok(function)
}

/// Converts the tool choice to Gemini's `functionCallingConfig`; `None` for the default. `has_strict_tool` is true if
/// calls of some tool have to match its schema exactly. In mode `ANY` all calls do; the automatic mode is replaced by
/// `VALIDATED` for it.
fn write_tool_choice(choice: Option<ToolChoice>, has_strict_tool: bool) -> Option<Value> {
    match choice {
        None | Some(ToolChoice::Auto) if has_strict_tool => Some(object!({"mode": "VALIDATED"})),
        None => None,
        Some(ToolChoice::Auto) => Some(object!({"mode": "AUTO"})),
        Some(ToolChoice::Any) => Some(object!({"mode": "ANY"})),
        Some(ToolChoice::None) => Some(object!({"mode": "NONE"})),
        Some(ToolChoice::Named(name)) => Some(object!({"mode": "ANY", "allowedFunctionNames": [name]})),
    }
}

/// Returns the members of `generationConfig` of a Gemini request: sampling, limits, thinking level and response format.
/// The effort is limited to the levels `minimal` to `high`, and the verbosity and cache retention of `OpenAI` are
/// dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if a setting may not be dropped.
fn write_generation(request: Request, gate: &mut FeatureGate<'_>) -> Result<Map<String, Value>, ConvertError> {
    let mut generation = Map::new();
    let sampling = request.sampling;
    for (name, value) in [
        ("temperature", sampling.temperature),
        ("topP", sampling.top_p),
        ("topK", sampling.top_k),
        ("seed", sampling.seed),
        ("presencePenalty", sampling.presence_penalty),
        ("frequencyPenalty", sampling.frequency_penalty),
        ("maxOutputTokens", request.max_output.map(Into::into)),
    ] {
        if let Some(value) = value {
            generation.insert(name.to_owned(), Value::Number(value));
        }
    }
    if !request.stop.is_empty() {
        generation.insert("stopSequences".to_owned(), Value::from(request.stop));
    }
    if let Some(effort) = request.effort {
        let level = effort.clamp(Effort::Minimal, Effort::High).name().to_uppercase();
        generation.insert("thinkingConfig".to_owned(), object!({"thinkingLevel": level}));
    }
    if let Some(format) = request.format {
        generation.insert("responseMimeType".to_owned(), Value::from("application/json"));
        if let Format::JsonSchema { schema, description, name: _, strict: _ } = format {
            generation.insert("responseJsonSchema".to_owned(), schema::with_description(schema, description));
        }
    }
    if request.openai.verbosity.is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    if request.openai.cache_retention.is_some() {
        gate.drop_feature(Requirement::CacheControl)?;
    }
    Ok(generation)
}
