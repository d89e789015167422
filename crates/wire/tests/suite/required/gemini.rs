//! Random requests to `generateContent`.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::making::{
    any_of, conversation, count, effort, fixed, flag, list, media_type, name, object, one_of, portion, schema, stops,
    text,
};

/// Generates a request body of Gemini's API, mostly valid.
pub(crate) fn request() -> BoxedStrategy<Value> {
    let calling = object(vec![
        ("mode", 90, one_of(json!(["AUTO", "ANY", "NONE", "VALIDATED", "MODE_UNSPECIFIED"]))),
        ("allowedFunctionNames", 30, list(name(), 2)),
    ]);
    object(vec![
        ("contents", 100, contents()),
        ("systemInstruction", 30, any_of(vec![content(), text()])),
        ("system_instruction", 10, content()),
        ("tools", 40, list(tool(), 2)),
        (
            "toolConfig",
            25,
            object(vec![("functionCallingConfig", 95, calling), ("retrievalConfig", 4, fixed(json!({})))]),
        ),
        ("generationConfig", 70, generation()),
        ("safetySettings", 3, fixed(json!([]))),
        ("model", 10, text()),
    ])
}

/// Generates a `generationConfig` of Gemini's API.
fn generation() -> BoxedStrategy<Value> {
    let thinking = object(vec![
        ("thinkingLevel", 60, any_of(vec![effort(), one_of(json!(["THINKING_LEVEL_UNSPECIFIED", "LOW"]))])),
        ("thinkingBudget", 20, count()),
        ("includeThoughts", 20, flag()),
    ]);
    object(vec![
        ("temperature", 30, portion()),
        ("topP", 20, portion()),
        ("top_p", 5, portion()),
        ("topK", 8, count()),
        ("seed", 8, count()),
        ("maxOutputTokens", 30, count()),
        ("stopSequences", 30, stops()),
        ("presencePenalty", 8, one_of(json!([0, 0.5, null]))),
        ("candidateCount", 8, one_of(json!([1, 2, null]))),
        ("responseLogprobs", 5, flag()),
        ("logprobs", 5, one_of(json!([0, 2, null]))),
        ("responseMimeType", 30, one_of(json!(["application/json", "application/json", "text/plain", "text/x.enum"]))),
        ("responseSchema", 15, schema()),
        ("responseJsonSchema", 10, schema()),
        ("responseModalities", 5, one_of(json!([["TEXT"], ["text"], ["IMAGE"], ["AUDIO"], [], null]))),
        ("thinkingConfig", 20, thinking),
        ("speechConfig", 2, fixed(json!({}))),
        ("newField", 2, fixed(json!(1))),
    ])
}

/// Generates a conversation of Gemini's API.
fn contents() -> BoxedStrategy<Value> {
    let holding = |role: &'static str, of: BoxedStrategy<Value>| {
        of.prop_map(move |part| json!({"role": role, "parts": [part]})).boxed()
    };
    let user = json!({"role": "user", "parts": [{"text": "hi"}]});
    conversation(user, content(), holding("model", call()), holding("user", response()))
}

/// Generates a content (a message) with any role of Gemini's API.
fn content() -> BoxedStrategy<Value> {
    object(vec![
        ("role", 95, one_of(json!(["user", "user", "model", "model", "function", "critic"]))),
        ("parts", 98, list(part(), 4)),
    ])
}

/// Generates inline data of Gemini's API.
fn inline() -> BoxedStrategy<Value> {
    object(vec![("mimeType", 98, media_type()), ("data", 98, text()), ("displayName", 3, text())])
}

/// Generates a part with text or thinking of Gemini's API.
fn said() -> BoxedStrategy<Value> {
    object(vec![
        ("text", 99, text()),
        ("thought", 10, flag()),
        ("thoughtSignature", 8, one_of(json!(["c2ln", "skip_thought_signature_validator", null]))),
    ])
}

/// Generates the id of a function call of Gemini's API, or null.
fn id() -> BoxedStrategy<Value> {
    one_of(json!(["c1", "c2", null]))
}

/// Generates the name of a function of Gemini's API.
fn called() -> BoxedStrategy<Value> {
    one_of(json!(["f", "g", "mcp.read"]))
}

/// Generates a part with a function call of Gemini's API.
fn call() -> BoxedStrategy<Value> {
    let call = object(vec![
        ("id", 40, id()),
        ("name", 98, called()),
        ("args", 90, one_of(json!([{}, {"a": 1}, null]))),
        ("partialArgs", 2, fixed(json!([]))),
    ]);
    object(vec![("functionCall", 100, call), ("thought", 3, flag())])
}

/// Generates a part with a function response of Gemini's API.
fn response() -> BoxedStrategy<Value> {
    let response = object(vec![
        ("id", 40, id()),
        ("name", 95, called()),
        (
            "response",
            95,
            one_of(json!([{"output": "x"}, {"error": "no"}, {"a": 1, "b": 2}, "x", null, {"output": null}])),
        ),
        ("parts", 10, list(any_of(vec![object(vec![("inlineData", 98, inline())]), fixed(json!({"text": "x"}))]), 2)),
        ("willContinue", 2, flag()),
    ]);
    object(vec![("functionResponse", 100, response)])
}

/// Generates a part of any kind of Gemini's API.
fn part() -> BoxedStrategy<Value> {
    let others = one_of(json!([
        {"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}}, {"executableCode": {}}, {}, {"newPart": 1},
        {"text": "x", "inlineData": {"mimeType": "image/png", "data": "AA"}}, {"text": "x", "videoMetadata": {}},
        {"inline_data": {"mime_type": "image/png", "data": "AA"}},
    ]));
    any_of(vec![
        said(),
        said(),
        call(),
        call(),
        response(),
        response(),
        object(vec![("inlineData", 100, inline())]),
        others,
    ])
}

/// Generates a tool of Gemini's API.
fn tool() -> BoxedStrategy<Value> {
    let function = object(vec![
        ("name", 99, name()),
        ("description", 60, text()),
        ("parameters", 60, schema()),
        ("parametersJsonSchema", 30, schema()),
        ("behavior", 3, fixed(json!("BLOCKING"))),
    ]);
    object(vec![("functionDeclarations", 97, list(function, 2)), ("googleSearch", 5, one_of(json!([{}, null])))])
}
