//! Generates example values for JSON schemas.

use serde_json::{Map, Value, json};

/// The maximum nesting depth of a value, so that schemas that refer to themselves end.
const MAX_DEPTH: usize = 16;

/// Generates a small JSON value that matches a JSON schema. Type names may be in capitals, as in Gemini. Of
/// alternatives, the first one is used; an unknown type becomes an object.
pub(crate) fn example_value(schema: &Value) -> Value {
    build_value(schema, schema, MAX_DEPTH)
}

/// Generates a JSON value for `schema`, a subschema of `root`, to which its references refer. `depth` is the remaining
/// nesting depth; at 0 the value is null.
fn build_value(schema: &Value, root: &Value, depth: usize) -> Value {
    let Some(depth) = depth.checked_sub(1) else {
        return Value::Null;
    };
    if let Some(constant) = schema.get("const") {
        return constant.clone();
    }
    if let Some(first_value) = schema["enum"].get(0) {
        return first_value.clone();
    }
    if let Some(target) = schema["$ref"].as_str().and_then(|name| root.pointer(name.trim_start_matches('#'))) {
        return build_value(target, root, depth);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        if let Some(first_value) = schema[choice].get(0) {
            return build_value(first_value, root, depth);
        }
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"].get(0).and_then(Value::as_str)).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => json!("Made up for a test"),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| json!(1)),
        "boolean" => json!(true),
        "null" => Value::Null,
        "array" => {
            let min_items = schema["minItems"].as_u64().unwrap_or(0).min(16);
            (0..min_items).map(|_| build_value(&schema["items"], root, depth)).collect()
        }
        _ => {
            let properties = schema["properties"].as_object();
            let build_property = |(name, schema): (&String, &Value)| (name.clone(), build_value(schema, root, depth));
            Value::Object(
                properties
                    .map(|properties| properties.iter().map(build_property).collect::<Map<_, _>>())
                    .unwrap_or_default(),
            )
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
        assert_eq!(example_value(&schema), expected);
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"type": "object", "properties": {"child": {"$ref": "#"}}});
        assert!(example_value(&schema)["child"].is_object());
    }
}
