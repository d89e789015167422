//! Inspection and conversion agree: a request is converted if the other API supports all its requirements, or if the
//! others may be dropped, and rejected otherwise.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};
use serde_json::{Value, json};
use wire::{ConversionOptions, convert_request, inspect};

use crate::bodies;

/// Checks the conversion of a request to each other API against its requirements, once with all adaptable features
/// allowed to be dropped and once with none. `name` identifies the request in failures.
fn agrees(api: WireApi, name: &str, body: &Value) {
    let text = body.to_string();
    let requires = inspect(api, text.as_bytes()).unwrap().requires;
    for to in WireApi::ALL.into_iter().filter(|to| *to != api) {
        let lost: BTreeSet<_> = requires.iter().copied().filter(|requirement| !requirement.carried(api, to)).collect();
        let may_drop: BTreeSet<_> = Requirement::ADAPTABLE.into_iter().collect();
        let conversion = ConversionOptions {
            from: api,
            to,
            model: "m",
            stream: true,
            may_drop: &may_drop,
            max_output: 0,
            accepts_effort: true,
            newer_chat: true,
        };
        let converted = convert_request(&conversion, text.as_bytes());
        let refused = lost.iter().any(|requirement| !may_drop.contains(requirement));
        assert_eq!(converted.is_err(), refused, "{name} to {to}: {lost:?}, {converted:?}");
        let may_drop = BTreeSet::new();
        let strict = ConversionOptions { may_drop: &may_drop, ..conversion };
        let strictly = convert_request(&strict, text.as_bytes());
        assert_eq!(strictly.is_err(), !lost.is_empty(), "{name} to {to}, strictly: {lost:?}, {strictly:?}");
    }
}

#[test]
fn a_request_is_converted_exactly_when_all_it_requires_is_carried() {
    use WireApi::{AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses};
    agrees(AnthropicMessages, "claude code", &bodies::claude_code_main("fix it"));
    agrees(AnthropicMessages, "claude code, continued", &bodies::claude_code_continued("fix it"));
    agrees(AnthropicMessages, "claude code, title", &bodies::claude_code_title());
    agrees(OpenAiResponses, "codex", &bodies::codex_continued("fix it"));
    agrees(OpenAiChat, "opencode", &bodies::opencode("fix it"));
    agrees(OpenAiChat, "opencode, title", &bodies::opencode_title());
    agrees(OpenAiChat, "aider", &bodies::aider("fix it"));
    agrees(OpenAiChat, "sdk", &bodies::small_chat());
    agrees(Gemini, "gemini cli", &bodies::gemini_cli("fix it"));
    agrees(Gemini, "gemini cli, router", &bodies::gemini_cli_router("fix it"));
}

/// A field with the value `null` counts as missing, also if it is unknown, so it requires nothing.
#[test]
fn an_unknown_field_that_is_null_requires_nothing() {
    use WireApi::{AnthropicMessages, Gemini, OpenAiChat, OpenAiResponses};
    let message = json!({"role": "user", "content": "hi", "unknown": null});
    for (api, body) in [
        (AnthropicMessages, json!({"model": "m", "max_tokens": 1, "unknown": null, "messages": [message]})),
        (OpenAiChat, json!({"model": "m", "unknown": null, "messages": [message]})),
        (OpenAiResponses, json!({"model": "m", "unknown": null, "input": [message]})),
        (
            Gemini,
            json!({"unknown": null, "contents": [{"parts": [{"text": "hi"}]}], "tools": [{"googleSearch": null}]}),
        ),
    ] {
        let text = body.to_string();
        let inspected = inspect(api, text.as_bytes()).unwrap();
        assert_eq!((&inspected.requires, inspected.needs.tools), (&BTreeSet::new(), false), "{api}");
        agrees(api, "unknown fields that are null", &body);
    }
}
