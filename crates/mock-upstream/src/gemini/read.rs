//! Parses a `generateContent` request as strictly as Google does.

use serde_json::Value;

use super::history;
use crate::{
    asked::{Cache, ParsedRequest, Tool, foreign, list_or_nothing, text_field, tool_name},
    refusal::Refusal,
};

/// Fields of other APIs, which are rejected.
const FOREIGN: &[&str] =
    &["messages", "system", "max_tokens", "input", "instructions", "stream", "temperature", "thinking"];

/// Keywords of JSON Schema that `parameters` does not support; `parametersJsonSchema` does.
const NOT_IN_PARAMETERS: &[&str] = &[
    "$schema",
    "$ref",
    "$defs",
    "additionalProperties",
    "const",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "oneOf",
    "allOf",
];

/// Validates and parses a `generateContent` request; `length` is the size of its body in bytes.
pub(crate) fn read(model: &str, stream: bool, body: &Value, length: usize) -> Result<ParsedRequest, Refusal> {
    let contents = match &body["contents"] {
        Value::Array(contents) if !contents.is_empty() => contents,
        _ => return Err(Refusal::invalid("* GenerateContentRequest.contents: contents is not specified")),
    };
    foreign(body, FOREIGN).map_err(|refusal| {
        Refusal::invalid(format!("Invalid JSON payload received. Unknown name: {}", refusal.message))
    })?;
    history::check(contents, model)?;
    let settings = &body["generationConfig"];
    let json = settings["responseMimeType"] == "application/json";
    let schema = ["responseJsonSchema", "responseSchema"].into_iter().find_map(|name| settings.get(name));
    if schema.is_some() && !json {
        return Err(Refusal::invalid("response_mime_type must be 'application/json' when a response schema is set"));
    }
    Ok(ParsedRequest {
        model: model.to_owned(),
        stream,
        text: history::said(contents),
        results: history::results(contents),
        tools: tools(body)?,
        schema: json.then(|| schema.cloned().unwrap_or_default()),
        limit: settings["maxOutputTokens"].as_u64(),
        include_usage: true,
        cache: Cache::of(contents.iter().any(|content| content["role"] == "model")),
        length,
    })
}

fn tools(body: &Value) -> Result<Vec<Tool>, Refusal> {
    let mut tools = Vec::new();
    for (place, group) in list_or_nothing(body, "tools")?.iter().enumerate() {
        for (at, function) in list_or_nothing(group, "functionDeclarations")?.iter().enumerate() {
            let place = format!("tools[{place}].function_declarations[{at}]");
            let name = text_field(function, "name")
                .map_err(|_| Refusal::invalid(format!("GenerateContentRequest.{place}.name: [FIELD_INVALID]")))?;
            tool_name(&format!("{place}.name"), name, 128, "_.:-")?;
            known_words(&function["parameters"], &place)?;
            tools.push(Tool::function(name));
        }
    }
    Ok(tools)
}

fn known_words(schema: &Value, place: &str) -> Result<(), Refusal> {
    if let Some(word) = NOT_IN_PARAMETERS.iter().find(|word| schema.get(**word).is_some()) {
        return Err(Refusal::invalid(format!(
            "Invalid JSON payload received. Unknown name \"{word}\" at '{place}.parameters': Cannot find field."
        )));
    }
    let properties = schema["properties"].as_object().into_iter().flat_map(|all| all.values());
    properties.chain(schema.get("items")).try_for_each(|part| known_words(part, place))
}
