//! Writes the body of a chat completions request from the canonical form.

use contracts::Requirement;
use serde_json::{Map, Value};

use super::write_message::write_message;
use crate::convert::{
    ConversionOptions, ConvertError,
    canonical::request::{Effort, Format, OpenAiSettings, Request, Sampling, Tool, ToolKind},
    gate::FeatureGate,
    object::object,
    schema,
};

/// Writes the body of a chat completions request. The usage of a stream is requested, except from servers without the
/// newer fields.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that chat completions do not support and that may not be dropped.
pub(crate) fn write_request(
    request: Request,
    conversion: &ConversionOptions<'_>,
    gate: &mut FeatureGate<'_>,
) -> Result<Value, ConvertError> {
    let mut body = Map::new();
    body.insert("model".to_owned(), Value::from(conversion.model));
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(object!({"role": "system", "content": request.system.join("\n\n")}));
    }
    for message in request.messages {
        write_message(message, &mut messages)?;
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        if let Some(choice) = request.tool_choice {
            let choice = choice
                .into_openai(&request.tools, |kind, name| object!({"type": kind, (kind): object!({"name": name})}));
            body.insert("tool_choice".to_owned(), choice);
        }
        if let Some(parallel) = request.parallel_tools {
            body.insert("parallel_tool_calls".to_owned(), Value::from(parallel));
        }
        body.insert("tools".to_owned(), request.tools.into_iter().map(write_tool).collect());
    }
    if let Some(format) = request.format {
        body.insert("response_format".to_owned(), write_format(format));
    }
    if let Some(effort) = request.effort {
        body.insert("reasoning_effort".to_owned(), Value::from(effort.min(Effort::ExtraHigh).name()));
    }
    if let Some(max_output) = request.max_output {
        let name = if conversion.newer_chat { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.to_owned(), Value::from(max_output));
    }
    if !request.stop.is_empty() {
        body.insert("stop".to_owned(), Value::from(request.stop));
    }
    write_sampling(&mut body, request.sampling, gate)?;
    write_openai_settings(&mut body, request.openai, conversion, gate)?;
    if conversion.stream {
        body.insert("stream".to_owned(), Value::from(true));
        if conversion.newer_chat {
            body.insert("stream_options".to_owned(), object!({"include_usage": true}));
        }
    }
    Ok(Value::Object(body))
}

/// Writes the settings that only `OpenAI`'s APIs have to the `body` of a chat completions request. Servers without the
/// newer fields receive none of them: the cache retention and the verbosity are dropped as features, the others are
/// ignored.
///
/// # Errors
/// [`ConvertError::Requires`] if a feature may not be dropped.
fn write_openai_settings(
    body: &mut Map<String, Value>,
    settings: OpenAiSettings,
    conversion: &ConversionOptions<'_>,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    if !conversion.newer_chat {
        // Prompt cache keys and safety identifiers change no response, so they are ignored.
        if settings.cache_retention.is_some() {
            gate.drop_feature(Requirement::CacheControl)?;
        }
        return if settings.verbosity.is_some() { gate.drop_feature(Requirement::Sampling) } else { Ok(()) };
    }
    for (name, setting) in [
        ("prompt_cache_key", settings.cache_key.map(Value::String)),
        ("prompt_cache_retention", settings.cache_retention),
        ("safety_identifier", settings.safety_identifier.map(Value::String)),
        ("verbosity", settings.verbosity.map(Value::String)),
    ] {
        if let Some(setting) = setting {
            body.insert(name.to_owned(), setting);
        }
    }
    Ok(())
}

/// Writes a tool definition of a chat completions request; `strict` is only written if it is true.
fn write_tool(tool: Tool) -> Value {
    let (kind, mut described) = match tool.kind {
        ToolKind::Function { parameters, strict } => {
            let mut function = object!({"name": tool.name});
            if let Some(parameters) = parameters {
                function["parameters"] = parameters;
            }
            if strict == Some(true) {
                function["strict"] = Value::from(true);
            }
            ("function", function)
        }
        ToolKind::Custom { grammar } => {
            let mut custom = object!({"name": tool.name});
            if let Some(grammar) = grammar {
                let grammar = object!({"syntax": grammar.syntax, "definition": grammar.definition});
                custom["format"] = object!({"type": "grammar", "grammar": grammar});
            }
            ("custom", custom)
        }
    };
    if let Some(description) = tool.description {
        described["description"] = Value::from(description);
    }
    object!({"type": kind, (kind): described})
}

/// Writes the response format of a chat completions request. A schema without a name is named `answer`; a schema
/// without `strict` is strict if it meets `OpenAI`'s rules.
fn write_format(format: Format) -> Value {
    let Format::JsonSchema { name, description, schema, strict } = format else {
        return object!({"type": "json_object"});
    };
    // Anthropic and Gemini have no such flag: they are always strict, but allow more schemas.
    let strict = strict.unwrap_or_else(|| schema::is_strict(&schema));
    let name = name.unwrap_or_else(|| "answer".to_owned());
    let mut schema_object = object!({"name": name, "schema": schema, "strict": strict});
    if let Some(description) = description {
        schema_object["description"] = Value::from(description);
    }
    object!({"type": "json_schema", "json_schema": schema_object})
}

/// Writes the sampling parameters to the `body` of a chat completions request. `top_k`, which the API does not have, is
/// dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if `top_k` is set and may not be dropped.
fn write_sampling(
    body: &mut Map<String, Value>,
    sampling: Sampling,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    let Sampling { temperature, top_p, top_k, seed, presence_penalty, frequency_penalty } = sampling;
    if top_k.is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    for (name, value) in [
        ("temperature", temperature),
        ("top_p", top_p),
        ("seed", seed),
        ("presence_penalty", presence_penalty),
        ("frequency_penalty", frequency_penalty),
    ] {
        if let Some(value) = value {
            body.insert(name.to_owned(), Value::Number(value));
        }
    }
    Ok(())
}
