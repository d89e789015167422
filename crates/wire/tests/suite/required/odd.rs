//! Damages requests: replaces, adds, removes or moves values.

use proptest::prelude::*;
use serde_json::{Value, json};

/// Names of members in requests of the APIs.
const NAMES: &[&str] = &[
    "type",
    "text",
    "role",
    "content",
    "name",
    "id",
    "call_id",
    "tool_use_id",
    "tool_call_id",
    "input",
    "output",
    "arguments",
    "function",
    "custom",
    "format",
    "schema",
    "strict",
    "description",
    "image_url",
    "source",
    "citations",
    "is_error",
    "cache_control",
    "thinking",
    "signature",
    "data",
    "caller",
    "detail",
    "file_id",
    "annotations",
    "logprobs",
    "reasoning",
    "reasoning_content",
    "refusal",
    "tool_calls",
    "function_call",
    "extra_content",
    "index",
    "summary",
    "encrypted_content",
    "status",
    "tools",
    "tool_choice",
    "effort",
    "verbosity",
    "metadata",
    "store",
    "n",
    "seed",
    "top_k",
    "stop",
    "parts",
    "thought",
    "thoughtSignature",
    "functionCall",
    "functionResponse",
    "inlineData",
    "fileData",
    "mimeType",
    "args",
    "response",
    "parameters",
    "defer_loading",
    "allowed_callers",
    "service_tier",
    "parallel_tool_calls",
    "response_format",
    "thinkingConfig",
    "mode",
    "new_field",
    "title",
    "filename",
    "audio",
    "generationConfig",
    "generation_config",
    "inline_data",
    "thought_signature",
    "stop_sequences",
    "include",
];

/// Generates a value that is valid in few places.
fn odd_value() -> BoxedStrategy<Value> {
    let odd = json!([
        null, true, false, 0, -1, 7, 1.5, 1e300, 12_345_678_901_234_567_890_u64, "", " ", "x", "none", "user", "model", "text",
        "assistant", "tool", "system", "function", "custom", "image", "tool_result", "tool_use", "thinking", "message",
        "json_schema", "auto", "image/png", [], {}, [""], [7], [null], {"a": 1}, {"type": "text"},
        {"type": "text", "text": "x"}, {"type": "function"}, {"url": "x"}, [{"type": "text", "text": "x"}], [[]], [{}],
    ]);
    let Value::Array(odd) = odd else { return Just(Value::Null).boxed() };
    prop::sample::select(odd).boxed()
}

/// A change of a request. Each index selects a value of the request.
#[derive(Debug, Clone)]
enum Damage {
    /// Replaces a value by another.
    Replaced(prop::sample::Index, Value),
    /// Adds a member or an element to a value.
    Added(prop::sample::Index, &'static str, Value),
    /// Removes a member or an element of a value.
    Removed(prop::sample::Index, prop::sample::Index),
    /// Replaces a value by a copy of another.
    Moved(prop::sample::Index, prop::sample::Index),
}

/// Generates a change that may make a request invalid.
fn damage() -> impl Strategy<Value = Damage> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), odd_value()).prop_map(|(at, value)| Damage::Replaced(at, value)),
        (index(), prop::sample::select(NAMES), odd_value())
            .prop_map(|(at, name, value)| Damage::Added(at, name, value)),
        (index(), index()).prop_map(|(at, which)| Damage::Removed(at, which)),
        (index(), index()).prop_map(|(from, to)| Damage::Moved(from, to)),
    ]
}

/// Generates the request, unchanged or with one or two damages.
pub(crate) fn perhaps(request: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    let damages = prop_oneof![2 => Just(Vec::new()), 3 => prop::collection::vec(damage(), 1..3)];
    (request, damages)
        .prop_map(|(mut request, damages)| {
            for damage in &damages {
                damage.done_to(&mut request);
            }
            request
        })
        .boxed()
}

impl Damage {
    /// Applies the damage to a request. Does nothing if the selected value has no members.
    fn done_to(&self, request: &mut Value) {
        let pointers = pointers(request, String::new());
        match self {
            Self::Replaced(at, value) => *request.pointer_mut(at.get::<String>(&pointers)).unwrap() = value.clone(),
            Self::Added(at, name, value) => match request.pointer_mut(at.get::<String>(&pointers)).unwrap() {
                Value::Object(members) => {
                    members.insert((*name).to_owned(), value.clone());
                }
                Value::Array(elements) => elements.push(value.clone()),
                _ => {}
            },
            Self::Removed(at, which) => match request.pointer_mut(at.get::<String>(&pointers)).unwrap() {
                Value::Object(members) if !members.is_empty() => {
                    let name = members.keys().nth(which.index(members.len())).unwrap().clone();
                    members.shift_remove(&name);
                }
                Value::Array(elements) if !elements.is_empty() => {
                    elements.remove(which.index(elements.len()));
                }
                _ => {}
            },
            Self::Moved(from, to) => {
                let value = request.pointer(from.get::<String>(&pointers)).unwrap().clone();
                *request.pointer_mut(to.get::<String>(&pointers)).unwrap() = value;
            }
        }
    }
}

/// Returns the JSON pointers to all values in a value, but not to the value itself unless it is empty. `base` is the
/// pointer to the value.
fn pointers(value: &Value, base: String) -> Vec<String> {
    let mut found = Vec::new();
    let members: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, member)| (name.clone(), member)).collect(),
        Value::Array(elements) => elements.iter().enumerate().map(|(index, it)| (index.to_string(), it)).collect(),
        _ => Vec::new(),
    };
    for (name, member) in members {
        found.extend(pointers(member, format!("{base}/{name}")));
    }
    if base.is_empty() && !found.is_empty() {
        return found;
    }
    found.push(base);
    found
}
