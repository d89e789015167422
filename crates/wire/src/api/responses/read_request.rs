//! Parses the body of a Responses request to the canonical form, which is independent of the API. Items of the
//! conversation are parsed in `read_items`.

use contracts::Requirement;
use serde_json::Value;

use super::read_items;
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Effort, Format, Grammar, OpenAiSettings, Request, Sampling, Tool, ToolChoice, ToolKind},
        fields::{ObjectReader, is_falsy},
        gate::FeatureGate,
        schema,
    },
    fields::ObjectKind,
};

/// The error for a feature that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses the body of a Responses request to the canonical form, which is independent of the API.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that the provider's API does not support and that may not be dropped;
/// [`ConvertError::Malformed`] if a field is missing or has another type.
pub(crate) fn read_request(body: Value, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
    let mut fields = ObjectReader::new(body, "the request")?;
    reject_unsupported_settings(&mut fields)?;
    if fields.take_unless("truncation", |value| value == "disabled").is_some() {
        gate.drop_feature(Requirement::ContextManagement)?;
    }
    let mut request = Request {
        system: fields.take_string("instructions")?.into_iter().collect(),
        parallel_tools: fields.take_bool("parallel_tool_calls")?,
        max_output: fields.take_count("max_output_tokens")?,
        sampling: Sampling {
            temperature: fields.take_number("temperature")?,
            top_p: fields.take_number("top_p")?,
            ..Sampling::default()
        },
        openai: OpenAiSettings {
            cache_key: fields.take_string("prompt_cache_key")?,
            cache_retention: fields.take("prompt_cache_retention"),
            safety_identifier: fields.take_string("safety_identifier")?,
            verbosity: None,
        },
        ..Request::default()
    };
    if let Some(reasoning) = fields.take_object("reasoning", "the reasoning settings")? {
        request.effort = read_reasoning(reasoning, gate)?;
    }
    if let Some(mut text) = fields.take_object("text", "the text settings")? {
        request.openai.verbosity = text.take_string("verbosity")?.filter(|verbosity| verbosity != "medium");
        if let Some(format) = text.take_object("format", "the text format")? {
            request.format = read_format(format)?;
        }
        text.finish()?;
    }
    read_items::read_input(fields.take("input"), &mut request.messages, gate)?;
    for tool in fields.take_list("tools")? {
        request.tools.push(read_tool(tool, gate)?);
    }
    if let Some(choice) = fields.take("tool_choice") {
        request.tool_choice = Some(read_tool_choice(choice)?);
    }
    fields.finish_known(ObjectKind::Body, gate)?;
    Ok(request)
}

/// Takes the settings of a Responses request that no other API supports and checks that they have their default values.
///
/// # Errors
/// [`ConvertError::Requires`] if a setting has another value, or if `include` requests output other than encrypted
/// reasoning.
fn reject_unsupported_settings(fields: &mut ObjectReader) -> Result<(), ConvertError> {
    fields.reject_unless_default(&[
        ("store", is_falsy, Requirement::StoredAnswers),
        ("metadata", is_falsy, Requirement::StoredAnswers),
        ("background", is_falsy, Requirement::StoredAnswers),
        ("top_logprobs", is_falsy, Requirement::ManyAnswers),
        ("service_tier", |value| value == "auto" || value == "default", Requirement::Native),
    ])?;
    // Encrypted reasoning is ignored: no other API returns it, and every client works without it.
    for included in fields.take_list("include")? {
        match included.as_str() {
            Some("reasoning.encrypted_content") => {}
            Some("message.output_text.logprobs") => return Err(ConvertError::Requires(Requirement::ManyAnswers)),
            Some("message.input_image.image_url" | "computer_call_output.output.image_url") | None => {
                return Err(NATIVE);
            }
            Some(_) => return Err(ConvertError::Requires(Requirement::ServerTools)),
        }
    }
    Ok(())
}

/// Parses the `reasoning` settings of a Responses request and returns the effort; `None` if there is none. Options for
/// the returned thinking are dropped.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown efforts, and if an option may not be dropped.
fn read_reasoning(mut reasoning: ObjectReader, gate: &mut FeatureGate<'_>) -> Result<Option<Effort>, ConvertError> {
    let effort = reasoning.take_string("effort")?;
    // The summary of the reasoning, and how much of it the provider stores between turns.
    for name in ["summary", "generate_summary", "context"] {
        if reasoning.take(name).is_some() {
            gate.drop_feature(Requirement::ThinkingControl)?;
        }
    }
    reasoning.finish()?;
    effort.map(|effort| Effort::parse(&effort).ok_or(NATIVE)).transpose()
}

/// Parses the response format of a Responses request; `None` for text. A JSON schema is not strict unless the client
/// sets `strict`.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown types, [`ConvertError::Malformed`] if the schema is missing.
fn read_format(mut format: ObjectReader) -> Result<Option<Format>, ConvertError> {
    let read = match format.take_required_string("type")?.as_str() {
        "text" => None,
        "json_object" => Some(Format::JsonObject),
        "json_schema" => Some(Format::JsonSchema {
            name: format.take_string("name")?,
            description: format.take_string("description")?,
            schema: format.take("schema").ok_or(format.malformed("has no schema"))?,
            strict: Some(format.take_bool("strict")?.unwrap_or(false)),
        }),
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(read)
}

/// Parses a tool definition of a Responses request: a function or a custom tool.
///
/// # Errors
/// [`ConvertError::Requires`] for custom tools if the provider's API has none, for tools that are loaded later, and for
/// other types, which are tools of the provider.
fn read_tool(tool: Value, gate: &mut FeatureGate<'_>) -> Result<Tool, ConvertError> {
    let mut fields = ObjectReader::new(tool, "a tool")?;
    let kind = match fields.take_required_string("type")?.as_str() {
        "function" => {
            let parameters = fields.take("parameters");
            // In Responses, a schema is strict by default if it meets the rules for strict schemas.
            let is_strict_by_default = parameters.as_ref().is_some_and(schema::is_strict);
            ToolKind::Function { parameters, strict: Some(fields.take_bool("strict")?.unwrap_or(is_strict_by_default)) }
        }
        "custom" => {
            gate.require(Requirement::CustomTools)?;
            let format = fields.take_object("format", "the format of a tool")?;
            ToolKind::Custom { grammar: format.map(read_grammar).transpose()?.flatten() }
        }
        // OpenAI's own tools. The client runs some of them, but only OpenAI's models know their arguments.
        _ => return Err(ConvertError::Requires(Requirement::ServerTools)),
    };
    if fields.take_unless("defer_loading", is_falsy).is_some() {
        return Err(ConvertError::Requires(Requirement::ServerTools));
    }
    let tool =
        Tool { name: fields.take_required_string("name")?, description: fields.take_string("description")?, kind };
    fields.finish_known(ObjectKind::Tool, gate)?;
    Ok(tool)
}

/// Parses the input format of a custom tool in a Responses request; `None` if any text is allowed.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown types.
fn read_grammar(mut format: ObjectReader) -> Result<Option<Grammar>, ConvertError> {
    let grammar = match format.take_required_string("type")?.as_str() {
        "text" => None,
        "grammar" => Some(Grammar {
            syntax: format.take("syntax").unwrap_or_default(),
            definition: format.take("definition").unwrap_or_default(),
        }),
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(grammar)
}

/// Parses the tool choice of a Responses request: a keyword, or an object with the type and name of a tool.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown keywords and types, [`ConvertError::Malformed`] if the name is missing.
fn read_tool_choice(choice: Value) -> Result<ToolChoice, ConvertError> {
    if let Value::String(name) = &choice {
        return ToolChoice::from_openai(name).ok_or(NATIVE);
    }
    let mut fields = ObjectReader::new(choice, "the tool choice")?;
    if !matches!(fields.take_required_string("type")?.as_str(), "function" | "custom") {
        return Err(NATIVE);
    }
    let choice = ToolChoice::Named(fields.take_required_string("name")?);
    fields.finish()?;
    Ok(choice)
}
