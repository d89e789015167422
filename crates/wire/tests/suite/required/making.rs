//! Strategies for random requests: objects with optional members, lists, and values to choose from. The first value of
//! a list of choices is the most probable.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A member of an object: its name, its probability in percent, and the strategy of its value.
pub(crate) type Member = (&'static str, u32, BoxedStrategy<Value>);

/// Generates an object with these members. Optional members under 50 percent have half of their probability, so that
/// most requests have few of them.
pub(crate) fn object(members: Vec<Member>) -> BoxedStrategy<Value> {
    let members: Vec<_> = members
        .into_iter()
        .map(|(name, percent, value)| {
            // Half the probability for optional members, so that a request has few of them. A draw of 0 omits the
            // member, so that shrinking a failure removes members first.
            let percent = if percent < 50 { percent.div_ceil(2) } else { percent };
            let drawn = (0..100_u32, value);
            drawn.prop_map(move |(draw, value)| (100 <= draw + percent).then(|| (name.to_owned(), value))).boxed()
        })
        .collect();
    members.prop_map(|members| Value::Object(members.into_iter().flatten().collect::<Map<_, _>>())).boxed()
}

/// Generates one of the values in a JSON list, mostly the first.
pub(crate) fn one_of(values: Value) -> BoxedStrategy<Value> {
    match values {
        Value::Array(values) => {
            let first = values.first().cloned().unwrap_or_default();
            prop_oneof![9 => Just(first), 1 => prop::sample::select(values)].boxed()
        }
        value => Just(value).boxed(),
    }
}

/// Generates a list of at most `most` elements.
pub(crate) fn list(of: BoxedStrategy<Value>, most: usize) -> BoxedStrategy<Value> {
    prop::collection::vec(of, 0..=most).prop_map(Value::from).boxed()
}

/// Generates a value of one of these strategies.
pub(crate) fn any_of(strategies: Vec<BoxedStrategy<Value>>) -> BoxedStrategy<Value> {
    prop::strategy::Union::new(strategies).boxed()
}

/// Generates always the same value.
pub(crate) fn fixed(value: Value) -> BoxedStrategy<Value> {
    Just(value).boxed()
}

/// Generates a text: typed, blank, injected or with characters outside ASCII.
pub(crate) fn text() -> BoxedStrategy<Value> {
    one_of(json!(["hi", "do it", "", " ", "\n", "x-anthropic-billing-header: a=b;", "é🦀"]))
}

/// Generates a tool name; some are not accepted by every API.
pub(crate) fn name() -> BoxedStrategy<Value> {
    let long = |count: usize| "n".repeat(count);
    one_of(json!(["f", "g", "read_file", "mcp.read", "a:b", "no good", "", long(64), long(65), long(129)]))
}

/// Generates an id of a call. There are few, so that calls and results often match.
pub(crate) fn id() -> BoxedStrategy<Value> {
    one_of(json!(["c1", "c2", "c|3"]))
}

/// Generates a JSON schema in the dialect of `OpenAI` or Google, or another value.
pub(crate) fn schema() -> BoxedStrategy<Value> {
    one_of(json!([
        {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false},
        {"type": "object", "properties": {"a": {"type": "INTEGER", "nullable": true}}},
        {}, true, null,
    ]))
}

/// Generates a temperature or probability; some exceed a limit.
pub(crate) fn portion() -> BoxedStrategy<Value> {
    one_of(json!([0.2, 0, 1, 1.0, 1.5, 2, null]))
}

/// Generates an output limit in tokens, or another count.
pub(crate) fn count() -> BoxedStrategy<Value> {
    one_of(json!([1, 16, 100_000, null, 0]))
}

/// Generates a list of up to six stop sequences.
pub(crate) fn stops() -> BoxedStrategy<Value> {
    list(one_of(json!(["END", "\n", "", "stop"])), 6)
}

/// Generates a reasoning effort; some are unknown.
pub(crate) fn effort() -> BoxedStrategy<Value> {
    one_of(json!(["high", "none", "minimal", "low", "medium", "xhigh", "max", "HIGH", "turbo", "", "off", null]))
}

/// Generates a boolean or null.
pub(crate) fn flag() -> BoxedStrategy<Value> {
    one_of(json!([true, false, null]))
}

/// Generates the arguments of a call as text; some are not a JSON object.
pub(crate) fn arguments() -> BoxedStrategy<Value> {
    one_of(json!([
        "{}",
        "{\"a\": 1}",
        "",
        " ",
        "null",
        "[1]",
        "{\"a\":",
        "7",
        "{\"a\": 123456789012345678901234}",
        "{\"a\": \"\\ud800\"}",
        "{\"a\": 1e999}",
    ]))
}

/// Generates a media type of images, documents or audio.
pub(crate) fn media_type() -> BoxedStrategy<Value> {
    one_of(json!(["image/png", "image/jpeg", "image/webp", "image/gif", "image/heic", "application/pdf", "audio/wav"]))
}

/// Generates a URL of an image: inline or remote.
pub(crate) fn image_url() -> BoxedStrategy<Value> {
    one_of(json!([
        "data:image/png;base64,AA==",
        "data:image/gif;base64,AA==",
        "data:image/bmp;base64,AA==",
        "data:image/svg+xml,<svg/>",
        "https://example.com/a.png",
    ]))
}

/// Generates a conversation: messages of the user, then calls and their results in an order that is often valid, and
/// other items.
pub(crate) fn conversation(
    user: Value,
    anything: BoxedStrategy<Value>,
    call: BoxedStrategy<Value>,
    result: BoxedStrategy<Value>,
) -> BoxedStrategy<Value> {
    let said = fixed(user);
    let called = (said.clone(), call, result).prop_map(|(said, call, result)| vec![said, call, result]);
    let pieces = prop_oneof![
        2 => said.prop_map(|said| vec![said]),
        2 => called,
        1 => prop::collection::vec(anything, 0..3),
    ];
    prop::collection::vec(pieces, 0..4).prop_map(|pieces| Value::from(pieces.concat())).boxed()
}
