//! Generates the JSON Schema of a policy file from the table of its keys.

use serde_json::{Map, Value, json};

use super::{
    key::{PolicyKey, ValueType},
    keys::{BUDGET, PREDICATE, ROOT, RULE},
};

/// Builds the JSON Schema of `routing.yaml`, which editors use for completion and validation.
pub const SCHEMA: fn() -> Value = policy_schema;

/// Formats the JSON Schema of a policy file as in the committed file `routing.schema.json`, with a final line feed.
pub fn schema_text() -> String {
    // Serialising a value that was built here cannot fail; an empty text would fail the check that compares the files.
    let mut text = serde_json::to_string_pretty(&policy_schema()).unwrap_or_default();
    text.push('\n');
    text
}

/// Builds the JSON Schema of a policy file.
fn policy_schema() -> Value {
    let mut root = mapping_schema(ROOT);
    if let Value::Object(root) = &mut root {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".to_owned(), json!("turnwise routing policy"));
        let predicate = object_schema(PREDICATE, |key| value_schema(key.value_type));
        root.insert(
            "$defs".to_owned(),
            json!({ "budget": mapping_schema(BUDGET), "predicate": predicate, "rule": mapping_schema(RULE) }),
        );
    }
    root
}

/// Builds the JSON Schema of a mapping with these keys. `null` is valid for optional keys, which the loader then omits;
/// conditions are the only mappings in which it does not.
fn mapping_schema(keys: &[PolicyKey]) -> Value {
    object_schema(keys, |key| {
        let value = value_schema(key.value_type);
        if key.is_required { value } else { nullable(value) }
    })
}

/// Builds the JSON Schema of an object with these keys. `schema_of` returns the schema of the value of a key.
fn object_schema(keys: &[PolicyKey], schema_of: impl Fn(&PolicyKey) -> Value) -> Value {
    let properties: Map<String, Value> = keys
        .iter()
        .map(|key| {
            let mut value = schema_of(key);
            if let Value::Object(value) = &mut value {
                value.insert("description".to_owned(), json!(key.about));
            }
            (key.name.to_owned(), value)
        })
        .collect();
    let required_keys: Vec<_> = keys.iter().filter(|key| key.is_required).map(|key| key.name).collect();
    let mut object = json!({ "type": "object", "additionalProperties": false, "properties": properties });
    if let (Value::Object(object), false) = (&mut object, required_keys.is_empty()) {
        object.insert("required".to_owned(), json!(required_keys));
    }
    object
}

/// Extends the JSON Schema of a value, so that `null` is also valid.
fn nullable(mut schema: Value) -> Value {
    if let Some(Value::Array(alternatives)) = schema.get_mut("oneOf") {
        alternatives.push(json!({ "type": "null" }));
    } else if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.push(Value::Null);
    } else if let Some(value_type) = schema.get_mut("type") {
        *value_type = json!([value_type, "null"]);
    } else {
        schema = json!({ "anyOf": [schema, { "type": "null" }] });
    }
    schema
}

/// Builds the JSON Schema of a value of this type.
fn value_schema(value_type: ValueType) -> Value {
    match value_type {
        ValueType::Version => json!({ "const": 1 }),
        ValueType::Text => json!({ "type": "string", "minLength": 1 }),
        ValueType::Like(pattern) => json!({ "type": "string", "pattern": pattern }),
        ValueType::Regex => json!({ "type": "string", "minLength": 1, "format": "regex" }),
        ValueType::Switch => json!({ "enum": [true, false, "on", "off"] }),
        ValueType::Boolean => json!({ "type": "boolean" }),
        ValueType::Count { least } => json!({ "type": "integer", "minimum": least }),
        ValueType::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        ValueType::Money => json!({ "type": "number", "minimum": 0 }),
        ValueType::Texts | ValueType::Models => {
            let text = json!({ "type": "string", "minLength": 1 });
            json!({ "oneOf": [text, { "type": "array", "minItems": 1, "items": text }] })
        }
        ValueType::TimeWindow => {
            let time = json!({ "type": "string", "pattern": "^([01]?[0-9]|2[0-3]):[0-5][0-9]$" });
            json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": time })
        }
        ValueType::Words(words) => json!({ "enum": words }),
        ValueType::WordList(words) => {
            let word = json!({ "enum": words });
            json!({ "oneOf": [word, { "type": "array", "items": word }] })
        }
        ValueType::Mapping(keys) => mapping_schema(keys),
        ValueType::Section(keys) => {
            let mut schema = mapping_schema(keys);
            // The section has more keys than are documented here.
            if let Some(object) = schema.as_object_mut() {
                object.remove("additionalProperties");
            }
            schema
        }
        ValueType::ByPath(keys) => json!({ "type": "object", "additionalProperties": mapping_schema(keys) }),
        ValueType::Budgets => json!({ "type": "array", "items": { "$ref": "#/$defs/budget" } }),
        ValueType::Rules => json!({ "type": "array", "items": { "$ref": "#/$defs/rule" } }),
        ValueType::Predicate => json!({ "$ref": "#/$defs/predicate" }),
        ValueType::Predicates => json!({ "type": "array", "minItems": 1, "items": { "$ref": "#/$defs/predicate" } }),
    }
}
