//! Builds JSON objects without copying their values, and serialises them.

/// Builds a JSON object with the syntax of `serde_json::json!`, but moves the values into it: `json!` copies every text
/// and every schema, which is most of the work in a request of an agent. Nested objects need the macro again.
macro_rules! object {
    ({ $($name:tt: $value:expr),* $(,)? }) => {{
        let mut map = serde_json::Map::new();
        $(map.insert($name.to_owned(), serde_json::Value::from($value));)*
        serde_json::Value::Object(map)
    }};
}

pub(crate) use object;

/// Serialises a JSON value to bytes.
pub(crate) fn bytes_of(value: &serde_json::Value) -> Vec<u8> {
    // Faster than its `Display`; writing a value to memory cannot fail.
    serde_json::to_vec(value).unwrap_or_else(|_| value.to_string().into_bytes())
}
