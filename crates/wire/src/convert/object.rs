//! Builds JSON objects without copying their values, serialises them, and reads their strings.

use std::io;

use serde_json::Value;

use super::{ConvertError, blocks::MAX_CONTENT_BYTES};

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

/// Returns the string at a JSON pointer; `None` if it is missing or of another type.
pub(crate) fn str_at<'a>(value: &'a Value, pointer: &str) -> Option<&'a str> {
    value.pointer(pointer)?.as_str()
}

/// Serialises a JSON value to bytes.
pub(crate) fn bytes_of(value: &Value) -> Vec<u8> {
    // Faster than its `Display`; writing a value to memory cannot fail.
    serde_json::to_vec(value).unwrap_or_else(|_| value.to_string().into_bytes())
}

/// Serialises the arguments of a tool call to JSON text.
///
/// # Errors
/// [`ConvertError::Malformed`] if the text exceeds the size of a response that is converted. It is not written further then.
pub(crate) fn text_of_arguments(arguments: &Value) -> Result<String, ConvertError> {
    let mut text = LimitedText(Vec::new());
    serde_json::to_writer(&mut text, arguments).map_err(|_| ConvertError::TOO_LARGE)?;
    // serde_json writes UTF-8.
    String::from_utf8(text.0).map_err(|_| ConvertError::TOO_LARGE)
}

/// A text in memory that accepts at most [`MAX_CONTENT_BYTES`].
struct LimitedText(Vec<u8>);

impl io::Write for LimitedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if MAX_CONTENT_BYTES < self.0.len().saturating_add(bytes.len()) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
