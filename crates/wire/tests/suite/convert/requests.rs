//! Converted requests: snapshots of complete requests, and the adaptations to the provider and the model.

use std::collections::BTreeSet;

use contracts::{Requirement, WireApi};
use serde_json::{Value, json};
use wire::{ConversionOptions, ConvertError, ConvertedRequest, convert_request};

use super::bodies::body;

/// Converts a request, with all adaptable features allowed to be dropped. Returns the body and the dropped features.
pub(crate) fn converted(from: WireApi, to: WireApi, body: &Value) -> Result<(Value, Vec<Requirement>), ConvertError> {
    let may_drop = BTreeSet::from(Requirement::ADAPTABLE);
    let conversion = ConversionOptions {
        from,
        to,
        model: "upstream-model",
        stream: true,
        may_drop: &may_drop,
        max_output: 50_000,
        accepts_effort: true,
        newer_chat: true,
    };
    let ConvertedRequest { body, dropped } = convert_request(&conversion, body.to_string().as_bytes())?;
    Ok((serde_json::from_slice(&body).unwrap(), dropped.into_iter().collect()))
}

/// A request of an agent is converted from each API to every other one.
#[test]
fn what_agents_send_is_said_in_every_other_api() {
    for (from, to) in WireApi::ALL.into_iter().flat_map(|from| WireApi::ALL.map(|to| (from, to))) {
        if from == to {
            continue;
        }
        let mut body = body(from);
        if (from, to) == (WireApi::OpenAiChat, WireApi::OpenAiResponses) {
            body.as_object_mut().unwrap().remove("stop");
        }
        if (from, to) == (WireApi::Gemini, WireApi::OpenAiResponses) {
            body["generationConfig"].as_object_mut().unwrap().remove("stopSequences");
        }
        let (said, dropped) = converted(from, to, &body).unwrap_or_else(|error| panic!("{from} {to}: {error}"));
        insta::with_settings!({ snapshot_path => "snapshots", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_json_snapshot!(format!("{from}-to-{to}"), json!({"dropped": dropped, "body": said}));
        });
    }
}

#[test]
fn nothing_is_dropped_unless_it_may_be() {
    let from = WireApi::AnthropicMessages;
    let body = body(from).to_string();
    let mut may_drop = BTreeSet::new();
    let tried = |may_drop: &BTreeSet<Requirement>| {
        let to = WireApi::OpenAiChat;
        let conversion = ConversionOptions {
            from,
            to,
            model: "m",
            stream: true,
            may_drop,
            max_output: 0,
            accepts_effort: true,
            newer_chat: true,
        };
        convert_request(&conversion, body.as_bytes())
    };
    // Each error contains the feature that has to be allowed next.
    while let Err(error) = tried(&may_drop) {
        let ConvertError::Requires(requirement) = error else { panic!("{error}") };
        assert!(Requirement::ADAPTABLE.contains(&requirement));
        assert!(may_drop.insert(requirement), "{requirement} is refused although it may be dropped");
    }
    let needed = BTreeSet::from([
        Requirement::CacheControl,
        Requirement::ContextManagement,
        Requirement::EarlierThinking,
        Requirement::ThinkingControl,
    ]);
    assert_eq!(may_drop, needed);
    assert_eq!(tried(&may_drop).unwrap().dropped, needed);
}

/// An output limit above that of the model is reduced to it, and the API's minimum is respected.
#[test]
fn a_limit_beyond_the_models_is_the_models() {
    let check = |asked: Value, pointer: &str, to, expected: Option<u64>| {
        let mut body = json!({"messages": [{"role": "user", "content": "hi"}]});
        if !asked.is_null() {
            body["max_completion_tokens"] = asked;
        }
        let (said, _) = converted(WireApi::OpenAiChat, to, &body).unwrap();
        assert_eq!(said.pointer(pointer).and_then(Value::as_u64), expected);
    };
    check(json!(60_000), "/max_tokens", WireApi::AnthropicMessages, Some(50_000));
    check(json!(7), "/max_tokens", WireApi::AnthropicMessages, Some(7));
    check(Value::Null, "/max_tokens", WireApi::AnthropicMessages, Some(50_000));
    check(Value::Null, "/max_output_tokens", WireApi::OpenAiResponses, None);
    check(json!(1), "/max_output_tokens", WireApi::OpenAiResponses, Some(16));
    check(json!(60_000), "/generationConfig/maxOutputTokens", WireApi::Gemini, Some(50_000));
}

#[test]
fn a_system_message_in_the_middle_stays_there_or_becomes_a_message_of_the_user() {
    let messages = json!([
        {"role": "user", "content": "hi"},
        {"role": "system", "content": "Agents: none."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": "Go on."},
    ]);
    let body = json!({"model": "m", "max_tokens": 5, "messages": messages});
    let (chat, _) = converted(WireApi::AnthropicMessages, WireApi::OpenAiChat, &body).unwrap();
    assert_eq!(chat["messages"], messages);
    let (responses, _) = converted(WireApi::AnthropicMessages, WireApi::OpenAiResponses, &body).unwrap();
    assert_eq!(responses["input"][1]["role"], "developer");
    let (gemini, adapted) = converted(WireApi::AnthropicMessages, WireApi::Gemini, &body).unwrap();
    assert_eq!(adapted, [Requirement::MidConversationSystem]);
    assert_eq!(
        gemini["contents"],
        json!([
            {"role": "user", "parts": [{"text": "hi"}, {"text": "<system>\nAgents: none.\n</system>"}]},
            {"role": "model", "parts": [{"text": "Hello."}]},
            {"role": "user", "parts": [{"text": "Go on."}]},
        ])
    );
}

#[test]
fn a_system_message_behind_a_tool_call_follows_the_tool_s_result() {
    let call = json!({"id": "t1", "type": "function", "function": {"name": "look", "arguments": "{}"}});
    let body = json!({"model": "m", "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "system", "content": "Be brief."},
        {"role": "tool", "tool_call_id": "t1", "content": "seen"},
    ]});
    let (anthropic, adapted) = converted(WireApi::OpenAiChat, WireApi::AnthropicMessages, &body).unwrap();
    assert_eq!(adapted, [Requirement::MidConversationSystem]);
    let last = &anthropic["messages"][2];
    assert_eq!((last["role"].as_str(), last["content"].as_array().map(Vec::len)), (Some("user"), Some(2)));
    assert_eq!(last["content"][0]["type"], "tool_result", "{last}");
    assert_eq!(last["content"][1]["text"], "<system>\nBe brief.\n</system>");
}

#[test]
fn custom_tools_are_the_same_in_both_of_openais_apis() {
    let chat = json!({
        "model": "m",
        "tools": [
            {"type": "custom", "custom": {"name": "patch", "description": "Edits.", "format": {
                "type": "grammar", "grammar": {"syntax": "lark", "definition": "start: \"a\""},
            }}},
            {"type": "custom", "custom": {"name": "free"}},
        ],
        "tool_choice": {"type": "custom", "custom": {"name": "patch"}},
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "custom", "custom": {"name": "patch", "input": "{not json"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "done"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let (responses, _) = converted(WireApi::OpenAiChat, WireApi::OpenAiResponses, &chat).unwrap();
    assert_eq!(
        responses["input"][1],
        json!({
            "type": "custom_tool_call", "call_id": "call_1", "name": "patch", "input": "{not json",
        })
    );
    assert_eq!(responses["input"][2]["type"], "custom_tool_call_output");
    let (mut back, _) = converted(WireApi::OpenAiResponses, WireApi::OpenAiChat, &responses).unwrap();
    back["model"] = json!("m");
    // Compared as objects: their order does not matter.
    assert_eq!(back, chat);
    for to in [WireApi::AnthropicMessages, WireApi::Gemini] {
        let refused = converted(WireApi::OpenAiChat, to, &chat);
        assert_eq!(refused, Err(ConvertError::Requires(Requirement::CustomTools)));
    }
}

#[test]
fn images_in_results_go_where_results_may_hold_them() {
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw=="}});
    let body = json!({"model": "m", "max_tokens": 5, "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": [image]}]},
    ]});
    let (responses, _) = converted(WireApi::AnthropicMessages, WireApi::OpenAiResponses, &body).unwrap();
    assert_eq!(responses["input"][2]["output"][0]["image_url"], "data:image/png;base64,iVBORw==");
    let (back, _) = converted(WireApi::OpenAiResponses, WireApi::AnthropicMessages, &responses).unwrap();
    assert_eq!(back["messages"][2]["content"][0]["content"][0], image);
    for to in [WireApi::OpenAiChat, WireApi::Gemini] {
        let refused = converted(WireApi::AnthropicMessages, to, &body);
        assert_eq!(refused, Err(ConvertError::Requires(Requirement::ToolImages)));
    }
}

/// For a model that accepts no effort, the effort is removed and reported, or the request is rejected.
#[test]
fn a_model_that_takes_no_effort_is_told_of_none_and_the_effort_is_reported() {
    let (from, fields) = (WireApi::OpenAiChat, |effort: &str| {
        json!({"messages": [{"role": "user", "content": "hi"}], "reasoning_effort": effort}).to_string()
    });
    let nothing = json!({"messages": [{"role": "user", "content": "hi"}]}).to_string();
    for to in [WireApi::AnthropicMessages, WireApi::OpenAiResponses, WireApi::Gemini] {
        let may_drop = BTreeSet::from([Requirement::Effort]);
        let conversion = ConversionOptions {
            from,
            to,
            model: "m",
            stream: false,
            may_drop: &may_drop,
            max_output: 0,
            accepts_effort: false,
            newer_chat: true,
        };
        let converted = convert_request(&conversion, fields("high").as_bytes()).unwrap();
        assert_eq!(converted.dropped, may_drop, "{to}");
        assert_eq!(converted.body, convert_request(&conversion, nothing.as_bytes()).unwrap().body, "{to}");
        let strict = ConversionOptions { may_drop: &BTreeSet::new(), ..conversion };
        let refused = convert_request(&strict, fields("high").as_bytes());
        assert_eq!(refused, Err(ConvertError::Requires(Requirement::Effort)), "{to}");
        // A model without an effort does not think, except Google's.
        let none = convert_request(&strict, fields("none").as_bytes());
        assert_eq!(none.is_ok(), to != WireApi::Gemini, "{to}");
    }
}

/// A model that accepts no effort receives none in place of a thinking budget.
#[test]
fn a_thinking_budget_is_dropped_for_a_model_without_an_effort() {
    let body = json!({
        "max_tokens": 32_000,
        "messages": [{"role": "user", "content": "hi"}],
        "thinking": {"type": "enabled", "budget_tokens": 31_999},
    });
    let may_drop = BTreeSet::from([Requirement::ThinkingControl]);
    let conversion = ConversionOptions {
        from: WireApi::AnthropicMessages,
        to: WireApi::OpenAiChat,
        model: "m",
        stream: false,
        may_drop: &may_drop,
        max_output: 0,
        accepts_effort: false,
        newer_chat: true,
    };
    let converted = convert_request(&conversion, body.to_string().as_bytes()).unwrap();
    assert_eq!(converted.dropped, may_drop);
    let expected =
        json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_completion_tokens": 32_000});
    assert_eq!(serde_json::from_slice::<Value>(&converted.body).unwrap(), expected);
}

/// A provider of the older chat completions receives no newer field.
#[test]
fn a_provider_of_the_older_chat_completions_is_sent_no_newer_field() {
    let body = json!({"input": "hi", "max_output_tokens": 99, "prompt_cache_key": "k", "safety_identifier": "s"});
    let conversion = ConversionOptions {
        from: WireApi::OpenAiResponses,
        to: WireApi::OpenAiChat,
        model: "m",
        stream: true,
        may_drop: &BTreeSet::new(),
        max_output: 0,
        accepts_effort: true,
        newer_chat: false,
    };
    let said = convert_request(&conversion, body.to_string().as_bytes()).unwrap();
    let expected =
        json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 99, "stream": true});
    assert_eq!(serde_json::from_slice::<Value>(&said.body).unwrap(), expected);
    let newer =
        convert_request(&ConversionOptions { newer_chat: true, ..conversion }, body.to_string().as_bytes()).unwrap();
    let newer: Value = serde_json::from_slice(&newer.body).unwrap();
    assert_eq!((&newer["max_completion_tokens"], &newer["prompt_cache_key"]), (&json!(99), &json!("k")));
    assert_eq!(newer["stream_options"], json!({"include_usage": true}));
}
