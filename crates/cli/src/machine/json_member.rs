//! Edits one member of a JSON object as text, so that all other bytes stay unchanged.

use std::collections::BTreeMap;

use serde_json::{Value, value::RawValue};

/// A member of a JSON object: its value, and its place in the text of the object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// The parsed value.
    pub(crate) value: Value,
    /// The byte offset at which the quoted name begins.
    start: usize,
    /// The byte offset at which the value begins.
    value_start: usize,
    /// The byte offset after the value.
    end: usize,
}

/// Finds the member `name` of the JSON object in `text`; `None` if the object has no such member.
///
/// # Errors
/// The parser's message with line and column if `text` is not one JSON object, or a message if the name is written with
/// escapes.
pub(crate) fn find_member(text: &str, name: &str) -> Result<Option<Member>, String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Some(raw) = members.get(name) else { return Ok(None) };
    // The value borrows from the text.
    let value_start = raw.get().as_ptr().addr() - text.as_ptr().addr();
    let quoted = Value::from(name).to_string();
    let before = text[..value_start].trim_end().strip_suffix(':').map(str::trim_end);
    let Some(before) = before.and_then(|before| before.strip_suffix(&quoted)) else {
        return Err(format!("the name {quoted} is written with escapes"));
    };
    let value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    Ok(Some(Member { value, start: before.len(), value_start, end: value_start + raw.get().len() }))
}

/// Sets the member `name` of the JSON object in `text` and returns the new text. An existing value is replaced. A new
/// member is added as the last one, with the indentation of the others.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn set_member(text: &str, name: &str, value: &Value) -> Result<String, String> {
    let style = Style::of(text);
    if let Some(member) = find_member(text, name)? {
        return Ok([&text[..member.value_start], &style.format(value), &text[member.end..]].concat());
    }
    // The text is an object, so it ends with its brace.
    let brace = text.trim_end().len() - 1;
    let content = text[..brace].trim_end();
    let comma = if has_members(text)? { "," } else { "" };
    let gap = style.indent.as_ref().map_or_else(
        || if comma.is_empty() { String::new() } else { " ".to_owned() },
        |indent| format!("{}{indent}", style.line_end),
    );
    let member = format!("{}: {}", Value::from(name), style.format(value));
    Ok([content, comma, &gap, &member, &text[content.len()..]].concat())
}

/// Removes the member `name` of the JSON object in `text`, with the comma that separated it, and returns the new text.
/// This reverts [`set_member`] to equal bytes.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn remove_member(text: &str, name: &str) -> Result<String, String> {
    let Some(member) = find_member(text, name)? else { return Ok(text.to_owned()) };
    let before = text[..member.start].trim_end();
    let after = &text[member.end..];
    if let Some(before) = before.strip_suffix(',') {
        return Ok([before, after].concat());
    }
    // The first member: the comma is behind it.
    match after.trim_start().strip_prefix(',') {
        Some(rest) => Ok([&text[..member.start], rest.trim_start()].concat()),
        None => Ok([before, after].concat()),
    }
}

/// Returns whether the JSON object in a text has any member; the parser's message if it is not an object.
fn has_members(text: &str) -> Result<bool, String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(!members.is_empty())
}

/// The indentation and line ends with which a JSON object is written.
struct Style {
    /// The white space before a member; `None` if the object is on one line.
    indent: Option<String>,
    /// The end of its lines: a line feed, with or without a carriage return.
    line_end: &'static str,
}

impl Style {
    /// Returns the style of the JSON object in a text: its indentation is the white space before its first member, or
    /// two spaces if it is empty.
    fn of(text: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let inside = text.trim_start().strip_prefix('{').unwrap_or_default();
        let gap = &inside[..inside.len() - inside.trim_start().len()];
        let indent = match gap.rsplit_once('\n') {
            // An empty object.
            Some(_) if inside.trim_start().starts_with('}') => Some("  ".to_owned()),
            Some((_, indent)) => Some(indent.to_owned()),
            None => None,
        };
        Self { indent, line_end }
    }

    /// Formats a value of a member: over several lines with the object's indentation, or on one line if the object is.
    fn format(&self, value: &Value) -> String {
        let Some(indent) = &self.indent else { return value.to_string() };
        // The alternate form indents with two spaces.
        let unit = if indent.is_empty() { "  " } else { indent };
        let lines = format!("{value:#}");
        let indented = lines.lines().enumerate().map(|(number, line)| {
            let content = line.trim_start();
            let depth = (line.len() - content.len()) / 2;
            if number == 0 { content.to_owned() } else { format!("{indent}{}{content}", unit.repeat(depth)) }
        });
        indented.collect::<Vec<_>>().join(self.line_end)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn line() -> Value {
        json!({ "type": "command", "command": "turnwise statusline" })
    }

    #[test]
    fn a_member_is_added_in_the_style_of_the_others() {
        let text = "{\n    \"model\": \"opus\",\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}\n";
        let expected = "{\n    \"model\": \"opus\",\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]},\n    \
                        \"statusLine\": {\n        \"type\": \"command\",\n        \"command\": \"turnwise statusline\"\n    }\n}\n";
        assert_eq!(set_member(text, "statusLine", &line()).unwrap(), expected);
    }

    #[test]
    fn removing_what_was_added_restores_every_byte() {
        for text in [
            "{\n  \"a\": 1\n}\n",
            "{\n\t\"a\": {\n\t\t\"b\": []\n\t}\n}",
            "{\"a\":1}",
            "{ \"a\" : \"}\" }",
            "{}",
            "{ }\n",
            "{\n}\n",
            "\n {\r\n  \"b\": \"x\",\r\n  \"a\": \"statusLine\"\r\n}\r\n",
            "{\"a\": \"{\"}",
        ] {
            let with = set_member(text, "statusLine", &line()).unwrap();
            assert_eq!(find_member(&with, "statusLine").unwrap().unwrap().value, line(), "{with}");
            assert_eq!(remove_member(&with, "statusLine").unwrap(), text, "{with}");
            let before: Value = serde_json::from_str(text).unwrap();
            let mut after: Value = serde_json::from_str(&with).unwrap();
            after.as_object_mut().unwrap().shift_remove("statusLine");
            assert_eq!(before.to_string(), after.to_string(), "the order of the keys");
        }
    }

    #[test]
    fn a_member_anywhere_is_replaced_and_removed() {
        for text in
            ["{\"s\": 1, \"b\": 2}", "{\"b\": 2, \"s\": {\"x\": [1]}, \"c\": 3}", "{\n  \"b\": 2,\n  \"s\": \"\"\n}"]
        {
            let replaced: Value = serde_json::from_str(&set_member(text, "s", &json!(true)).unwrap()).unwrap();
            assert_eq!((&replaced["s"], &replaced["b"]), (&json!(true), &json!(2)));
            let removed: Value = serde_json::from_str(&remove_member(text, "s").unwrap()).unwrap();
            assert_eq!((removed.get("s"), &removed["b"]), (None, &json!(2)));
        }
    }

    #[test]
    fn text_that_is_not_one_object_is_an_error() {
        for text in ["", "[]", "{\"a\": 1,}", "// comment\n{}", "{} {}", "{\"\\u0073\": 1}"] {
            assert!(set_member(text, "s", &line()).is_err(), "{text}");
            assert!(remove_member(text, "s").is_err(), "{text}");
        }
    }
}
