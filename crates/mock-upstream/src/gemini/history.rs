//! Validates a conversation as Google does, and finds the user's last message.

use serde_json::Value;

use super::signature::is_signed;
use crate::api_error::ApiError;

/// Placeholders that Google accepts as the signature of calls its model did not make.
const PLACEHOLDER_SIGNATURES: [&str; 2] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

/// Returns the parts of a Gemini content; empty if it has none.
fn parts(content: &Value) -> &[Value] {
    content["parts"].as_array().map_or(&[], Vec::as_slice)
}

/// Returns the number of parts of a content that have the member `field`.
fn count(content: &Value, field: &str) -> usize {
    parts(content).iter().filter(|part| part.get(field).is_some()).count()
}

/// Validates the roles and parts of a Gemini conversation as Google does.
///
/// # Errors
/// [`ApiError`] for unknown roles, contents without parts, function calls whose number differs from that of the
/// responses after them, and invalid or missing signatures.
pub(super) fn validate(contents: &[Value], model: &str) -> Result<(), ApiError> {
    let mut open_calls = 0;
    for (index, content) in contents.iter().enumerate() {
        let role = content["role"].as_str().unwrap_or("user");
        if !["user", "model", "function"].contains(&role) {
            return Err(ApiError::invalid("Please use a valid role: user, model."));
        }
        if parts(content).is_empty() {
            return Err(ApiError::invalid(format!(
                "* GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty."
            )));
        }
        let results = count(content, "functionResponse");
        if results != open_calls && (results > 0 || open_calls > 0) {
            return Err(ApiError::invalid(
                "Please ensure that the number of function response parts is equal to the number of function call \
                 parts of the function call turn.",
            ));
        }
        open_calls = count(content, "functionCall");
        for (part_index, part) in parts(content).iter().enumerate() {
            check_signature(part, model, index, part_index)?;
        }
    }
    if open_calls > 0 {
        return Err(ApiError::invalid(
            "Please ensure that function response turn comes immediately after a function call turn.",
        ));
    }
    check_signature_presence(contents, model)
}

/// Checks that the signature of a part in a Gemini request is from the model or a placeholder. A part without one is
/// valid. `index` and `part_index` are the position of the part, for the error.
///
/// # Errors
/// [`ApiError`] for any other signature.
fn check_signature(part: &Value, model: &str, index: usize, part_index: usize) -> Result<(), ApiError> {
    match part["thoughtSignature"].as_str() {
        Some(signature) if !is_signed(signature, model) && !PLACEHOLDER_SIGNATURES.contains(&signature) => {
            Err(ApiError::invalid(format!("Thought signature is not valid: contents[{index}].parts[{part_index}]")))
        }
        _ => Ok(()),
    }
}

/// Checks that the first function call of every content in the current turn has a signature, which Gemini 3 requires.
/// Other models need none.
///
/// # Errors
/// [`ApiError`] with the name of the first function whose call has no signature.
fn check_signature_presence(contents: &[Value], model: &str) -> Result<(), ApiError> {
    if !model.starts_with("gemini-3") {
        return Ok(());
    }
    let is_user = |content: &Value| content["role"] != "model" && count(content, "functionResponse") == 0;
    let turn_start = contents.iter().rposition(is_user).unwrap_or(0);
    for content in contents.iter().skip(turn_start) {
        let first_call = parts(content).iter().find(|part| part.get("functionCall").is_some());
        if let Some(call) = first_call.filter(|part| part["thoughtSignature"].is_null()) {
            return Err(ApiError::invalid(format!(
                "Function call is missing a thought_signature in functionCall parts. Function call {}.",
                call["functionCall"]["name"]
            )));
        }
    }
    Ok(())
}

/// Returns the text of the user's last message in a Gemini request; empty without one.
pub(super) fn last_user_text(contents: &[Value]) -> String {
    let last = contents.iter().rfind(|content| content["role"] != "model");
    last.map_or(&[][..], parts).iter().filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Returns the total length in bytes of the function responses in the last content of a Gemini request; `None` without
/// one.
pub(super) fn trailing_result_bytes(contents: &[Value]) -> Option<usize> {
    let results = parts(contents.last()?).iter().filter_map(|part| part.get("functionResponse"));
    let lengths: Vec<usize> = results.map(|result| output_bytes(&result["response"])).collect();
    (!lengths.is_empty()).then(|| lengths.iter().sum())
}

/// Returns the length of a Gemini function response in bytes: of its usual text member, or else of the response as
/// JSON.
fn output_bytes(response: &Value) -> usize {
    let output = ["output", "result", "content", "error"].into_iter().find_map(|name| response[name].as_str());
    output.map_or_else(|| response.to_string().len(), str::len)
}
