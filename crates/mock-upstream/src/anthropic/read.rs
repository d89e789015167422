//! Parses a Messages request as strictly as Anthropic does.

use hyper::HeaderMap;
use serde_json::Value;

use super::history;
use crate::{
    asked::{Cache, ParsedRequest, Tool, foreign, list_field, list_or_nothing, text_field, text_length, tool_name},
    refusal::Refusal,
};

/// Fields of other APIs, which are rejected.
const FOREIGN: &[&str] = &[
    "stream_options",
    "max_completion_tokens",
    "max_output_tokens",
    "frequency_penalty",
    "presence_penalty",
    "response_format",
    "reasoning_effort",
    "reasoning",
    "stop",
    "input",
    "instructions",
    "store",
    "contents",
    "generationConfig",
];

/// Validates and parses a Messages request; `length` is the size of its body in bytes.
pub(crate) fn read(headers: &HeaderMap, body: &Value, length: usize) -> Result<ParsedRequest, Refusal> {
    if !headers.contains_key("anthropic-version") {
        return Err(Refusal::invalid("anthropic-version: header is required"));
    }
    let model = text_field(body, "model")?.to_owned();
    let limit = limit(body)?;
    let messages = list_field(body, "messages")?;
    foreign(body, FOREIGN)?;
    settings(body, limit)?;
    let beta = headers
        .get_all("anthropic-beta")
        .iter()
        .any(|value| value.to_str().is_ok_and(|names| names.contains("mid-conversation-system")));
    history::check(messages, &model, beta)?;
    let last = messages.iter().rfind(|message| message["role"] != "system").unwrap_or(&Value::Null);
    let format = [&body["output_config"]["format"], &body["output_format"]];
    let schema = format.into_iter().find(|format| format["type"] == "json_schema");
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        text: said(messages),
        results: results(last),
        tools: tools(body)?,
        schema: schema.map(|format| format["schema"].clone()),
        limit: Some(limit),
        include_usage: true,
        cache: if messages.iter().any(|message| message["role"] == "assistant") {
            Cache::Continued
        } else if body.to_string().contains("\"cache_control\"") {
            Cache::Marked
        } else {
            Cache::Nothing
        },
        length,
        model,
    })
}

fn limit(body: &Value) -> Result<u64, Refusal> {
    match &body["max_tokens"] {
        Value::Null => Err(Refusal::invalid("max_tokens: Field required")),
        Value::Number(number) => match number.as_u64() {
            Some(limit) if limit > 0 => Ok(limit),
            _ => Err(Refusal::invalid("max_tokens: Input should be greater than or equal to 1")),
        },
        _ => Err(Refusal::invalid("max_tokens: Input should be a valid integer")),
    }
}

/// Rejects settings that contradict each other, according to the documentation of extended thinking.
fn settings(body: &Value, limit: u64) -> Result<(), Refusal> {
    if body["temperature"].as_f64().is_some_and(|heat| !(0.0..=1.0).contains(&heat)) {
        return Err(Refusal::invalid("temperature: range: 0..1"));
    }
    if !matches!(body["system"], Value::Null | Value::String(_) | Value::Array(_)) {
        return Err(Refusal::invalid("system: Input should be a valid list"));
    }
    let thinking = &body["thinking"];
    if thinking["type"] != "enabled" {
        return Ok(());
    }
    match thinking["budget_tokens"].as_u64() {
        None => return Err(Refusal::invalid("thinking.enabled.budget_tokens: Field required")),
        Some(..1024) => {
            return Err(Refusal::invalid(
                "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
            ));
        }
        Some(budget) if budget >= limit => {
            return Err(Refusal::invalid("`max_tokens` must be greater than `thinking.budget_tokens`."));
        }
        Some(_) => {}
    }
    if ["any", "tool"].iter().any(|forced| body["tool_choice"]["type"] == *forced) {
        return Err(Refusal::invalid("Thinking may not be enabled when tool_choice forces tool use."));
    }
    Ok(())
}

fn tools(body: &Value) -> Result<Vec<Tool>, Refusal> {
    let mut tools: Vec<Tool> = Vec::new();
    for (place, tool) in list_or_nothing(body, "tools")?.iter().enumerate() {
        let name =
            text_field(tool, "name").map_err(|_| Refusal::invalid(format!("tools.{place}.name: Field required")))?;
        tool_name(&format!("tools.{place}.name"), name, 128, "_-")?;
        let own = matches!(tool["type"].as_str(), None | Some("custom"));
        if own && tool["input_schema"]["type"] != "object" {
            return Err(Refusal::invalid(format!("tools.{place}.custom.input_schema: Field required")));
        }
        if tools.iter().any(|known| known.name == name) {
            return Err(Refusal::invalid("tools: Tool names must be unique."));
        }
        tools.push(Tool::function(name));
    }
    Ok(tools)
}

/// Returns the texts of the user's last message, joined.
fn said(messages: &[Value]) -> String {
    let last = messages.iter().rfind(|message| message["role"] == "user");
    match last.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the bytes of the tool results in a message.
fn results(message: &Value) -> Option<usize> {
    let results: Vec<_> =
        message["content"].as_array()?.iter().filter(|block| block["type"] == "tool_result").collect();
    (!results.is_empty()).then(|| results.iter().map(|result| text_length(&result["content"])).sum())
}
