//! Parses a Chat Completions request as strictly as `OpenAI` does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    asked::{Cache, ParsedRequest, Tool, foreign, list_field, list_or_nothing, text_field, text_length, tool_name},
    refusal::Refusal,
};

/// Fields of other APIs, which are rejected.
const FOREIGN: &[&str] = &[
    "system",
    "max_output_tokens",
    "input",
    "instructions",
    "thinking",
    "output_config",
    "context_management",
    "stop_sequences",
    "contents",
    "generationConfig",
];

/// Validates and parses a chat completions request; `length` is the size of its body in bytes.
pub(crate) fn read(body: &Value, length: usize) -> Result<ParsedRequest, Refusal> {
    let model = text_field(body, "model")?.to_owned();
    let messages = list_field(body, "messages")?;
    foreign(body, FOREIGN)?;
    if body["stream_options"].is_object() && body["stream"] != true {
        return Err(Refusal::field(
            "stream_options",
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ));
    }
    if !body["max_tokens"].is_null() && !body["max_completion_tokens"].is_null() {
        return Err(Refusal::field(
            "max_tokens",
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ));
    }
    history(messages)?;
    let format = &body["response_format"];
    let schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    };
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        text: said(messages),
        results: results(messages),
        tools: tools(body)?,
        schema,
        limit: body["max_completion_tokens"].as_u64().or_else(|| body["max_tokens"].as_u64()),
        include_usage: body["stream_options"]["include_usage"] == true,
        cache: Cache::of(messages.iter().any(|message| message["role"] == "assistant")),
        length,
        model,
    })
}

/// Rejects calls and results that do not match.
fn history(messages: &[Value]) -> Result<(), Refusal> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (place, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let field = |what: &str| format!("messages.[{place}].{what}");
        if role == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            if !open.remove(id) {
                return Err(Refusal::field(
                    &field("role"),
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with \
                     'tool_calls'.",
                ));
            }
            continue;
        }
        answered(&open, &field("role"))?;
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        match role {
            "assistant" if message["content"].is_null() && calls.is_empty() && message["refusal"].is_null() => {
                return Err(Refusal::field(
                    &field("content"),
                    "Invalid value for 'content': expected a string, got null.",
                ));
            }
            "system" | "developer" | "user" if message["content"].is_null() => {
                return Err(Refusal::field(
                    &field("content"),
                    "Invalid value for 'content': expected a string, got null.",
                ));
            }
            "system" | "developer" | "user" | "assistant" | "function" => {}
            _ => {
                return Err(Refusal::field(
                    &field("role"),
                    format!(
                        "Invalid value: '{role}'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'."
                    ),
                ));
            }
        }
        open = calls.iter().filter_map(|call| call["id"].as_str()).collect();
        if open.len() != calls.len() {
            return Err(Refusal::field(
                &field("tool_calls"),
                "Missing or repeated required parameter: 'tool_calls[].id'.",
            ));
        }
        for call in calls.iter().filter(|call| call["type"] == "function") {
            if !call["function"]["arguments"].is_string() {
                return Err(Refusal::field(&field("tool_calls"), "Invalid type for 'arguments': expected a string."));
            }
        }
    }
    answered(&open, "messages")
}

fn answered(open: &BTreeSet<&str>, field: &str) -> Result<(), Refusal> {
    match open.first() {
        None => Ok(()),
        Some(id) => Err(Refusal::field(
            field,
            format!(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
                 'tool_call_id'. The following tool_call_ids did not have response messages: {id}"
            ),
        )),
    }
}

fn tools(body: &Value) -> Result<Vec<Tool>, Refusal> {
    let mut tools = Vec::new();
    for (place, tool) in list_or_nothing(body, "tools")?.iter().enumerate() {
        let kind = tool["type"].as_str().unwrap_or_default();
        if kind != "function" && kind != "custom" {
            return Err(Refusal::field(
                &format!("tools[{place}].type"),
                format!("Invalid value: '{kind}'. Supported values are: 'function' and 'custom'."),
            ));
        }
        let name = text_field(&tool[kind], "name").map_err(|_| {
            Refusal::field(&format!("tools[{place}].{kind}.name"), "Missing required parameter: 'name'.")
        })?;
        tool_name(&format!("tools[{place}].{kind}.name"), name, 64, "_-")?;
        tools.push(Tool { custom: kind == "custom", ..Tool::function(name) });
    }
    Ok(tools)
}

/// Returns the texts of the user's last message, joined.
fn said(messages: &[Value]) -> String {
    let last = messages.iter().rfind(|message| message["role"] == "user");
    match last.map(|message| &message["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the bytes of the tool results at the end.
fn results(messages: &[Value]) -> Option<usize> {
    let results: Vec<_> = messages.iter().rev().take_while(|message| message["role"] == "tool").collect();
    (!results.is_empty()).then(|| results.iter().map(|message| text_length(&message["content"])).sum())
}
