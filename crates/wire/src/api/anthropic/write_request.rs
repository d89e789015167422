//! Writes the body of a Messages request from the canonical form.

use contracts::Requirement;
use serde_json::{Map, Number, Value};

use crate::{
    convert::{
        ConversionOptions, ConvertError,
        canonical::request::{
            Block, Effort, Format, Image, Message, Request, Role, Sampling, Tool, ToolCall, ToolChoice, ToolKind,
            ToolResult,
        },
        gate::FeatureGate,
        ids,
        object::object,
        request::merge_consecutive_roles,
        schema,
    },
    limits::is_blank,
};

/// Writes the body of a Messages request. Blank texts are omitted, because Anthropic rejects them, and consecutive
/// messages of one role are merged.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that Anthropic does not support and that may not be dropped.
pub(crate) fn write_request(
    request: Request,
    conversion: &ConversionOptions<'_>,
    gate: &mut FeatureGate<'_>,
) -> Result<Value, ConvertError> {
    let mut body = Map::new();
    body.insert("model".to_owned(), Value::from(conversion.model));
    body.insert("max_tokens".to_owned(), Value::from(conversion.output_limit(request.max_output)));
    let system: Vec<Value> = request
        .system
        .into_iter()
        // Anthropic rejects blank texts. Other APIs accept them, and clients send them beside tool calls.
        .filter(|text| !is_blank(text))
        .map(|text| object!({"type": "text", "text": text}))
        .collect();
    if !system.is_empty() {
        body.insert("system".to_owned(), Value::Array(system));
    }
    let messages: Vec<Value> = merge_consecutive_roles(request.messages)
        .into_iter()
        .filter_map(|message| write_message(message).transpose())
        .collect::<Result<_, _>>()?;
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.into_iter().map(write_tool).collect::<Result<_, _>>()?;
        body.insert("tools".to_owned(), Value::Array(tools));
        write_tool_choice(&mut body, request.tool_choice, request.parallel_tools);
    }
    if !request.stop.is_empty() {
        body.insert("stop_sequences".to_owned(), Value::from(request.stop));
    }
    write_sampling(&mut body, request.sampling, gate)?;
    let output = write_output(request.effort, request.format, gate)?;
    if !output.is_empty() {
        body.insert("output_config".to_owned(), Value::Object(output));
    }
    if request.openai.verbosity.is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    if request.openai.cache_retention.is_some() {
        gate.drop_feature(Requirement::CacheControl)?;
    }
    if conversion.stream {
        body.insert("stream".to_owned(), Value::from(true));
    }
    Ok(Value::Object(body))
}

/// Writes a message of a Messages request; `None` if it has no content other than blank texts.
///
/// # Errors
/// [`ConvertError::Requires`] for a system message within the conversation.
fn write_message(message: Message) -> Result<Option<Value>, ConvertError> {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => return Err(ConvertError::Requires(Requirement::MidConversationSystem)),
    };
    let content = write_blocks(message.blocks)?;
    Ok((!content.is_empty()).then(|| object!({"role": role, "content": content})))
}

/// Writes the content blocks of a Messages request, without blank texts.
///
/// # Errors
/// [`ConvertError::Requires`] if the arguments of a tool call are not a JSON object.
fn write_blocks(blocks: Vec<Block>) -> Result<Vec<Value>, ConvertError> {
    let mut content = Vec::with_capacity(blocks.len());
    for block in blocks {
        content.push(match block {
            Block::Text(text) if is_blank(&text) => continue,
            Block::Text(text) => object!({"type": "text", "text": text}),
            Block::Image(Image::Inline { media_type, data }) => {
                object!({"type": "image", "source": object!({"type": "base64", "media_type": media_type, "data": data})})
            }
            Block::Image(Image::Remote(url)) => object!({"type": "image", "source": object!({"type": "url", "url": url})}),
            Block::ToolCall(ToolCall { id, name, input }) => {
                object!({"type": "tool_use", "id": ids::valid_call_id(id), "name": name, "input": input.into_object()?})
            }
            Block::ToolResult(result) => write_result(result)?,
        });
    }
    Ok(content)
}

/// Writes a `tool_result` block of a Messages request; `is_error` is only written if the tool failed.
fn write_result(result: ToolResult) -> Result<Value, ConvertError> {
    let content = write_blocks(result.content)?;
    let mut result_block =
        object!({"type": "tool_result", "tool_use_id": ids::valid_call_id(result.call_id), "content": content});
    if result.has_failed {
        result_block["is_error"] = Value::from(true);
    }
    Ok(result_block)
}

/// Writes a tool definition of a Messages request. A tool without parameters has a schema without properties.
///
/// # Errors
/// [`ConvertError::Requires`] for custom tools, which Anthropic does not have.
fn write_tool(tool: Tool) -> Result<Value, ConvertError> {
    let ToolKind::Function { parameters, strict } = tool.kind else {
        return Err(ConvertError::Requires(Requirement::CustomTools));
    };
    let parameters = parameters.unwrap_or_else(|| object!({"type": "object", "properties": Map::new()}));
    let mut definition = object!({"name": tool.name, "input_schema": parameters});
    if let Some(description) = tool.description {
        definition["description"] = Value::from(description);
    }
    if strict == Some(true) {
        definition["strict"] = Value::from(true);
    }
    Ok(definition)
}

/// Writes `tool_choice` to the `body` of a Messages request. It also restricts the model to one tool call at a time if
/// `parallel` is `Some(false)`. Nothing is written if both are defaults.
fn write_tool_choice(body: &mut Map<String, Value>, choice: Option<ToolChoice>, parallel: Option<bool>) {
    let is_one_at_a_time = parallel == Some(false);
    let mut choice_object = match choice {
        None if !is_one_at_a_time => return,
        None | Some(ToolChoice::Auto) => object!({"type": "auto"}),
        Some(ToolChoice::Any) => object!({"type": "any"}),
        Some(ToolChoice::Named(name)) => object!({"type": "tool", "name": name}),
        Some(ToolChoice::None) => {
            body.insert("tool_choice".to_owned(), object!({"type": "none"}));
            return;
        }
    };
    if is_one_at_a_time {
        choice_object["disable_parallel_tool_use"] = Value::from(true);
    }
    body.insert("tool_choice".to_owned(), choice_object);
}

/// Writes `temperature`, `top_p` and `top_k` to the `body` of a Messages request. Seed and penalties are dropped. A
/// temperature above 1 is omitted, and of a temperature and a `top_p` only one is written, because newer models accept
/// only one of the two.
///
/// # Errors
/// [`ConvertError::Requires`] if seed or penalties are set and may not be dropped.
fn write_sampling(
    body: &mut Map<String, Value>,
    sampling: Sampling,
    gate: &mut FeatureGate<'_>,
) -> Result<(), ConvertError> {
    let Sampling { temperature, top_p, top_k, seed, presence_penalty, frequency_penalty } = sampling;
    if seed.is_some() || presence_penalty.is_some() || frequency_penalty.is_some() {
        gate.drop_feature(Requirement::Sampling)?;
    }
    let satisfies =
        |number: &Option<Number>, test: fn(f64) -> bool| number.as_ref().and_then(Number::as_f64).is_some_and(test);
    let (mut temperature, mut top_p) = (temperature, top_p);
    // Newer models accept only one of the two; 1 is the default of both. It was checked before that a temperature above
    // 1, or one of two values below 1, may be dropped.
    let is_above_default = satisfies(&temperature, |value| value > 1.0);
    let is_at_least_default = satisfies(&temperature, |value| value >= 1.0);
    if is_above_default || (is_at_least_default && satisfies(&top_p, |value| value < 1.0)) {
        temperature = None;
    }
    if temperature.is_some() {
        top_p = None;
    }
    for (name, value) in [("temperature", temperature), ("top_p", top_p), ("top_k", top_k)] {
        if let Some(value) = value {
            body.insert(name.to_owned(), Value::Number(value));
        }
    }
    Ok(())
}

/// Returns the members of `output_config` of a Messages request: the reasoning effort, at least `low`, and the JSON
/// schema of the response. The result is empty if neither is set.
///
/// # Errors
/// [`ConvertError::Requires`] for JSON output without a schema, which Anthropic does not support.
fn write_output(
    effort: Option<Effort>,
    format: Option<Format>,
    gate: &mut FeatureGate<'_>,
) -> Result<Map<String, Value>, ConvertError> {
    let mut output = Map::new();
    if let Some(effort) = effort {
        output.insert("effort".to_owned(), Value::from(effort.max(Effort::Low).name()));
    }
    match format {
        None => {}
        // Anthropic supports responses that follow a schema, but not JSON without a schema.
        Some(Format::JsonObject) => gate.require(Requirement::JsonObject)?,
        Some(Format::JsonSchema { schema: json_schema, description, name: _, strict: _ }) => {
            let mut json_schema = schema::with_description(json_schema, description);
            if let Value::Object(map) = &mut json_schema {
                schema::forbid_additional_properties(map);
            }
            output.insert("format".to_owned(), object!({"type": "json_schema", "schema": json_schema}));
        }
    }
    Ok(output)
}
