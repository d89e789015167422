//! Converts a question about skills to the API of its model, and reads the response.

use std::collections::BTreeSet;

use contracts::{Usage, WireApi, events::StopReason};
use engine::{MAX_REPLY_TOKENS, SkillQuestion};
use hyper::body::Bytes;
use serde_json::{Value, json};
use wire::{ConversionOptions, ResponseInspector, convert_request, convert_response};

/// The API in which questions are written and responses are read. Other APIs are converted to and from it.
const WRITTEN: WireApi = WireApi::AnthropicMessages;

/// Returns the API in which the model of a question is called, and the body of the request. `newer_chat` is the setting of the
/// provider.
///
/// # Errors
/// The cause in a few words, if the model has no API or the question cannot be converted.
pub(super) fn body(question: &SkillQuestion, newer_chat: bool) -> Result<(WireApi, Bytes), String> {
    let model = &question.model;
    let max_tokens = if model.max_output == 0 { MAX_REPLY_TOKENS } else { MAX_REPLY_TOKENS.min(model.max_output) };
    let body = json!({
        "model": model.id.model(), "max_tokens": max_tokens, "system": question.instructions,
        "messages": [{ "role": "user", "content": question.text }],
    });
    let body = Bytes::from(body.to_string());
    let api =
        if model.apis.contains(&WRITTEN) { WRITTEN } else { *model.apis.first().ok_or("the model has no API")? };
    if api == WRITTEN {
        return Ok((api, body));
    }
    let conversion = ConversionOptions {
        from: WRITTEN,
        to: api,
        model: model.id.model(),
        stream: false,
        accepts_effort: model.capabilities.effort,
        newer_chat,
        may_drop: &BTreeSet::new(),
        max_output: model.max_output,
    };
    let converted = convert_request(&conversion, &body).map_err(|error| error.to_string())?;
    Ok((api, Bytes::from(converted.body)))
}

/// Reads the response of a model: its text, or the cause why it has none, and the reported tokens.
pub(super) fn read_response(api: WireApi, body: &[u8]) -> (Result<String, String>, Option<Usage>) {
    let mut inspector = ResponseInspector::new(api, false);
    inspector.feed(body);
    let defect = inspector.end();
    let summary = inspector.finish();
    let text = match (defect, summary.error, summary.stop_reason) {
        (Some(defect), _, _) => Err(format!("the response {defect}")),
        (None, Some(class), _) => Err(class.name().to_owned()),
        (None, None, StopReason::Refusal) => Err("the model refused to respond".to_owned()),
        (None, None, StopReason::MaxTokens) => Err(format!("the reply is longer than {MAX_REPLY_TOKENS} tokens")),
        (None, None, _) => text_of(api, body),
    };
    (text, summary.usage)
}

/// Returns the text blocks of a response.
fn text_of(api: WireApi, body: &[u8]) -> Result<String, String> {
    let unreadable = || "the response cannot be read".to_owned();
    let converted;
    let body = if api == WRITTEN {
        body
    } else {
        converted = convert_response(api, WRITTEN, "", 0, body).map_err(|_| unreadable())?;
        &converted
    };
    let response: Value = serde_json::from_slice(body).map_err(|_| unreadable())?;
    let blocks = response["content"].as_array().ok_or_else(unreadable)?;
    Ok(blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str()).collect())
}
