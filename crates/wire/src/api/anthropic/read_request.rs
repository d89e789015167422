//! Parses the body of a Messages request to the canonical form, which is independent of the API.

use client_formats::client::BILLING_PREFIX;
use contracts::Requirement;
use serde_json::Value;

use super::read_content;
use crate::{
    convert::{
        ConvertError,
        canonical::request::{Effort, Format, Message, Request, Role, Sampling, Tool, ToolChoice, ToolKind},
        fields::{ObjectReader, into_strings, is_falsy},
        gate::FeatureGate,
    },
    fields::ObjectKind,
};

/// The error for a feature that cannot be converted to any other API.
const NATIVE: ConvertError = ConvertError::Requires(Requirement::Native);

/// Parses the body of a Messages request to the canonical form, which is independent of the API.
///
/// # Errors
/// [`ConvertError::Requires`] for a feature that the provider's API does not support and that may not be dropped;
/// [`ConvertError::Malformed`] if a field is missing or has another type.
pub(crate) fn read_request(body: Value, gate: &mut FeatureGate<'_>) -> Result<Request, ConvertError> {
    let mut fields = ObjectReader::new(body, "the request")?;
    let mut request = Request {
        system: read_system(fields.take("system"), gate)?,
        max_output: fields.take_count("max_tokens")?,
        stop: into_strings(fields.take_list("stop_sequences")?, "a stop sequence")?,
        sampling: Sampling {
            temperature: fields.take_number("temperature")?,
            top_p: fields.take_number("top_p")?,
            top_k: fields.take_number("top_k")?,
            ..Sampling::default()
        },
        ..Request::default()
    };
    for message in fields.take_list("messages")? {
        request.messages.push(read_message(message, gate)?);
    }
    for tool in fields.take_list("tools")? {
        request.tools.push(read_tool(tool, gate)?);
    }
    if let Some(choice) = fields.take_object("tool_choice", "the tool choice")? {
        read_tool_choice(choice, &mut request)?;
    }
    if let Some(thinking) = fields.take_object("thinking", "thinking")? {
        request.thinking_budget = read_thinking(thinking, gate)?;
    }
    if let Some(format) = fields.take_object("output_format", "the output format")? {
        request.format = Some(read_format(format)?);
    }
    if let Some(mut output) = fields.take_object("output_config", "the output configuration")? {
        if let Some(effort) = output.take_string("effort")? {
            request.effort = Some(Effort::parse(&effort).ok_or(NATIVE)?);
        }
        if let Some(format) = output.take_object("format", "the output format")? {
            // If both fields are present they may differ.
            let previous_format = request.format.replace(read_format(format)?);
            previous_format.map_or(Ok(()), |_| Err(NATIVE))?;
        }
        output.finish()?;
    }
    if fields.take_unless("service_tier", |tier| tier == "auto" || tier == "default").is_some() {
        return Err(NATIVE);
    }
    fields.finish_known(ObjectKind::Body, gate)?;
    Ok(request)
}

/// Parses the system prompt of a Messages request, a string or text blocks. The billing text that Claude Code puts
/// before it is removed.
///
/// # Errors
/// [`ConvertError::Requires`] if it contains a block other than text.
fn read_system(system: Option<Value>, gate: &mut FeatureGate<'_>) -> Result<Vec<String>, ConvertError> {
    let mut texts = match system {
        None => Vec::new(),
        Some(system) => read_content::texts(system, gate)?,
    };
    if texts.first().is_some_and(|first| first.starts_with(BILLING_PREFIX)) {
        texts.remove(0);
    }
    Ok(texts)
}

/// Parses a message of a Messages request, with its role and content. Unknown roles are rejected with
/// [`Requirement::Native`].
fn read_message(message: Value, gate: &mut FeatureGate<'_>) -> Result<Message, ConvertError> {
    let mut fields = ObjectReader::new(message, "a message")?;
    let role = match fields.take_required_string("role")?.as_str() {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "system" => Role::System,
        _ => return Err(NATIVE),
    };
    let content = fields.take("content").ok_or(fields.malformed("has no content"))?;
    fields.finish_known(ObjectKind::Message, gate)?;
    let blocks = read_content::blocks(content, role, gate)?;
    Ok(Message { role, blocks })
}

/// Parses a tool definition of a Messages request.
///
/// # Errors
/// [`ConvertError::Requires`] with [`Requirement::ServerTools`] for Anthropic's own tools, for tools that the
/// provider's code may call, and for tools that are loaded later.
fn read_tool(tool: Value, gate: &mut FeatureGate<'_>) -> Result<Tool, ConvertError> {
    let mut fields = ObjectReader::new(tool, "a tool")?;
    if let Some(kind) = fields.take_string("type")?
        && kind != "custom"
    {
        // Anthropic's own tools. The client runs some of them, but only Anthropic's models know their arguments.
        return Err(ConvertError::Requires(Requirement::ServerTools));
    }
    let is_direct_only = |value: &Value| {
        is_falsy(value) || value.as_array().is_some_and(|callers| callers.iter().all(|caller| caller == "direct"))
    };
    if fields.take_unless("allowed_callers", is_direct_only).is_some() {
        return Err(ConvertError::Requires(Requirement::ServerTools));
    }
    if fields.take_unless("defer_loading", is_falsy).is_some() {
        return Err(ConvertError::Requires(Requirement::ServerTools));
    }
    let name = fields.take_required_string("name")?;
    let description = fields.take_string("description")?;
    let kind = ToolKind::Function { parameters: fields.take("input_schema"), strict: fields.take_bool("strict")? };
    fields.finish_known(ObjectKind::Tool, gate)?;
    Ok(Tool { name, description, kind })
}

/// Parses `tool_choice` of a Messages request and sets the tool choice of `request`, and whether it allows several tool
/// calls at once.
///
/// # Errors
/// [`ConvertError::Requires`] for unknown types, [`ConvertError::Malformed`] if the name of the tool is missing.
fn read_tool_choice(mut choice: ObjectReader, request: &mut Request) -> Result<(), ConvertError> {
    request.tool_choice = Some(match choice.take_required_string("type")?.as_str() {
        "auto" => ToolChoice::Auto,
        "any" => ToolChoice::Any,
        "none" => ToolChoice::None,
        "tool" => ToolChoice::Named(choice.take_required_string("name")?),
        _ => return Err(NATIVE),
    });
    request.parallel_tools = choice.take_bool("disable_parallel_tool_use")?.map(|disabled| !disabled);
    choice.finish()
}

/// Parses `thinking` of a Messages request and returns its budget in tokens; `None` without one. Enabled and adaptive
/// thinking is dropped as [`Requirement::ThinkingControl`], since other APIs have neither budgets nor display options: of
/// a budget, the corresponding effort remains.
///
/// # Errors
/// [`ConvertError::Requires`] if thinking may not be dropped, or its type is unknown.
fn read_thinking(mut thinking: ObjectReader, gate: &mut FeatureGate<'_>) -> Result<Option<u64>, ConvertError> {
    match thinking.take_required_string("type")?.as_str() {
        "disabled" => thinking.finish().map(|()| None),
        "enabled" => {
            gate.drop_feature(Requirement::ThinkingControl)?;
            Ok(thinking.take("budget_tokens").and_then(|budget| budget.as_u64()).filter(|tokens| 0 < *tokens))
        }
        "adaptive" => gate.drop_feature(Requirement::ThinkingControl).map(|()| None),
        _ => Err(NATIVE),
    }
}

/// Parses the response format of a Messages request, which has to be a JSON schema.
///
/// # Errors
/// [`ConvertError::Requires`] for other types, [`ConvertError::Malformed`] if the schema is missing.
fn read_format(mut format: ObjectReader) -> Result<Format, ConvertError> {
    if format.take_required_string("type")? != "json_schema" {
        return Err(NATIVE);
    }
    let schema = format.take("schema").ok_or(format.malformed("has no schema"))?;
    format.finish()?;
    Ok(Format::JsonSchema { name: None, description: None, schema, strict: None })
}
