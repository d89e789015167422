//! Generates a value that matches a JSON schema.

use serde_json::{Map, Value, json};

/// The deepest nesting of a value, which limits schemas that refer to themselves.
const DEEPEST: usize = 16;

/// Returns a small value that matches; Gemini's capitalised type names are accepted.
pub(crate) fn fitting(schema: &Value) -> Value {
    value(schema, schema, DEEPEST)
}

fn value(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|name| root.pointer(name.trim_start_matches('#'))) {
        return value(target, root, depth);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema[choice].get(0) {
            return value(first, root, depth);
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0).and_then(Value::as_str)).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => json!("Made up for a test"),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" => {
            let least = schema["minItems"].as_u64().unwrap_or(0).min(16);
            (0..least).map(|_| value(&schema["items"], root, depth)).collect()
        }
        _ => {
            let properties = schema["properties"].as_object();
            let of = |(name, schema): (&String, &Value)| (name.clone(), value(schema, root, depth));
            Value::Object(properties.map(|all| all.iter().map(of).collect::<Map<_, _>>()).unwrap_or_default())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_what_its_schema_asks_for() {
        let schema = json!({
            "type": "object",
            "$defs": {"level": {"enum": ["low", "high"]}},
            "properties": {
                "title": {"type": "string"},
                "level": {"$ref": "#/$defs/level"},
                "score": {"type": "INTEGER", "minimum": 3},
                "tags": {"type": "array", "minItems": 1, "items": {"type": "boolean"}},
                "maybe": {"anyOf": [{"type": "null"}, {"type": "string"}]},
            },
        });
        let expected =
            json!({"title": "Made up for a test", "level": "low", "score": 3, "tags": [true], "maybe": null});
        assert_eq!(fitting(&schema), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        assert!(fitting(&schema)["child"].is_object());
    }
}
