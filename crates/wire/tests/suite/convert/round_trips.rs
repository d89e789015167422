//! Random Messages requests are the same after a conversion to another API and back.

use contracts::WireApi;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::requests::converted;

/// Generates a text block that is not blank.
fn text() -> impl Strategy<Value = Value> {
    "[a-zé\"\\\\\n{}]{1,12}"
        .prop_filter("not blank", |text| !text.trim().is_empty())
        .prop_map(|text| json!({"type": "text", "text": text}))
}

/// Generates an inline image block.
fn image() -> impl Strategy<Value = Value> {
    "[A-Za-z0-9]{4}".prop_map(
        |data| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}),
    )
}

/// Generates the arguments of a call.
fn input() -> impl Strategy<Value = Value> {
    prop::collection::btree_map(
        "[a-z]{1,4}",
        prop_oneof![any::<i64>().prop_map(Value::from), Just(json!([null, "a"]))],
        0..3,
    )
    .prop_map(|map| json!(map))
}

/// The blocks of a user message, the text of the model, and the name, arguments and result of each tool call.
type Exchange = (Vec<Value>, Option<Value>, Vec<(String, Value, Value)>);

/// Generates an exchange: a user message, the text of the model, and its tool calls with their results.
fn exchange() -> impl Strategy<Value = Exchange> {
    let user = prop::collection::vec(prop_oneof![3 => text(), 1 => image()], 1..3);
    let call = ("[a-z]{1,3}", input(), text());
    (user, prop::option::of(text()), prop::collection::vec(call, 0..3))
}

/// Generates a request to Messages in the form in which the conversion writes it.
fn request() -> impl Strategy<Value = Value> {
    let settings = (prop::option::of(0_u8..=10), prop::option::of(text()), 0..5_u8, any::<bool>());
    (prop::collection::vec(exchange(), 1..4), settings).prop_map(|(exchanges, (tenths, system, choice, schema))| {
        let (mut messages, mut calls) = (Vec::<Value>::new(), 0);
        let mut say = |role: &str, mut blocks: Vec<Value>| match messages.last_mut() {
            Some(last) if last["role"] == role => last["content"].as_array_mut().unwrap().append(&mut blocks),
            _ => messages.push(json!({"role": role, "content": blocks})),
        };
        for (user, said, called) in exchanges {
            say("user", user);
            let mut model: Vec<Value> = said.into_iter().collect();
            let mut results = Vec::new();
            for (name, input, result) in called {
                let id = format!("call_{calls}");
                calls += 1;
                model.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
                results.push(json!({"type": "tool_result", "tool_use_id": id, "content": [result]}));
            }
            if !model.is_empty() {
                say("assistant", model);
                say("user", if results.is_empty() { vec![json!({"type": "text", "text": "Go on."})] } else { results });
            }
        }
        let schema_of = json!({
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false,
        });
        let mut body = json!({
            "model": "upstream-model", "max_tokens": 100, "stream": true, "messages": messages,
            "tools": [{"name": "f", "description": "Does.", "input_schema": schema_of}],
        });
        if let Some(tenths) = tenths {
            body["temperature"] = json!(f64::from(tenths) / 10.0);
        }
        if let Some(system) = system {
            body["system"] = json!([system]);
        }
        match choice {
            0 => {}
            1 => body["tool_choice"] = json!({"type": "auto"}),
            2 => body["tool_choice"] = json!({"type": "any"}),
            3 => body["tool_choice"] = json!({"type": "none"}),
            _ => body["tool_choice"] = json!({"type": "tool", "name": "f"}),
        }
        if schema {
            let format = json!({"type": "json_schema", "schema": schema_of});
            body["output_config"] = json!({"effort": "medium", "format": format});
        }
        body
    })
}

/// Returns the body with its call ids replaced by their order, since not every API has ids.
fn by_order(body: &Value) -> Value {
    let mut names = Vec::<Value>::new();
    let mut body = body.clone();
    for message in body["messages"].as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            for field in ["id", "tool_use_id"] {
                let Some(id) = block.get_mut(field) else { continue };
                let place = names.iter().position(|name| name == id).unwrap_or_else(|| {
                    names.push(id.clone());
                    names.len() - 1
                });
                *id = json!(place);
            }
        }
    }
    body
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_request_said_in_another_api_and_back_is_the_same(body in request()) {
        let here = WireApi::AnthropicMessages;
        for there in [WireApi::OpenAiChat, WireApi::OpenAiResponses, WireApi::Gemini] {
            let (said, dropped) = converted(here, there, &body).unwrap();
            prop_assert_eq!(dropped, []);
            let (back, dropped) = converted(there, here, &said).unwrap();
            prop_assert_eq!(dropped, []);
            prop_assert_eq!(by_order(&back), by_order(&body), "{}", said);
        }
    }

    #[test]
    fn the_way_through_a_third_api_changes_nothing(body in request()) {
        let here = WireApi::AnthropicMessages;
        let through = [WireApi::OpenAiChat, WireApi::OpenAiResponses];
        for (first, last) in [(through[0], through[1]), (through[1], through[0])] {
            let (direct, _) = converted(here, last, &body).unwrap();
            let (there, _) = converted(here, first, &body).unwrap();
            let (said, _) = converted(first, last, &there).unwrap();
            prop_assert_eq!(said, direct);
        }
    }
}
