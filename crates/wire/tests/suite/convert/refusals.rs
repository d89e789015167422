//! Requests that cannot be converted, and requests of which features are dropped.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};
use serde_json::{Value, json};
use wire::{ConvertError, inspect};

use super::requests::converted;

/// Anthropic's API, under a short name.
const ANTHROPIC: WireApi = WireApi::AnthropicMessages;
/// The chat completions API, under a short name.
const CHAT: WireApi = WireApi::OpenAiChat;
/// The Responses API, under a short name.
const RESPONSES: WireApi = WireApi::OpenAiResponses;
/// Gemini's API, under a short name.
const GEMINI: WireApi = WireApi::Gemini;

/// Returns a minimal request.
fn plain(api: WireApi) -> Value {
    match api {
        WireApi::AnthropicMessages => {
            json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "hi"}]})
        }
        WireApi::OpenAiChat => json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]}),
        WireApi::OpenAiResponses => json!({"model": "m", "input": "hi"}),
        WireApi::Gemini => json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {}}),
    }
}

/// Returns a minimal request with additional or replaced fields.
fn with(api: WireApi, fields: &Value) -> Value {
    let mut body = plain(api);
    for (name, value) in fields.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

/// Converts a minimal request with these fields.
fn said(from: WireApi, to: WireApi, fields: &Value) -> Result<(Value, Vec<Requirement>), ConvertError> {
    converted(from, to, &with(from, fields))
}

/// Returns the requirements that inspection finds in a minimal request with these fields.
fn requires(from: WireApi, fields: &Value) -> BTreeSet<Requirement> {
    inspect(from, with(from, fields).to_string().as_bytes()).unwrap().requires
}

/// Checks that inspection finds the requirement, and that the conversion to each API fails because of it.
#[track_caller]
fn refused(from: WireApi, to: &[WireApi], requirement: Requirement, fields: &Value) {
    assert!(requires(from, fields).contains(&requirement), "{from} {fields}");
    refused_late(from, to, requirement, fields);
}

/// Checks that the conversion to each API fails because of the requirement.
#[track_caller]
fn refused_late(from: WireApi, to: &[WireApi], requirement: Requirement, fields: &Value) {
    for to in to {
        assert_eq!(said(from, *to, fields), Err(ConvertError::Requires(requirement)), "{from} {to} {fields}");
    }
}

/// Checks that inspection finds the requirement, and that the conversion to each API drops it without another change.
#[track_caller]
fn dropped(from: WireApi, to: &[WireApi], requirement: Requirement, fields: &Value) {
    assert!(requires(from, fields).contains(&requirement), "{from} {fields}");
    dropped_late(from, to, requirement, fields);
}

/// Checks that the conversion to each API drops the requirement without another change of the request.
#[track_caller]
fn dropped_late(from: WireApi, to: &[WireApi], requirement: Requirement, fields: &Value) {
    for to in to {
        let (body, dropped) = said(from, *to, fields).unwrap();
        assert_eq!(dropped, [requirement], "{from} {to} {fields}");
        assert_eq!(body, said(from, *to, &json!({})).unwrap().0);
    }
}

/// Checks that the fields require nothing, and that the converted request is the same without them.
#[track_caller]
fn says_nothing(from: WireApi, to: &[WireApi], fields: &Value) {
    assert_eq!(requires(from, fields), BTreeSet::new(), "{from} {fields}");
    for to in to {
        assert_eq!(said(from, *to, fields), said(from, *to, &json!({})), "{from} {to} {fields}");
    }
}

/// Returns the field `messages` with one message of the user.
fn user(content: &Value) -> Value {
    json!({"messages": [{"role": "user", "content": content}]})
}

#[test]
fn unknown_fields_items_and_types_are_native() {
    use Requirement::Native;
    let to = [CHAT, RESPONSES, GEMINI];
    refused(ANTHROPIC, &to, Native, &json!({"new_field": 1}));
    refused(ANTHROPIC, &to, Native, &user(&json!([{"type": "new_block"}])));
    refused(ANTHROPIC, &to, Native, &user(&json!([{"type": "text", "text": "hi", "new_field": 1}])));
    refused(ANTHROPIC, &to, Native, &json!({"messages": [{"role": "narrator", "content": "hi"}]}));
    refused(ANTHROPIC, &to, Native, &json!({"output_config": {"new_field": 1}}));
    refused(ANTHROPIC, &to, Native, &json!({"service_tier": "standard_only"}));
    let to = [ANTHROPIC, RESPONSES, GEMINI];
    refused(CHAT, &to, Native, &json!({"new_field": 1}));
    refused(CHAT, &to, Native, &json!({"service_tier": "flex"}));
    refused(CHAT, &to, Native, &json!({"messages": [{"role": "user", "name": "ann", "content": "hi"}]}));
    refused(CHAT, &to, Requirement::ExactBytes, &json!({"seed": 123_456_789_012_345_678_901_f64}));
    let to = [ANTHROPIC, CHAT, GEMINI];
    refused(RESPONSES, &to, Native, &json!({"new_field": 1}));
    refused(RESPONSES, &to, Native, &json!({"input": [{"type": "new_item"}]}));
    let to = [ANTHROPIC, CHAT, RESPONSES];
    refused(GEMINI, &to, Native, &json!({"safetySettings": [{"category": "x"}]}));
    refused(GEMINI, &to, Native, &json!({"contents": [{"role": "user", "parts": [{"newPart": 1}]}]}));
}

/// Features that only the provider can execute or store are rejected.
#[test]
fn what_a_provider_does_or_keeps_itself_is_refused() {
    use Requirement::{AudioVideo, Documents, ManyAnswers, RemoteImages, ServerTools, StoredAnswers, StoredImages};
    let to = [CHAT, RESPONSES, GEMINI];
    refused(ANTHROPIC, &to, ServerTools, &json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}));
    refused(ANTHROPIC, &to, ServerTools, &json!({"tools": [{"type": "bash_20250124", "name": "bash"}]}));
    refused(ANTHROPIC, &to, ServerTools, &json!({"mcp_servers": [{"type": "url"}]}));
    refused(ANTHROPIC, &to, Documents, &user(&json!([{"type": "document", "source": {}}])));
    let file = json!({"type": "file", "file_id": "file_1"});
    refused(ANTHROPIC, &to, StoredImages, &user(&json!([{"type": "image", "source": file}])));
    let to = [ANTHROPIC, RESPONSES, GEMINI];
    refused(CHAT, &to, ManyAnswers, &json!({"n": 2}));
    refused(CHAT, &to, ManyAnswers, &json!({"logprobs": true}));
    refused(CHAT, &to, StoredAnswers, &json!({"store": true}));
    refused(CHAT, &to, AudioVideo, &json!({"modalities": ["text", "audio"]}));
    refused(CHAT, &to, AudioVideo, &user(&json!([{"type": "input_audio", "input_audio": {}}])));
    refused(CHAT, &to, Documents, &user(&json!([{"type": "file", "file": {"file_id": "file_1"}}])));
    refused(CHAT, &to, ServerTools, &json!({"web_search_options": {}}));
    refused(CHAT, &to, ServerTools, &json!({"tools": [{"type": "new_tool"}]}));
    let to = [ANTHROPIC, CHAT, GEMINI];
    refused(RESPONSES, &to, StoredAnswers, &json!({"previous_response_id": "resp_1"}));
    refused(RESPONSES, &to, StoredAnswers, &json!({"input": [{"type": "item_reference", "id": "msg_1"}]}));
    refused(RESPONSES, &to, ServerTools, &json!({"tools": [{"type": "web_search_preview"}]}));
    refused(RESPONSES, &to, ServerTools, &json!({"tools": [{"type": "tool_search", "execution": "client"}]}));
    refused(RESPONSES, &to, ServerTools, &json!({"input": [{"type": "web_search_call", "id": "ws_1"}]}));
    refused(RESPONSES, &to, ManyAnswers, &json!({"include": ["message.output_text.logprobs"]}));
    let to = [ANTHROPIC, CHAT, RESPONSES];
    refused(GEMINI, &to, ServerTools, &json!({"tools": [{"googleSearch": {}}]}));
    refused(GEMINI, &to, ManyAnswers, &json!({"generationConfig": {"candidateCount": 2}}));
    let part = |part: Value| json!({"contents": [{"role": "user", "parts": [part]}]});
    refused(GEMINI, &to, Documents, &part(json!({"inlineData": {"mimeType": "application/pdf", "data": "AA=="}})));
    refused(GEMINI, &to, AudioVideo, &part(json!({"inlineData": {"mimeType": "audio/wav", "data": "AA=="}})));
    refused(GEMINI, &to, RemoteImages, &part(json!({"fileData": {"mimeType": "image/png", "fileUri": "gs://a/b"}})));
}

/// Features are rejected for exactly the APIs that do not have them.
#[test]
fn what_an_api_cannot_do_is_refused() {
    use Requirement::{
        FiveStopSequences, JsonObject, OneToolAtATime, Prefill, RemoteImages, SixStopSequences, StopSequences,
    };
    let remote = user(&json!([{"type": "image", "source": {"type": "url", "url": "https://example.com/a.png"}}]));
    refused(ANTHROPIC, &[GEMINI], RemoteImages, &remote);
    let (chat, _) = said(ANTHROPIC, CHAT, &remote).unwrap();
    assert_eq!(chat["messages"][0]["content"][0]["image_url"]["url"], "https://example.com/a.png");
    // Responses have no stop sequences, chat completions have up to four, Gemini up to five.
    refused(ANTHROPIC, &[RESPONSES], StopSequences, &json!({"stop_sequences": ["a"]}));
    refused(CHAT, &[RESPONSES], StopSequences, &json!({"stop": "a"}));
    refused(GEMINI, &[RESPONSES], StopSequences, &json!({"generationConfig": {"stopSequences": ["a"]}}));
    let stops = |count: usize| json!({"stop_sequences": vec!["a"; count]});
    refused(ANTHROPIC, &[CHAT], FiveStopSequences, &stops(5));
    refused(ANTHROPIC, &[GEMINI], SixStopSequences, &stops(6));
    assert!(said(ANTHROPIC, CHAT, &stops(4)).is_ok() && said(ANTHROPIC, GEMINI, &stops(5)).is_ok());
    // Only Anthropic's models continue the last message of the model.
    let prefill = json!({"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "He"}]});
    refused(ANTHROPIC, &[CHAT, RESPONSES, GEMINI], Prefill, &prefill);
    refused(CHAT, &[ANTHROPIC, GEMINI], Prefill, &prefill);
    assert!(said(CHAT, RESPONSES, &prefill).is_ok());
    let prefill = json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": []}]});
    refused(GEMINI, &[ANTHROPIC, CHAT, RESPONSES], Prefill, &prefill);
    let prefill = json!({"input": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "He"}]});
    refused(RESPONSES, &[ANTHROPIC, GEMINI], Prefill, &prefill);
    // Gemini has no limit of one tool call, and Anthropic has no JSON without a schema.
    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    refused(CHAT, &[GEMINI], OneToolAtATime, &json!({"tools": tools, "parallel_tool_calls": false}));
    let (tools, one) = (json!([{"name": "f"}]), json!({"type": "auto", "disable_parallel_tool_use": true}));
    refused(ANTHROPIC, &[GEMINI], OneToolAtATime, &json!({"tools": tools, "tool_choice": one}));
    refused(CHAT, &[ANTHROPIC], JsonObject, &json!({"response_format": {"type": "json_object"}}));
    refused(RESPONSES, &[ANTHROPIC], JsonObject, &json!({"text": {"format": {"type": "json_object"}}}));
    let json = json!({"generationConfig": {"responseMimeType": "application/json"}});
    refused(GEMINI, &[ANTHROPIC], JsonObject, &json);
}

/// Settings that only tune the response are dropped, and the conversion reports them.
#[test]
fn what_only_tunes_a_model_is_dropped_visibly() {
    use Requirement::{CacheControl, ContextManagement, EarlierThinking, Sampling, ThinkingControl};
    let to = [CHAT, RESPONSES, GEMINI];
    dropped(ANTHROPIC, &to, CacheControl, &json!({"cache_control": {"type": "ephemeral"}}));
    dropped(ANTHROPIC, &to, ContextManagement, &json!({"context_management": {"edits": []}}));
    dropped(ANTHROPIC, &to, ThinkingControl, &json!({"thinking": {"type": "adaptive"}}));
    dropped(ANTHROPIC, &[CHAT, RESPONSES], Sampling, &json!({"top_k": 9}));
    assert!(requires(CHAT, &json!({"temperature": 1.5})).contains(&Requirement::HighTemperature));
    dropped_late(CHAT, &[ANTHROPIC], Sampling, &json!({"temperature": 1.5}));
    let (both, missing) = said(CHAT, ANTHROPIC, &json!({"temperature": 0.5, "top_p": 0.5})).unwrap();
    assert_eq!((&both["temperature"], &both["top_p"], missing), (&json!(0.5), &Value::Null, vec![Sampling]));
    let (one, missing) = said(CHAT, ANTHROPIC, &json!({"temperature": 1, "top_p": 0.5})).unwrap();
    assert_eq!((&one["temperature"], &one["top_p"], missing), (&Value::Null, &json!(0.5), vec![]));
    dropped(CHAT, &[ANTHROPIC, RESPONSES], Sampling, &json!({"seed": 9, "presence_penalty": 0.5}));
    dropped(CHAT, &[ANTHROPIC, RESPONSES, GEMINI], Sampling, &json!({"logit_bias": {"9": 1}, "min_p": 0.1}));
    dropped(RESPONSES, &[ANTHROPIC, GEMINI], Sampling, &json!({"text": {"verbosity": "low"}}));
    dropped(RESPONSES, &[ANTHROPIC, CHAT, GEMINI], ThinkingControl, &json!({"reasoning": {"summary": "auto"}}));
    dropped(RESPONSES, &[ANTHROPIC, CHAT, GEMINI], ContextManagement, &json!({"truncation": "auto"}));
    let thought = json!([{"type": "message", "role": "user", "content": "hi"}, {"type": "reasoning", "summary": []}]);
    let (_, missing) = said(RESPONSES, CHAT, &json!({"input": thought})).unwrap();
    assert_eq!(missing, [EarlierThinking]);
}

/// Settings that change no response are ignored.
#[test]
fn what_changes_no_answer_says_nothing() {
    let to = [CHAT, RESPONSES, GEMINI];
    says_nothing(ANTHROPIC, &to, &json!({"metadata": {"user_id": "u"}, "service_tier": "auto", "tools": []}));
    says_nothing(ANTHROPIC, &to, &json!({"thinking": {"type": "disabled"}, "stop_sequences": null}));
    says_nothing(ANTHROPIC, &to, &json!({"system": [{"type": "text", "text": "x-anthropic-billing-header: a=b;"}]}));
    let to = [ANTHROPIC, RESPONSES, GEMINI];
    says_nothing(CHAT, &to, &json!({"user": "u", "n": 1, "logprobs": false, "store": false, "metadata": {}}));
    says_nothing(CHAT, &to, &json!({"parallel_tool_calls": false, "stop": null}));
    says_nothing(CHAT, &to, &json!({"frequency_penalty": 0, "modalities": ["text"], "verbosity": "medium"}));
    let to = [ANTHROPIC, CHAT, GEMINI];
    says_nothing(
        RESPONSES,
        &to,
        &json!({"store": false, "include": ["reasoning.encrypted_content"], "background": false}),
    );
    says_nothing(RESPONSES, &to, &json!({"client_metadata": {"a": "b"}, "truncation": "disabled", "user": "u"}));
    let to = [ANTHROPIC, CHAT, RESPONSES];
    says_nothing(GEMINI, &to, &json!({"generationConfig": {"candidateCount": 1, "responseModalities": ["TEXT"]}}));
}

/// An effort that the other API does not have is replaced by the nearest one, and reported.
#[test]
fn efforts_without_a_counterpart_are_said_as_the_nearest_and_reported() {
    let check = |from, to, fields: Value, pointer: &str, expected: &str, reported: bool| {
        let (body, dropped) = said(from, to, &fields).unwrap();
        assert_eq!(body.pointer(pointer), Some(&json!(expected)), "{from} {to} {fields}");
        assert_eq!(dropped, if reported { vec![Requirement::ThinkingControl] } else { vec![] });
    };
    let anthropic = |effort: &str| json!({"output_config": {"effort": effort}});
    let chat = |effort: &str| json!({"reasoning_effort": effort});
    let level = "/generationConfig/thinkingConfig/thinkingLevel";
    check(ANTHROPIC, CHAT, anthropic("high"), "/reasoning_effort", "high", false);
    check(ANTHROPIC, CHAT, anthropic("max"), "/reasoning_effort", "xhigh", true);
    check(ANTHROPIC, RESPONSES, anthropic("xhigh"), "/reasoning/effort", "xhigh", false);
    check(ANTHROPIC, GEMINI, anthropic("max"), level, "HIGH", true);
    check(CHAT, ANTHROPIC, chat("minimal"), "/output_config/effort", "low", true);
    check(CHAT, RESPONSES, chat("none"), "/reasoning/effort", "none", false);
    check(CHAT, GEMINI, chat("minimal"), level, "MINIMAL", false);
    let gemini = json!({"generationConfig": {"thinkingConfig": {"thinkingLevel": "LOW"}}});
    check(GEMINI, ANTHROPIC, gemini, "/output_config/effort", "low", false);
}

/// A thinking budget becomes the effort of the other API: low below 8,192 tokens, medium below 24,576, high from there.
/// It is reported as adapted. An effort in the same request has precedence, and budgets that switch thinking off (0) or
/// leave it to the model (-1) are only dropped.
#[test]
fn a_thinking_budget_becomes_the_effort_of_the_other_api() {
    let converted = |from, to, fields: Value, pointer: &str| {
        let (body, dropped) = said(from, to, &fields).unwrap();
        assert_eq!(dropped, [Requirement::ThinkingControl], "{from} {to} {fields}");
        body.pointer(pointer).cloned()
    };
    let budget = |tokens: u64| json!({"max_tokens": 64_000, "thinking": {"type": "enabled", "budget_tokens": tokens}});
    let level = "/generationConfig/thinkingConfig/thinkingLevel";
    for (tokens, effort) in [
        (1_024, "low"),
        (8_191, "low"),
        (8_192, "medium"),
        (24_575, "medium"),
        (24_576, "high"),
        (31_999, "high"), // what Claude Code sends by default
    ] {
        assert_eq!(converted(ANTHROPIC, CHAT, budget(tokens), "/reasoning_effort"), Some(json!(effort)));
        assert_eq!(converted(ANTHROPIC, RESPONSES, budget(tokens), "/reasoning/effort"), Some(json!(effort)));
        assert_eq!(converted(ANTHROPIC, GEMINI, budget(tokens), level), Some(json!(effort.to_uppercase())));
        let gemini = json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": tokens}}});
        assert_eq!(converted(GEMINI, CHAT, gemini, "/reasoning_effort"), Some(json!(effort)));
    }
    let mut both = budget(1_024);
    both["output_config"] = json!({"effort": "high"});
    assert_eq!(converted(ANTHROPIC, CHAT, both, "/reasoning_effort"), Some(json!("high")));
    for unlimited in [-1, 0] {
        let gemini = json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": unlimited}}});
        assert_eq!(converted(GEMINI, CHAT, gemini, "/reasoning_effort"), None);
    }
    let adaptive = json!({"thinking": {"type": "adaptive"}});
    assert_eq!(converted(ANTHROPIC, CHAT, adaptive, "/reasoning_effort"), None);
}
