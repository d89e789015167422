//! Writes the body of a Responses request from the canonical form.

use contracts::Requirement;
use serde_json::{Map, Value};

use super::write_items::Items;
use crate::convert::{
    ConversionOptions, ConvertError,
    canonical::request::{Effort, Format, Request, Sampling, Tool, ToolKind},
    gate::FeatureGate,
    object::object,
    schema,
};

/// The lowest output limit that Responses accept. A lower limit, which clients send to check whether a model responds,
/// is raised to it.
const MIN_OUTPUT_TOKENS: u64 = 16;

/// Writes the body of a Responses request. `store` is set to false.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that Responses do not support and that may not be dropped.
pub(crate) fn write_request(
    request: Request,
    conversion: &ConversionOptions<'_>,
    gate: &mut FeatureGate<'_>,
) -> Result<Value, ConvertError> {
    let mut body = Map::new();
    body.insert("model".to_owned(), Value::from(conversion.model));
    if !request.system.is_empty() {
        body.insert("instructions".to_owned(), Value::from(request.system.join("\n\n")));
    }
    let mut items = Items::default();
    request.messages.into_iter().for_each(|message| items.write(message));
    body.insert("input".to_owned(), items.into_input());
    if !request.tools.is_empty() {
        if let Some(choice) = request.tool_choice {
            let choice = choice.into_openai(&request.tools, |kind, name| object!({"type": kind, "name": name}));
            body.insert("tool_choice".to_owned(), choice);
        }
        if let Some(parallel) = request.parallel_tools {
            body.insert("parallel_tool_calls".to_owned(), Value::from(parallel));
        }
        body.insert("tools".to_owned(), request.tools.into_iter().map(write_tool).collect());
    }
    let text = write_text_settings(request.format, request.openai.verbosity);
    if !text.is_empty() {
        body.insert("text".to_owned(), Value::Object(text));
    }
    if let Some(effort) = request.effort {
        body.insert("reasoning".to_owned(), object!({"effort": effort.min(Effort::ExtraHigh).name()}));
    }
    if let Some(max_output) = request.max_output {
        body.insert("max_output_tokens".to_owned(), Value::from(max_output.max(MIN_OUTPUT_TOKENS)));
    }
    write_sampling(&mut body, request.sampling, gate)?;
    for (name, setting) in [
        ("prompt_cache_key", request.openai.cache_key.map(Value::String)),
        ("prompt_cache_retention", request.openai.cache_retention),
        ("safety_identifier", request.openai.safety_identifier.map(Value::String)),
    ] {
        if let Some(setting) = setting {
            body.insert(name.to_owned(), setting);
        }
    }
    // The other APIs store a response only on request.
    body.insert("store".to_owned(), Value::from(false));
    if conversion.stream {
        body.insert("stream".to_owned(), Value::from(true));
    }
    Ok(Value::Object(body))
}

/// Returns the `text` settings of a Responses request: response format and verbosity; empty if neither is set.
fn write_text_settings(format: Option<Format>, verbosity: Option<String>) -> Map<String, Value> {
    let mut text = Map::new();
    if let Some(format) = format {
        text.insert("format".to_owned(), write_format(format));
    }
    if let Some(verbosity) = verbosity {
        text.insert("verbosity".to_owned(), Value::from(verbosity));
    }
    text
}

/// Writes a tool definition of a Responses request. A function whose strictness is unknown is written as not strict,
/// because the API's default may be strict.
fn write_tool(tool: Tool) -> Value {
    let mut definition = match tool.kind {
        ToolKind::Function { parameters, strict } => {
            // In Responses, a schema is strict by default.
            let strict = strict.unwrap_or(false);
            object!({"type": "function", "name": tool.name, "parameters": parameters, "strict": strict})
        }
        ToolKind::Custom { grammar } => {
            let mut custom = object!({"type": "custom", "name": tool.name});
            if let Some(grammar) = grammar {
                custom["format"] =
                    object!({"type": "grammar", "syntax": grammar.syntax, "definition": grammar.definition});
            }
            custom
        }
    };
    if let Some(description) = tool.description {
        definition["description"] = Value::from(description);
    }
    definition
}

/// Writes the response format of a Responses request. A schema without a name is named `answer`; a schema without
/// `strict` is strict if it meets `OpenAI`'s rules.
fn write_format(format: Format) -> Value {
    let Format::JsonSchema { name, description, schema, strict } = format else {
        return object!({"type": "json_object"});
    };
    let strict = strict.unwrap_or_else(|| schema::is_strict(&schema));
    let name = name.unwrap_or_else(|| "answer".to_owned());
    let mut format_object = object!({"type": "json_schema", "name": name, "schema": schema, "strict": strict});
    if let Some(description) = description {
        format_object["description"] = Value::from(description);
    }
    format_object
}

/// Writes `temperature` and `top_p` to the `body` of a Responses request. The other sampling parameters, which the API
/// does not have, are dropped.
///
/// # Errors
/// [`ConvertError::Requires`] if such a parameter is set and may not be dropped.
fn write_sampling(
    body: &mut Map<String, Value>,
    sampling: Sampling,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    let Sampling { temperature, top_p, top_k, seed, presence_penalty, frequency_penalty } = sampling;
    if [top_k, seed, presence_penalty, frequency_penalty].iter().any(Option::is_some) {
        gate.drop_feature(Requirement::Sampling)?;
    }
    for (name, value) in [("temperature", temperature), ("top_p", top_p)] {
        if let Some(value) = value {
            body.insert(name.to_owned(), Value::Number(value));
        }
    }
    Ok(())
}
