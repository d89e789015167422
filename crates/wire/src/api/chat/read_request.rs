//! Parses the body of a chat completions request to the canonical form, which is independent of the API. Messages are
//! parsed in `read_message`.

use contracts::Requirement;
use serde_json::{Number, Value};

use super::read_message;
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Effort, Format, Grammar, OpenAiSettings, Request, Sampling, Tool, ToolChoice, ToolKind},
        fields::{ObjectReader, into_strings, is_falsy},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

/// The error for a feature that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses the body of a chat completions request to the canonical form, which is independent of the API.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that the provider's API does not support and that may not be dropped;
/// [`ConvertError::Malformed`] if a field is missing or has another type.
pub(crate) fn read_request(body: Value, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
    let mut fields = ObjectReader::new(body, "the request")?;
    reject_unsupported_settings(&mut fields, gate)?;
    let [presence_penalty, frequency_penalty] = read_penalties(&mut fields)?;
    let mut request = Request {
        parallel_tools: fields.take_bool("parallel_tool_calls")?,
        sampling: Sampling {
            temperature: fields.take_number("temperature")?,
            top_p: fields.take_number("top_p")?,
            top_k: fields.take_number("top_k")?,
            seed: fields.take_number("seed")?,
            presence_penalty,
            frequency_penalty,
        },
        openai: OpenAiSettings {
            cache_key: fields.take_string("prompt_cache_key")?,
            cache_retention: fields.take("prompt_cache_retention"),
            safety_identifier: fields.take_string("safety_identifier")?,
            verbosity: fields.take_string("verbosity")?.filter(|verbosity| verbosity != "medium"),
        },
        ..Request::default()
    };
    let older = fields.take_count("max_tokens")?;
    request.max_output = fields.take_count("max_completion_tokens")?.or(older);
    request.stop = read_stop_sequences(&mut fields)?;
    if let Some(effort) = fields.take_string("reasoning_effort")? {
        request.effort = Some(Effort::parse(&effort).ok_or(NATIVE)?);
    }
    if let Some(format) = fields.take_object("response_format", "the response format")? {
        request.format = read_format(format)?;
    }
    for message in fields.take_list("messages")? {
        request.messages.push(read_message::read_message(message, gate)?);
    }
    for tool in fields.take_list("tools")? {
        request.tools.push(read_tool(tool, gate)?);
    }
    if let Some(choice) = fields.take("tool_choice") {
        request.tool_choice = Some(read_tool_choice(choice)?);
    }
    fields.finish_known(ObjectKind::Body, gate)?;
    Ok(request)
}

/// Takes the presence penalty and the frequency penalty of a chat completions request; each is `None` if it is missing
/// or zero.
///
/// # Errors
/// [`ConvertError::Malformed`] if one is not a number.
fn read_penalties(fields: &mut ObjectReader) -> Result<[Option<Number>; 2], ConvertError> {
    let mut penalty = |name| match fields.take_unless(name, is_falsy) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(number)),
        Some(_) => Err(ConvertError::malformed("the request", "has a penalty that is not a number")),
    };
    Ok([penalty("presence_penalty")?, penalty("frequency_penalty")?])
}

/// Takes the stop sequences of a chat completions request, a string or a list of strings; empty if there are none.
///
/// # Errors
/// [`ConvertError::Malformed`] if the value is of another type.
fn read_stop_sequences(fields: &mut ObjectReader) -> Result<Vec<String>, ConvertError> {
    match fields.take("stop") {
        None => Ok(Vec::new()),
        Some(Value::String(stop)) => Ok(vec![stop]),
        Some(Value::Array(stops)) => into_strings(stops, "a stop sequence"),
        Some(_) => Err(fields.malformed("has a stop that is neither text nor a list")),
    }
}

/// Takes the settings of a chat completions request that no other API supports and checks that they have their default
/// values; `logit_bias` is dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if a setting has another value, or if `logit_bias` may not be dropped.
fn reject_unsupported_settings(fields: &mut ObjectReader, gate: &mut FeatureGate<'_>) -> Result<(), ConvertError> {
    fields.reject_unless_default(&[
        ("n", |value| value == 1, Requirement::ManyAnswers),
        ("logprobs", is_falsy, Requirement::ManyAnswers),
        ("top_logprobs", is_falsy, Requirement::ManyAnswers),
        ("store", is_falsy, Requirement::StoredAnswers),
        ("metadata", is_falsy, Requirement::StoredAnswers),
        (
            "modalities",
            |value| value.as_array().is_some_and(|modalities| modalities.iter().all(|modality| modality == "text")),
            Requirement::AudioVideo,
        ),
        ("service_tier", |value| value == "auto" || value == "default", Requirement::Native),
    ])?;
    if fields.take_unless("logit_bias", is_falsy).is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    Ok(())
}

/// Parses the response format of a chat completions request; `None` for text. A JSON schema is not strict unless the
/// client sets `strict`.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown types, [`ConvertError::Malformed`] if the schema is missing.
fn read_format(mut format: ObjectReader) -> Result<Option<Format>, ConvertError> {
    let response_format = match format.take_required_string("type")?.as_str() {
        "text" => None,
        "json_object" => Some(Format::JsonObject),
        "json_schema" => {
            let schema_fields = format.take_object("json_schema", "the response format")?;
            let mut schema_fields = schema_fields.ok_or(format.malformed("has no schema"))?;
            let response_format = Format::JsonSchema {
                name: schema_fields.take_string("name")?,
                description: schema_fields.take_string("description")?,
                schema: schema_fields.take("schema").ok_or(schema_fields.malformed("has no schema"))?,
                strict: Some(schema_fields.take_bool("strict")?.unwrap_or(false)),
            };
            schema_fields.finish()?;
            Some(response_format)
        }
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(response_format)
}

/// Parses a tool definition of a chat completions request: a function or a custom tool.
///
/// # Errors
/// [`ConvertError::Requires`] for custom tools if the provider's API has none, and for other types, which are tools of
/// the provider.
fn read_tool(tool: Value, gate: &mut FeatureGate<'_>) -> Result<Tool, ConvertError> {
    let mut fields = ObjectReader::new(tool, "a tool")?;
    let kind = fields.take_required_string("type")?;
    let tool = match kind.as_str() {
        "function" => {
            let function = fields.take_object("function", "a tool")?;
            let mut function = function.ok_or(fields.malformed("has no function"))?;
            let kind =
                ToolKind::Function { parameters: function.take("parameters"), strict: function.take_bool("strict")? };
            finish_tool(function, kind)?
        }
        "custom" => {
            gate.require(Requirement::CustomTools)?;
            let custom = fields.take_object("custom", "a tool")?;
            let mut custom = custom.ok_or(fields.malformed("has no description of itself"))?;
            let format = custom.take_object("format", "the format of a tool")?;
            let kind = ToolKind::Custom { grammar: format.map(read_grammar).transpose()?.flatten() };
            finish_tool(custom, kind)?
        }
        // An unknown kind of tool is run by its provider.
        _ => return Err(ConvertError::Requires(Requirement::ServerTools)),
    };
    fields.finish_known(ObjectKind::Tool, gate)?;
    Ok(tool)
}

/// Takes the name and description of a chat completions tool from its definition, and checks that no other members are
/// left.
///
/// # Errors
/// [`ConvertError::Malformed`] if the name is missing, [`ConvertError::Requires`] if other members are left.
fn finish_tool(mut fields: ObjectReader, kind: ToolKind) -> Result<Tool, ConvertError> {
    let tool =
        Tool { name: fields.take_required_string("name")?, description: fields.take_string("description")?, kind };
    fields.finish()?;
    Ok(tool)
}

/// Parses the input format of a custom tool in a chat completions request; `None` if any text is allowed.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown types, [`ConvertError::Malformed`] if the grammar is missing.
fn read_grammar(mut format: ObjectReader) -> Result<Option<Grammar>, ConvertError> {
    let grammar = match format.take_required_string("type")?.as_str() {
        "text" => None,
        "grammar" => {
            let mut grammar = format.take_object("grammar", "a grammar")?.ok_or(format.malformed("has no grammar"))?;
            let read = Grammar {
                syntax: grammar.take("syntax").unwrap_or_default(),
                definition: grammar.take("definition").unwrap_or_default(),
            };
            grammar.finish()?;
            Some(read)
        }
        _ => return Err(NATIVE),
    };
    format.finish()?;
    Ok(grammar)
}

/// Parses the tool choice of a chat completions request: a keyword, or an object with the type and name of a tool.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown keywords and types, [`ConvertError::Malformed`] if the name is missing.
fn read_tool_choice(choice: Value) -> Result<ToolChoice, ConvertError> {
    if let Value::String(name) = &choice {
        return ToolChoice::from_openai(name).ok_or(NATIVE);
    }
    let mut fields = ObjectReader::new(choice, "the tool choice")?;
    let kind = fields.take_required_string("type")?;
    if kind != "function" && kind != "custom" {
        return Err(NATIVE);
    }
    let mut tool_fields = fields.take_object(&kind, "the tool choice")?.ok_or(fields.malformed("names no tool"))?;
    let choice = ToolChoice::Named(tool_fields.take_required_string("name")?);
    tool_fields.finish()?;
    fields.finish()?;
    Ok(choice)
}
