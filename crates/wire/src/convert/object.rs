//! JSON objects made of what is there.

/// A JSON object, written as with `serde_json::json!`, but the values are moved into it: `json!` copies every text and
/// every schema, which is most of the work in a request of an agent. Objects in it need the macro again.
macro_rules! object {
    ({ $($name:tt: $value:expr),* $(,)? }) => {{
        let mut map = serde_json::Map::new();
        $(map.insert($name.to_owned(), serde_json::Value::from($value));)*
        serde_json::Value::Object(map)
    }};
}

pub(crate) use object;

/// The text of a value.
pub(crate) fn bytes_of(value: &serde_json::Value) -> Vec<u8> {
    // Faster than its `Display`; writing a value to memory cannot fail.
    serde_json::to_vec(value).unwrap_or_else(|_| value.to_string().into_bytes())
}
