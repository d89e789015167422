//! Validates a conversation as Google does, and finds the user's last message.

use serde_json::Value;

use super::signature::is_signed;
use crate::refusal::Refusal;

/// The placeholder that Google accepts as the signature of calls its model did not make.
const UNSIGNED: [&str; 2] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

fn parts(content: &Value) -> &[Value] {
    content["parts"].as_array().map_or(&[], Vec::as_slice)
}

fn count(content: &Value, field: &str) -> usize {
    parts(content).iter().filter(|part| part.get(field).is_some()).count()
}

/// Rejects calls and results that do not match, and signatures of other models.
pub(super) fn check(contents: &[Value], model: &str) -> Result<(), Refusal> {
    let mut open = 0;
    for (place, content) in contents.iter().enumerate() {
        let role = content["role"].as_str().unwrap_or("user");
        if !["user", "model", "function"].contains(&role) {
            return Err(Refusal::invalid("Please use a valid role: user, model."));
        }
        if parts(content).is_empty() {
            return Err(Refusal::invalid(format!(
                "* GenerateContentRequest.contents[{place}].parts: contents.parts must not be empty."
            )));
        }
        let results = count(content, "functionResponse");
        if results != open && (results > 0 || open > 0) {
            return Err(Refusal::invalid(
                "Please ensure that the number of function response parts is equal to the number of function call \
                 parts of the function call turn.",
            ));
        }
        open = count(content, "functionCall");
        for (at, part) in parts(content).iter().enumerate() {
            signed(part, model, place, at)?;
        }
    }
    if open > 0 {
        return Err(Refusal::invalid(
            "Please ensure that function response turn comes immediately after a function call turn.",
        ));
    }
    asked_for(contents, model)
}

fn signed(part: &Value, model: &str, place: usize, at: usize) -> Result<(), Refusal> {
    match part["thoughtSignature"].as_str() {
        Some(found) if !is_signed(found, model) && !UNSIGNED.contains(&found) => {
            Err(Refusal::invalid(format!("Thought signature is not valid: contents[{place}].parts[{at}]")))
        }
        _ => Ok(()),
    }
}

/// Checks that the first call of every step of the running turn is signed, as Gemini 3 requires.
fn asked_for(contents: &[Value], model: &str) -> Result<(), Refusal> {
    if !model.starts_with("gemini-3") {
        return Ok(());
    }
    let is_user = |content: &Value| content["role"] != "model" && count(content, "functionResponse") == 0;
    let begin = contents.iter().rposition(is_user).unwrap_or(0);
    for content in contents.iter().skip(begin) {
        let first = parts(content).iter().find(|part| part.get("functionCall").is_some());
        if let Some(call) = first.filter(|part| part["thoughtSignature"].is_null()) {
            return Err(Refusal::invalid(format!(
                "Function call is missing a thought_signature in functionCall parts. Function call {}.",
                call["functionCall"]["name"]
            )));
        }
    }
    Ok(())
}

/// Returns the texts of the user's last message.
pub(super) fn said(contents: &[Value]) -> String {
    let last = contents.iter().rfind(|content| content["role"] != "model");
    last.map_or(&[][..], parts).iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns the bytes of the results at the end, as JSON.
pub(super) fn results(contents: &[Value]) -> Option<usize> {
    let results = parts(contents.last()?).iter().filter_map(|part| part.get("functionResponse"));
    let lengths: Vec<usize> = results.map(|result| length(&result["response"])).collect();
    (!lengths.is_empty()).then(|| lengths.iter().sum())
}

/// Returns the output of a function response: its usual member, or all of it.
fn length(response: &Value) -> usize {
    let said = ["output", "result", "content", "error"].into_iter().find_map(|name| response[name].as_str());
    said.map_or_else(|| response.to_string().len(), str::len)
}
