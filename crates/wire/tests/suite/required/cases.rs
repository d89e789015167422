//! Features that only one or two APIs have: the requirement of each, and the APIs to which it can be converted.

use std::collections::BTreeSet;

use contracts::{
    Requirement::{
        self, BlankStopSequences, BrokenArguments, DottedToolNames, EarlierThinking, Effort, ExactBytes,
        ExtraHighEffort, FiveStopSequences, GifImages, HighTemperature, LongToolNames, MaxEffort, MinimalEffort,
        Native, NoThinking, OtherImages, ResultWithoutCall, SixStopSequences, StopSequences, StoredImages, SystemAlone,
        TemperatureAndTopP, ThinkingControl,
    },
    WireApi::{self, AnthropicMessages as Messages, Gemini, OpenAiChat as Chat, OpenAiResponses as Responses},
};
use serde_json::{Value, json};
use wire::inspect;

use super::Asked;

/// A request, its requirements, and the other APIs that support all of them.
struct Case {
    /// The API of the request.
    api: WireApi,
    /// The body as JSON text.
    body: String,
    /// The expected requirements.
    requires: Vec<Requirement>,
    /// The other APIs that support the request.
    goes_to: Vec<WireApi>,
}

impl Case {
    /// Checks requirements, validation and conversion, with no feature allowed to be dropped.
    #[track_caller]
    fn check(&self) {
        let requires = inspect(self.api, self.body.as_bytes()).unwrap().requires;
        let expected: BTreeSet<_> = self.requires.iter().copied().collect();
        assert_eq!(requires, expected, "{}", self.body);
        let asked = Asked { may_drop: BTreeSet::new(), accepts_effort: true, newer_chat: true };
        for to in WireApi::ALL.into_iter().filter(|to| *to != self.api) {
            let goes = self.goes_to.contains(&to);
            assert_eq!(asked.validate(&requires, self.api, to).is_ok(), goes, "{} to {to}", self.body);
            let converted = asked.converted(self.api, to, &self.body);
            assert_eq!(converted.is_ok(), goes, "{} to {to}: {converted:?}", self.body);
        }
    }
}

/// Returns a minimal request whose fields are extended or replaced by `fields`, as JSON text.
fn body(api: WireApi, fields: &Value) -> String {
    let mut body = match api {
        Messages | Chat => json!({"messages": [{"role": "user", "content": "hi"}]}),
        Responses => json!({"input": "hi"}),
        Gemini => json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
    };
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body.to_string()
}

/// Checks a minimal request with these fields.
#[track_caller]
fn check(api: WireApi, fields: &Value, requires: &[Requirement], goes_to: &[WireApi]) {
    Case { api, body: body(api, fields), requires: requires.to_vec(), goes_to: goes_to.to_vec() }.check();
}

/// Stop sequences are converted if the other API accepts their number and they are not blank where that matters.
#[test]
fn texts_to_stop_at_go_where_there_is_room_for_them() {
    let stops = |stops: Value| json!({ "stop_sequences": stops });
    check(Messages, &stops(json!([])), &[], &[Chat, Responses, Gemini]);
    check(Messages, &stops(json!(vec!["a"; 4])), &[StopSequences], &[Chat, Gemini]);
    check(Messages, &stops(json!(vec!["a"; 5])), &[StopSequences, FiveStopSequences], &[Gemini]);
    check(Messages, &stops(json!(vec!["a"; 6])), &[StopSequences, FiveStopSequences, SixStopSequences], &[]);
    check(Chat, &json!({"stop": "\n"}), &[StopSequences, BlankStopSequences], &[Gemini]);
    check(Chat, &json!({"stop": ["END", ""]}), &[StopSequences, BlankStopSequences], &[Gemini]);
    check(Chat, &json!({"stop": "END"}), &[StopSequences], &[Messages, Gemini]);
    check(Chat, &json!({"stop": 7}), &[Native], &[]);
}

#[test]
fn sampling_that_anthropic_s_api_does_not_take_goes_elsewhere() {
    check(Chat, &json!({"temperature": 1.5}), &[HighTemperature], &[Responses, Gemini]);
    check(Chat, &json!({"temperature": 0.5, "top_p": 0.9}), &[TemperatureAndTopP], &[Responses, Gemini]);
    check(Responses, &json!({"temperature": 1, "top_p": 0.9}), &[], &[Messages, Chat, Gemini]);
    let warm = json!({"generationConfig": {"temperature": 0.5, "topP": 0.5}});
    check(Gemini, &warm, &[TemperatureAndTopP], &[Chat, Responses]);
    check(Chat, &json!({"temperature": "0.5"}), &[Native], &[]);
}

#[test]
fn words_for_how_hard_to_think_go_where_they_are_known() {
    let chat = |effort: &str| json!({ "reasoning_effort": effort });
    check(Chat, &chat("none"), &[NoThinking], &[Responses]);
    check(Chat, &chat("minimal"), &[Effort, MinimalEffort], &[Responses, Gemini]);
    check(Chat, &chat("low"), &[Effort], &[Messages, Responses, Gemini]);
    check(Chat, &chat("xhigh"), &[Effort, ExtraHighEffort], &[Messages, Responses]);
    check(Chat, &chat("max"), &[Effort, MaxEffort], &[Messages]);
    check(Chat, &chat("turbo"), &[Effort, Native], &[]);
    let messages = |effort: &str| json!({"output_config": {"effort": effort}});
    check(Messages, &messages("max"), &[Effort, MaxEffort], &[]);
    check(Messages, &messages("xhigh"), &[Effort, ExtraHighEffort], &[Chat, Responses]);
}

#[test]
fn a_budget_and_shown_thoughts_may_be_dropped_together() {
    let body =
        body(Gemini, &json!({"generationConfig": {"thinkingConfig": {"thinkingBudget": 9, "includeThoughts": true}}}));
    let asked = Asked { may_drop: BTreeSet::from([ThinkingControl]), accepts_effort: true, newer_chat: true };
    for to in [Messages, Chat, Responses] {
        assert_eq!(asked.converted(Gemini, to, &body), Ok(BTreeSet::from([ThinkingControl])));
    }
}

#[test]
fn names_of_tools_go_where_they_are_allowed() {
    let tools = |name: &str| json!({"tools": [{"type": "function", "function": {"name": name}}]});
    check(Chat, &tools(&"n".repeat(64)), &[], &[Messages, Responses, Gemini]);
    check(Chat, &tools(&"n".repeat(65)), &[LongToolNames], &[Messages, Gemini]);
    check(Chat, &tools(&"n".repeat(129)), &[LongToolNames, Native], &[]);
    check(Chat, &tools("mcp.read"), &[DottedToolNames], &[Gemini]);
    check(Chat, &tools("no good"), &[Native], &[]);
    let declared = json!({"tools": [{"functionDeclarations": [{"name": "mcp:read"}]}]});
    check(Gemini, &declared, &[DottedToolNames], &[]);
}

#[test]
fn choices_of_a_tool_that_only_one_api_has_stay_there() {
    check(Chat, &json!({"tool_choice": {"type": "allowed_tools", "allowed_tools": {}}}), &[Native], &[]);
    check(Responses, &json!({"tool_choice": {"type": "file_search"}}), &[Native], &[]);
    let config = |calling: Value| json!({"toolConfig": {"functionCallingConfig": calling}});
    check(Gemini, &config(json!({"mode": "VALIDATED"})), &[Native], &[]);
    check(Gemini, &config(json!({"mode": "ANY", "allowedFunctionNames": ["f", "g"]})), &[Native], &[]);
    check(Gemini, &config(json!({"mode": "ANY", "allowedFunctionNames": ["f"]})), &[], &[Messages, Chat, Responses]);
}

/// Returns the fields of a chat completions request with a tool call that has these arguments.
fn chat_call(arguments: &str) -> Value {
    let call = json!({"id": "c", "type": "function", "function": {"name": "f", "arguments": arguments}});
    json!({"messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": null, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "ok"},
    ]})
}

#[test]
fn arguments_that_are_no_object_go_where_arguments_are_text() {
    for arguments in ["{\"a\": 1}", "", "null"] {
        check(Chat, &chat_call(arguments), &[], &[Messages, Responses, Gemini]);
    }
    for arguments in ["{\"a\":", "[1]", "{\"a\": 123456789012345678901234}", "{\"a\": \"\\ud800\"}"] {
        check(Chat, &chat_call(arguments), &[BrokenArguments], &[Responses]);
    }
}

/// A tool result without its call is converted to the APIs that accept it.
#[test]
fn a_result_whose_call_is_gone_goes_where_nobody_looks_for_it() {
    let orphan = json!({"messages": [
        {"role": "user", "content": "hi"},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]},
    ]});
    check(Messages, &orphan, &[ResultWithoutCall], &[Chat, Responses]);
    let response = json!({"functionResponse": {"name": "f", "response": {"output": "ok"}}});
    check(Gemini, &json!({"contents": [{"role": "user", "parts": [response]}]}), &[ResultWithoutCall], &[]);
}

#[test]
fn images_go_where_their_kind_is_seen() {
    let image = |url: &str| {
        let part = json!({"type": "image_url", "image_url": {"url": url}});
        json!({"messages": [{"role": "user", "content": [part]}]})
    };
    check(Chat, &image("data:image/png;base64,AA=="), &[], &[Messages, Responses, Gemini]);
    check(Chat, &image("data:image/gif;base64,AA=="), &[GifImages], &[Messages, Responses]);
    check(Chat, &image("data:image/bmp;base64,AA=="), &[OtherImages], &[Responses]);
    check(Chat, &image("data:image/svg+xml,<svg/>"), &[OtherImages], &[Responses]);
    let stored = json!({"input": [{"role": "user", "content": [{"type": "input_image", "file_id": "file_1"}]}]});
    check(Responses, &stored, &[StoredImages], &[]);
    let seen = |role: &str| {
        let part = json!({"type": "input_image", "image_url": "data:image/png;base64,AA=="});
        json!({"input": [{"role": role, "content": [part]}, {"role": "user", "content": "hi"}]})
    };
    check(Responses, &seen("user"), &[], &[Messages, Chat, Gemini]);
    // It would be lost in a system prompt.
    check(Responses, &seen("developer"), &[Native], &[]);
}

#[test]
fn an_image_that_a_function_of_google_s_shows_is_shown() {
    let shown = json!({"inlineData": {"mimeType": "image/png", "data": "AA=="}});
    let response = json!({"name": "f", "response": {"output": "ok"}, "parts": [shown]});
    let contents = json!([
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": response}]},
    ]);
    check(Gemini, &json!({"contents": contents}), &[Requirement::ToolImages], &[Messages, Responses]);
}

/// Requests with values that parsing does not preserve are not converted.
#[test]
fn what_values_cannot_hold_only_the_very_bytes_say() {
    let half = r#"{"messages":[{"role":"user","content":"a\ud800b"}]}"#;
    let long = r#"{"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"maximum":123456789012345678901234}}}]}"#;
    let deep = format!(
        r#"{{"messages":[{{"role":"user","content":"hi"}}],"tools":[{{"type":"function","function":{{"name":"f","parameters":{}{}}}}}]}}"#,
        "[".repeat(126),
        "]".repeat(126)
    );
    for body in [half, long, &deep] {
        Case { api: Chat, body: body.to_owned(), requires: vec![ExactBytes], goes_to: Vec::new() }.check();
    }
    let whole = r#"{"messages":[{"role":"user","content":"a\ud83e\udd80b"}],"max_tokens":18446744073709551615}"#;
    let goes_to = vec![Messages, Responses, Gemini];
    Case { api: Chat, body: whole.to_owned(), requires: Vec::new(), goes_to }.check();
}

#[test]
fn a_request_without_a_conversation_goes_nowhere_else() {
    check(Chat, &json!({"messages": [{"role": "system", "content": "Be brief."}]}), &[SystemAlone], &[]);
    check(Chat, &json!({"messages": [{"role": "user", "content": " \n"}]}), &[SystemAlone], &[]);
    check(Gemini, &json!({"contents": []}), &[SystemAlone], &[]);
}

#[test]
fn members_and_values_of_another_shape_are_native() {
    let choice = |choice: Value| json!({ "tool_choice": choice });
    check(Messages, &choice(json!({"type": "auto", "new_field": 1})), &[Native], &[]);
    check(Messages, &json!({"thinking": {"type": "new"}}), &[Native, ThinkingControl], &[]);
    check(Messages, &json!({"max_tokens": 5.5}), &[Native], &[]);
    check(
        Messages,
        &json!({"messages": [{"role": "user", "content": [{"type": "text", "text": "x", "source": {}}]}]}),
        &[Native],
        &[],
    );
    check(Chat, &json!({"response_format": {"type": "json_schema"}}), &[Native], &[]);
    check(Chat, &json!({"parallel_tool_calls": "no"}), &[Native], &[]);
    check(Responses, &json!({"instructions": ["Be brief."]}), &[Native], &[]);
    check(Responses, &json!({"text": "short"}), &[Native], &[]);
    check(Gemini, &json!({"generationConfig": {"responseSchema": {"type": "STRING"}}}), &[Native], &[]);
}

/// Empty thinking requires nothing, and a signature of a compatible server may be dropped.
#[test]
fn empty_thinking_of_a_compatible_server_says_nothing_and_its_signature_may_be_dropped() {
    let answer = |extra: Value| {
        let function = json!({"name": "f", "arguments": "{}"});
        let call = json!({"id": "c", "type": "function", "function": function, "extra_content": extra});
        json!({"messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": null, "reasoning_content": "", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "ok"},
        ]})
    };
    check(Chat, &answer(Value::Null), &[], &[Messages, Responses, Gemini]);
    let signed = body(Chat, &answer(json!({"google": {"thought_signature": "x"}})));
    let asked = Asked { may_drop: BTreeSet::from([EarlierThinking]), accepts_effort: true, newer_chat: true };
    assert_eq!(asked.converted(Chat, Messages, &signed), Ok(BTreeSet::from([EarlierThinking])));
}
