//! The requirements of requests of each API, whatever the order of the members.

use contracts::{
    Requirement::{
        self, AudioVideo, CacheControl, CustomTools, Documents, EarlierThinking, Effort, ExtraHighEffort, ManyAnswers,
        Native, NoThinking, RemoteImages, ResultWithoutCall, RunningThinking, Sampling, ServerTools, StoredAnswers,
        ThinkingBudget, ThinkingControl, ToolImages,
    },
    WireApi,
};
use serde_json::{Value, json};
use wire::inspect;

/// Returns the body of a minimal request whose fields are extended or replaced by `fields`.
fn body(api: WireApi, fields: &Value) -> String {
    let mut body = match api {
        WireApi::AnthropicMessages | WireApi::OpenAiChat => json!({"messages": [{"role": "user", "content": "hi"}]}),
        WireApi::OpenAiResponses => json!({"input": "hi"}),
        WireApi::Gemini => json!({"contents": [{"parts": [{"text": "hi"}]}]}),
    };
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body.to_string()
}

/// Returns the features that a body requires, with some fields beside a message or instead of it.
fn requires(api: WireApi, fields: &Value) -> Vec<Requirement> {
    inspect(api, body(api, fields).as_bytes()).unwrap().requires.into_iter().collect()
}

#[test]
fn a_web_search_that_the_provider_runs_is_found_in_every_api() {
    let offered = |api, fields: Value| inspect(api, body(api, &fields).as_bytes()).unwrap().web_search;
    let searches = [
        (WireApi::AnthropicMessages, json!({"tools": [{"type": "web_search_20250305", "name": "web_search"}]})),
        (WireApi::OpenAiResponses, json!({"tools": [{"type": "web_search_preview"}]})),
        (WireApi::OpenAiChat, json!({"web_search_options": {}})),
        (WireApi::Gemini, json!({"tools": [{"googleSearch": {}}]})),
        (WireApi::Gemini, json!({"tools": [{"google_search": {}}]})),
    ];
    for (api, fields) in searches {
        assert!(offered(api, fields.clone()), "{fields}");
    }
    let others = [
        (WireApi::AnthropicMessages, json!({"tools": [{"name": "WebSearch", "input_schema": {"type": "object"}}]})),
        (WireApi::AnthropicMessages, json!({"tools": [{"type": "code_execution_20250522", "name": "code"}]})),
        (WireApi::OpenAiResponses, json!({"tools": [{"type": "function", "name": "web_search", "parameters": {}}]})),
        (WireApi::OpenAiChat, json!({"web_search_options": null})),
        (WireApi::Gemini, json!({"tools": [{"codeExecution": {}}]})),
    ];
    for (api, fields) in others {
        assert!(!offered(api, fields.clone()), "{fields}");
    }
}

#[test]
fn what_messages_require() {
    let anthropic = |fields: Value| requires(WireApi::AnthropicMessages, &fields);
    assert_eq!(anthropic(json!({"thinking": {"type": "disabled"}, "temperature": 1, "top_k": null})), []);
    assert_eq!(
        anthropic(json!({"thinking": {"budget_tokens": 9, "type": "enabled"}})),
        [ThinkingControl, ThinkingBudget]
    );
    assert_eq!(anthropic(json!({"top_k": 5, "speed": "fast"})), [Native, Sampling]);
    let search = json!({"max_uses": 3, "type": "web_search_20250305", "name": "web_search"});
    assert_eq!(anthropic(json!({"tools": [search]})), [ServerTools]);
    assert_eq!(anthropic(json!({"tools": [{"type": "custom", "name": "f", "input_schema": {}, "odd": 1}]})), [Native]);
    let inside = |block: Value| anthropic(json!({"messages": [{"content": [block], "role": "user"}]}));
    assert_eq!(
        inside(json!({"source": {"url": "https://x.org/a.png", "type": "url"}, "type": "image"})),
        [RemoteImages]
    );
    assert_eq!(inside(json!({"type": "document", "source": {"type": "text", "data": "x"}})), [Documents]);
    assert_eq!(inside(json!({"type": "text", "text": "x", "cache_control": null, "citations": []})), []);
    assert_eq!(inside(json!({"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}})), [CacheControl]);
    let image = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}});
    assert_eq!(
        inside(json!({"type": "tool_result", "tool_use_id": "t", "content": [image]})),
        [ToolImages, ResultWithoutCall]
    );
}

#[test]
fn what_chat_completions_require() {
    let chat = |fields: Value| requires(WireApi::OpenAiChat, &fields);
    let plain = json!({"n": 1, "store": false, "logprobs": false, "logit_bias": {}, "frequency_penalty": 0.0,
        "service_tier": "auto", "user": "u", "modalities": ["text"], "stream_options": {"include_usage": true}});
    assert_eq!(chat(plain), []);
    assert_eq!(chat(json!({"n": 2, "seed": 7, "store": true})), [Sampling, StoredAnswers, ManyAnswers]);
    assert_eq!(chat(json!({"audio": {"voice": "x"}, "modalities": ["text", "audio"]})), [AudioVideo]);
    assert_eq!(chat(json!({"tools": [{"custom": {"name": "p"}, "type": "custom"}]})), [CustomTools]);
}

#[test]
fn what_responses_require() {
    let responses = |fields: Value| requires(WireApi::OpenAiResponses, &fields);
    assert_eq!(responses(json!({"store": false, "truncation": "disabled", "text": {"verbosity": "medium"}})), []);
    assert_eq!(responses(json!({"previous_response_id": "resp_1"})), [StoredAnswers]);
    assert_eq!(
        responses(json!({"input": [
            {"role": "user", "content": "hi"},
            {"summary": [], "type": "reasoning", "encrypted_content": "x"},
        ]})),
        [EarlierThinking, RunningThinking]
    );
    assert_eq!(responses(json!({"input": [{"encrypted_content": "x", "type": "compaction"}]})), [Native]);
    let found = json!({"type": "tool_search_call", "arguments": {}, "execution": "client"});
    assert_eq!(responses(json!({"input": [found, {"role": "user", "content": "x"}]})), [ServerTools]);
}

#[test]
fn what_gemini_s_requests_require() {
    let gemini = |fields: Value| requires(WireApi::Gemini, &fields);
    let plain = json!({"temperature": 1, "topP": 0.9, "candidateCount": 1, "responseModalities": ["TEXT"]});
    assert_eq!(gemini(json!({"generationConfig": plain})), []);
    assert_eq!(
        gemini(json!({"generation_config": {"top_k": 5, "responseModalities": ["AUDIO"]}})),
        [AudioVideo, Sampling]
    );
    assert_eq!(gemini(json!({"safetySettings": []})), [Native]);
    assert_eq!(gemini(json!({"tools": [{"googleSearch": {}}]})), [ServerTools]);
    let part = |part: Value| gemini(json!({"contents": [{"parts": [part], "role": "user"}]}));
    assert_eq!(part(json!({"inlineData": {"data": "AA", "mimeType": "image/png"}})), []);
    assert_eq!(part(json!({"inline_data": {"data": "AA", "mime_type": "application/pdf"}})), [Documents]);
    assert_eq!(part(json!({"fileData": {"fileUri": "gs://x", "mimeType": "image/png"}})), [RemoteImages]);
    let signed = json!({"thoughtSignature": "eA", "functionCall": {"name": "f", "args": {}}});
    let called = [json!({"parts": [signed], "role": "model"}), json!({"parts": [{"text": "x"}], "role": "user"})];
    assert_eq!(gemini(json!({ "contents": called })), [EarlierThinking]);
    assert_eq!((part(json!({"text": "x", "odd": 1})), part(json!({"text": "x", "odd": null}))), (vec![Native], vec![]));
}

/// A reasoning effort requires [`Effort`]; an effort that switches thinking off does not.
#[test]
fn a_wish_how_hard_to_think_requires_a_model_that_takes_it_and_a_wish_for_no_thinking_does_not() {
    let anthropic = |fields: Value| requires(WireApi::AnthropicMessages, &fields);
    assert_eq!(anthropic(json!({"thinking": {"type": "adaptive"}})), [ThinkingControl, Effort]);
    assert_eq!(anthropic(json!({"output_config": {"effort": "high"}, "thinking": {"type": "disabled"}})), [Effort]);
    assert_eq!(anthropic(json!({"output_config": {"effort": null}})), []);
    let chat = |effort: Value| requires(WireApi::OpenAiChat, &json!({"reasoning_effort": effort}));
    assert_eq!(chat(json!("low")), [Effort]);
    let responses = |effort: Value| requires(WireApi::OpenAiResponses, &json!({"reasoning": {"effort": effort}}));
    assert_eq!(responses(json!("xhigh")), [Effort, ExtraHighEffort]);
    for (nothing, requires) in [(Value::Null, None), (json!("none"), Some(NoThinking)), (json!("off"), Some(Native))] {
        assert_eq!(chat(nothing.clone()), Vec::from_iter(requires), "{nothing}");
        assert_eq!(responses(nothing.clone()), Vec::from_iter(requires), "{nothing}");
    }
    let gemini =
        |thinking: Value| requires(WireApi::Gemini, &json!({"generationConfig": {"thinkingConfig": thinking}}));
    assert_eq!(gemini(json!({"thinkingLevel": "HIGH"})), [ThinkingControl, Effort]);
    assert_eq!(gemini(json!({"thinking_level": "low"})), [ThinkingControl, Effort]);
    assert_eq!(gemini(json!({"thinkingBudget": 9, "thinkingLevel": "THINKING_LEVEL_UNSPECIFIED"})), [ThinkingControl]);
}

/// Signed thinking after the user's last message belongs to the running turn and requires [`TurnSignatures`].
#[test]
fn signed_thinking_behind_what_the_user_wrote_last_is_the_running_turns() {
    let user = |text: &str| json!({"role": "user", "content": text});
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"});
    let calls =
        json!({"role": "assistant", "content": [thinking, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]});
    let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]});
    let anthropic = |messages: Value| requires(WireApi::AnthropicMessages, &json!({"messages": messages}));
    assert_eq!(anthropic(json!([user("one"), calls, result])), [EarlierThinking, RunningThinking]);
    assert_eq!(anthropic(json!([user("one"), calls, result, user("two")])), [EarlierThinking]);
    assert_eq!(
        anthropic(json!([user("one"), calls, result, user("two"), calls, result])),
        [EarlierThinking, RunningThinking]
    );
    let responses = |input: Value| requires(WireApi::OpenAiResponses, &json!({"input": input}));
    let reasoning = json!({"type": "reasoning", "summary": [], "encrypted_content": "x"});
    let call = json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"});
    let output = json!({"type": "function_call_output", "call_id": "c", "output": "ok"});
    assert_eq!(responses(json!([user("one"), reasoning, call, output])), [EarlierThinking, RunningThinking]);
    assert_eq!(responses(json!([user("one"), reasoning, call, output, user("two")])), [EarlierThinking]);
}
