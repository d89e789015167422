//! Reads the JSON that Claude Code writes to the standard input of the commands in its settings.

use std::{
    io::{IsTerminal as _, Read as _},
    time::Duration,
};

use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::time_limit::within;

/// The longest time to wait for the JSON.
const INPUT_LIMIT: Duration = Duration::from_millis(500);

/// The maximum number of bytes of the JSON that are read: a prompt can contain a long text that the user pasted.
const MAX_INPUT_BYTES: u64 = 1024 * 1024;

/// Reads one JSON value from the standard input, at most [`MAX_INPUT_BYTES`] within [`INPUT_LIMIT`].
///
/// # Errors
/// A message if the standard input is a terminal, the value has another form or is longer, or the time is over.
pub(crate) fn read_client_input<T: DeserializeOwned + Send + 'static>() -> Result<T, String> {
    if std::io::stdin().is_terminal() {
        return Err("the standard input is a terminal; Claude Code writes JSON to it".to_owned());
    }
    let limit = INPUT_LIMIT.as_millis();
    within(INPUT_LIMIT, read_value).unwrap_or_else(|| Err(format!("the JSON did not arrive within {limit} ms")))
}

/// Reads one JSON value from the standard input.
fn read_value<T: DeserializeOwned>() -> Result<T, String> {
    let input = std::io::stdin().lock().take(MAX_INPUT_BYTES);
    // Ends with the value, so that a pipe that stays open does no harm.
    let mut values = serde_json::Deserializer::from_reader(std::io::BufReader::new(input)).into_iter::<T>();
    match values.next() {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) => Err(describe(&error)),
        None => Err("it is empty".to_owned()),
    }
}

/// Describes the error of a value without its content, which can be a message of the user.
fn describe(error: &serde_json::Error) -> String {
    let place = format!("at line {}, column {}", error.line(), error.column());
    match error.classify() {
        Category::Io => "it cannot be read".to_owned(),
        Category::Syntax => format!("it is not valid JSON {place}"),
        Category::Data => format!("a field is missing or has another type {place}"),
        Category::Eof => format!("it ends {place}, or it is longer than {MAX_INPUT_BYTES} bytes"),
    }
}
