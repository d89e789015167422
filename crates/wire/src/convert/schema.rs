//! Adapts JSON schemas to the dialect of each API: strictness, descriptions, additional properties, Google's types.

use serde_json::{Map, Value, json};

/// Keywords of JSON Schema whose value is a map from names to schemas.
const SCHEMA_MAP_KEYWORDS: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];
/// Keywords of JSON Schema whose value is a schema or a list of schemas.
const SUBSCHEMA_KEYWORDS: [&str; 7] =
    ["items", "prefixItems", "anyOf", "allOf", "oneOf", "not", "additionalProperties"];

/// Calls `visit` with each direct subschema of a JSON schema: those of its properties and definitions, and those in
/// keywords such as `items` or `anyOf`. Subschemas that are not objects are skipped.
fn for_each_subschema(schema: &mut Map<String, Value>, visit: &mut impl FnMut(&mut Map<String, Value>)) {
    for name in SCHEMA_MAP_KEYWORDS {
        if let Some(Value::Object(schemas)) = schema.get_mut(name) {
            schemas.values_mut().filter_map(Value::as_object_mut).for_each(&mut *visit);
        }
    }
    for name in SUBSCHEMA_KEYWORDS {
        match schema.get_mut(name) {
            Some(Value::Object(inner)) => visit(inner),
            Some(Value::Array(list)) => list.iter_mut().filter_map(Value::as_object_mut).for_each(&mut *visit),
            _ => {}
        }
    }
}

/// Returns whether a JSON schema and all its subschemas meet `OpenAI`'s rules for strict schemas: all properties of an
/// object are required, and no other properties are allowed. Values that are no objects count as strict.
pub(crate) fn is_strict(schema: &Value) -> bool {
    let Value::Object(schema) = schema else { return true };
    let requires_all_properties = schema.get("properties").and_then(Value::as_object).is_none_or(|properties| {
        let required_names = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &String| {
            required_names.is_some_and(|names| names.iter().any(|required_name| required_name.as_str() == Some(name)))
        };
        schema.get("additionalProperties") == Some(&Value::Bool(false)) && properties.keys().all(is_required)
    });
    let subschemas_in_maps =
        SCHEMA_MAP_KEYWORDS.iter().filter_map(|name| schema.get(*name)?.as_object()).flat_map(Map::values);
    let direct_subschemas =
        SUBSCHEMA_KEYWORDS.iter().filter_map(|name| schema.get(*name)).flat_map(|subschema| match subschema {
            Value::Array(list) => list.as_slice(),
            schema => std::slice::from_ref(schema),
        });
    requires_all_properties && subschemas_in_maps.chain(direct_subschemas).all(is_strict)
}

/// Adds a description to a schema, unless the schema has one or is not an object. `OpenAI`'s APIs have the description
/// next to the schema, other APIs within it.
pub(crate) fn with_description(mut schema: Value, description: Option<String>) -> Value {
    if let (Value::Object(map), Some(description)) = (&mut schema, description) {
        map.entry("description").or_insert(Value::String(description));
    }
    schema
}

/// Sets `additionalProperties` to false in each schema and subschema that has `properties` and does not set it.
/// Anthropic requires that; a response without additional properties also matches the original schema.
pub(crate) fn forbid_additional_properties(schema: &mut Map<String, Value>) {
    if schema.contains_key("properties") && !schema.contains_key("additionalProperties") {
        schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    for_each_subschema(schema, &mut forbid_additional_properties);
}

/// Converts a schema and its subschemas in place from Google's dialect to JSON Schema: type names from capitals to
/// lower case, `nullable` to the type `null`, numbers that are written as strings to numbers; `propertyOrdering` is
/// removed.
pub(crate) fn from_google(schema: &mut Map<String, Value>) {
    schema.remove("propertyOrdering");
    let is_nullable = schema.remove("nullable") == Some(Value::Bool(true));
    match schema.get_mut("type") {
        Some(Value::String(name)) => {
            name.make_ascii_lowercase();
            if is_nullable {
                let name = std::mem::take(name);
                schema.insert("type".to_owned(), json!([name, "null"]));
            }
        }
        Some(Value::Array(names)) => {
            for name in names {
                if let Value::String(name) = name {
                    name.make_ascii_lowercase();
                }
            }
        }
        _ => {}
    }
    for name in ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"] {
        // Google encodes 64-bit numbers as texts.
        let count = schema.get(name).and_then(Value::as_str).and_then(|text| text.parse::<u64>().ok());
        if let Some(count) = count {
            schema.insert(name.to_owned(), json!(count));
        }
    }
    for_each_subschema(schema, &mut from_google);
}
