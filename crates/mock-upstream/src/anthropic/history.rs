//! Validates a conversation as Anthropic does.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{answer::signature, refusal::Refusal};

/// Rejects calls and results that do not match, signatures of other models, and empty texts, as Anthropic does.
pub(super) fn check(messages: &[Value], model: &str, system_may_follow: bool) -> Result<(), Refusal> {
    // Calls that wait for their results.
    let mut open: BTreeSet<&str> = BTreeSet::new();
    let last = messages.len() - 1;
    for (place, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        match role {
            "system" if system_may_follow => continue,
            "user" | "assistant" => {}
            _ => {
                return Err(Refusal::invalid(format!("messages.{place}.role: Input should be 'user' or 'assistant'")));
            }
        }
        let blocks = match &message["content"] {
            Value::String(text) if !text.is_empty() => &[][..],
            Value::Array(blocks) if !blocks.is_empty() => blocks,
            Value::String(_) | Value::Array(_) if role == "assistant" && place == last => &[],
            Value::String(_) | Value::Array(_) => {
                return Err(Refusal::invalid(format!("messages.{place}: {role} messages must have non-empty content")));
            }
            _ => return Err(Refusal::invalid(format!("messages.{place}.content: Field required"))),
        };
        let results = results(blocks, place, &open)?;
        if let Some(missing) = open.iter().find(|id| !results.contains(*id)) {
            return Err(Refusal::invalid(format!(
                "messages.{place}: `tool_use` ids were found without `tool_result` blocks immediately after: {missing}. \
                 Each `tool_use` block must have a corresponding `tool_result` block in the next message."
            )));
        }
        open.clear();
        for (block, at) in blocks.iter().zip(0_usize..) {
            one(block, role, model, &format!("messages.{place}.content.{at}"))?;
            if block["type"] == "tool_use" {
                open.insert(block["id"].as_str().unwrap_or_default());
            }
        }
    }
    match open.first() {
        None => Ok(()),
        Some(id) => Err(Refusal::invalid(format!(
            "messages.{last}: `tool_use` ids were found without `tool_result` blocks immediately after: {id}."
        ))),
    }
}

/// Returns the call ids of the results in a message; each call must be in the previous message.
fn results<'a>(blocks: &'a [Value], place: usize, open: &BTreeSet<&str>) -> Result<BTreeSet<&'a str>, Refusal> {
    let mut found = BTreeSet::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block["type"] == "tool_result") {
        let id = block["tool_use_id"].as_str().unwrap_or_default();
        if !open.contains(id) {
            return Err(Refusal::invalid(format!(
                "messages.{place}.content.{at}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. Each \
                 `tool_result` block must have a corresponding `tool_use` block in the previous message."
            )));
        }
        if !found.insert(id) {
            return Err(Refusal::invalid(format!(
                "messages.{place}.content.{at}: each tool_use must have a single result. Found multiple `tool_result` \
                 blocks with id: {id}"
            )));
        }
    }
    Ok(found)
}

fn one(block: &Value, role: &str, model: &str, place: &str) -> Result<(), Refusal> {
    let required = |field: &str| match block.get(field) {
        Some(value) if !value.is_null() => Ok(()),
        _ => Err(Refusal::invalid(format!("{place}.{field}: Field required"))),
    };
    let kind = block["type"].as_str().unwrap_or_default();
    let of_assistant = ["thinking", "redacted_thinking", "tool_use"].contains(&kind);
    if of_assistant && role != "assistant" {
        return Err(Refusal::invalid(format!("{place}: `{kind}` blocks can only be in `assistant` messages")));
    }
    match kind {
        "" => Err(Refusal::invalid(format!("{place}.type: Field required"))),
        "text" if block["text"].as_str().is_none_or(str::is_empty) => {
            Err(Refusal::invalid(format!("{place}: text content blocks must be non-empty")))
        }
        "tool_use" => ["id", "name", "input"].into_iter().try_for_each(required).and_then(|()| {
            if block["input"].is_object() {
                return Ok(());
            }
            Err(Refusal::invalid(format!("{place}.tool_use.input: Input should be a valid dictionary")))
        }),
        "thinking" => {
            ["thinking", "signature"].into_iter().try_for_each(required)?;
            signed(&block["signature"], kind, model, place)
        }
        "redacted_thinking" => required("data").and_then(|()| signed(&block["data"], kind, model, place)),
        _ => Ok(()),
    }
}

/// Checks that thinking was signed by this model.
fn signed(found: &Value, kind: &str, model: &str, place: &str) -> Result<(), Refusal> {
    if found.as_str() == Some(&signature(model)) {
        return Ok(());
    }
    let what = if kind == "thinking" { "signature" } else { "data" };
    Err(Refusal::invalid(format!("{place}: Invalid `{what}` in `{kind}` block")))
}
