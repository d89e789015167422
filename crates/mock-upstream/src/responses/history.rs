//! Validates a list of items as `OpenAI` does, and finds the user's last message.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{answer::signature, asked::text_length, refusal::Refusal};

const CALLS: [&str; 4] = ["function_call", "custom_tool_call", "local_shell_call", "tool_search_call"];
const RESULTS: [&str; 4] =
    ["function_call_output", "custom_tool_call_output", "local_shell_call_output", "tool_search_output"];

fn kind(item: &Value) -> &str {
    // An item without a type is a message.
    item["type"].as_str().unwrap_or("message")
}

/// Whether an item is output of the model.
pub(super) fn is_answer(item: &Value) -> bool {
    CALLS.contains(&kind(item)) || item["role"] == "assistant" || kind(item) == "reasoning"
}

/// Rejects calls and results that do not match, and reasoning of other models.
pub(super) fn check(items: &[Value], model: &str, continues: bool) -> Result<(), Refusal> {
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut answered: BTreeSet<&str> = BTreeSet::new();
    for (place, item) in items.iter().enumerate() {
        let field = |what: &str| format!("input[{place}].{what}");
        let id = item["call_id"].as_str().unwrap_or_default();
        match kind(item) {
            "message" => {
                let role = item["role"].as_str().unwrap_or_default();
                if !["user", "assistant", "system", "developer"].contains(&role) {
                    return Err(Refusal::field(
                        &field("role"),
                        format!(
                            "Invalid value: '{role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'."
                        ),
                    ));
                }
                parts(item, role, &field("content"))?;
            }
            "reasoning" => signed(item, model, &field("encrypted_content"))?,
            call if CALLS.contains(&call) => {
                if id.is_empty() {
                    return Err(Refusal::field(
                        &field("call_id"),
                        format!("Missing required parameter: '{}'.", field("call_id")),
                    ));
                }
                called.insert(id);
            }
            result if RESULTS.contains(&result) => {
                if !called.contains(id) && !continues {
                    return Err(Refusal::field(
                        "input",
                        format!("No tool call found for function call output with call_id {id}."),
                    ));
                }
                answered.insert(id);
            }
            _ => {}
        }
    }
    match called.difference(&answered).next() {
        None => Ok(()),
        Some(id) => Err(Refusal::field("input", format!("No tool output found for function call {id}."))),
    }
}

/// Checks that the text parts of the user are `input_text` and those of the model `output_text`.
fn parts(item: &Value, role: &str, field: &str) -> Result<(), Refusal> {
    let wrong = if role == "assistant" { "input_text" } else { "output_text" };
    match &item["content"] {
        Value::String(_) => Ok(()),
        Value::Array(parts) => match parts.iter().position(|part| part["type"] == wrong || part["type"] == "text") {
            None => Ok(()),
            Some(place) => Err(Refusal::field(
                &format!("{field}[{place}]"),
                format!("Invalid value: {}.", parts.get(place).map_or(&Value::Null, |part| &part["type"])),
            )),
        },
        _ => Err(Refusal::field(field, format!("Missing required parameter: '{field}'."))),
    }
}

fn signed(item: &Value, model: &str, field: &str) -> Result<(), Refusal> {
    match &item["encrypted_content"] {
        Value::String(text) if *text != signature(model) => Err(Refusal::field(
            field,
            format!(
                "The encrypted content for item {} could not be verified.",
                item["id"].as_str().unwrap_or_default()
            ),
        )
        .with_code("invalid_encrypted_content")),
        _ => Ok(()),
    }
}

/// Returns the texts of the user's last message, joined.
pub(super) fn said(items: &[Value]) -> String {
    let last = items.iter().rfind(|item| kind(item) == "message" && item["role"] == "user");
    match last.map(|item| &item["content"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the bytes of the tool results at the end; developer messages after them are ignored.
pub(super) fn results(items: &[Value]) -> Option<usize> {
    let ends = items.iter().rev().filter(|item| item["role"] != "developer" && item["role"] != "system");
    let results: Vec<_> = ends.take_while(|item| RESULTS.contains(&kind(item))).collect();
    (!results.is_empty()).then(|| results.iter().map(|item| text_length(&item["output"])).sum())
}
