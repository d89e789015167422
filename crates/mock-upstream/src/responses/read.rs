//! Parses a Responses request as strictly as `OpenAI` does.

use serde_json::Value;

use super::history;
use crate::{
    asked::{Cache, ParsedRequest, Tool, foreign, list_or_nothing, text_field, tool_name},
    refusal::Refusal,
};

/// Fields of other APIs, which are rejected.
const FOREIGN: &[&str] = &[
    "messages",
    "system",
    "max_tokens",
    "max_completion_tokens",
    "response_format",
    "reasoning_effort",
    "thinking",
    "stop",
    "stop_sequences",
    "contents",
    "generationConfig",
];

/// Validates and parses a Responses request; `length` is the size of its body in bytes.
pub(crate) fn read(body: &Value, length: usize) -> Result<ParsedRequest, Refusal> {
    let model = text_field(body, "model")?.to_owned();
    foreign(body, FOREIGN)?;
    if body["stream_options"]["include_usage"].is_boolean() {
        return Err(Refusal::field(
            "stream_options.include_usage",
            "Unknown parameter: 'stream_options.include_usage'.",
        ));
    }
    let items = match &body["input"] {
        Value::Array(items) if items.is_empty() => {
            return Err(Refusal::field(
                "input",
                "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.",
            ));
        }
        Value::String(_) | Value::Array(_) => body["input"].as_array().map_or(&[][..], Vec::as_slice),
        _ => return Err(Refusal::field("input", "Missing required parameter: 'input'.")),
    };
    history::check(items, &model, body["previous_response_id"].is_string())?;
    let mut tools = tools(list_or_nothing(body, "tools")?, None)?;
    for item in items.iter().filter(|item| item["type"] == "additional_tools") {
        tools.extend(self::tools(list_or_nothing(item, "tools")?, None)?);
    }
    let format = &body["text"]["format"];
    let schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["schema"].clone()),
        Some("json_object") => Some(Value::Null),
        _ => None,
    };
    Ok(ParsedRequest {
        stream: body["stream"] == true,
        text: body["input"].as_str().map_or_else(|| history::said(items), str::to_owned),
        results: history::results(items),
        tools,
        schema,
        limit: body["max_output_tokens"].as_u64(),
        include_usage: true,
        cache: Cache::of(items.iter().any(history::is_answer)),
        length,
        model,
    })
}

fn tools(list: &[Value], namespace: Option<&str>) -> Result<Vec<Tool>, Refusal> {
    let mut tools = Vec::new();
    for (place, tool) in list.iter().enumerate() {
        let place = format!("tools[{place}].name");
        let missing = || Refusal::field(&place, format!("Missing required parameter: '{place}'."));
        match tool["type"].as_str() {
            Some(kind @ ("function" | "custom")) => {
                let name = text_field(tool, "name").map_err(|_| missing())?;
                tool_name(&place, name, 64, "_-")?;
                let namespace = namespace.map(str::to_owned);
                tools.push(Tool { name: name.to_owned(), namespace, custom: kind == "custom" });
            }
            Some("namespace") => {
                let name = text_field(tool, "name").map_err(|_| missing())?;
                tools.extend(self::tools(list_or_nothing(tool, "tools")?, Some(name))?);
            }
            // Tools that OpenAI runs itself.
            Some(_) => {}
            None => return Err(Refusal::field("tools", "Missing required parameter: 'tools[].type'.")),
        }
    }
    Ok(tools)
}
