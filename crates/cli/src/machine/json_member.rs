//! Edits one member of a JSON object as text, so that all other bytes stay unchanged.

use std::{collections::BTreeMap, ops::Range};

use serde_json::{Value, value::RawValue};

use super::json_style::Style;

/// A member of a JSON object: its value, and its place in the text of the object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    /// The parsed value.
    pub(crate) value: Value,
    /// The byte offset at which the quoted name begins.
    start: usize,
    /// The byte range of the value.
    value_range: Range<usize>,
}

/// Finds the member `name` of the JSON object in `text`; `None` if the object has no such member.
///
/// # Errors
/// The parser's message with line and column if `text` is not one JSON object, or a message if the name is written with
/// escapes.
pub(crate) fn find_member(text: &str, name: &str) -> Result<Option<Member>, String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Some(raw) = members.get(name) else { return Ok(None) };
    let value_range = range_in(text, raw.get());
    let quoted = Value::from(name).to_string();
    let before = text[..value_range.start].trim_end().strip_suffix(':').map(str::trim_end);
    let Some(before) = before.and_then(|before| before.strip_suffix(&quoted)) else {
        return Err(format!("the name {quoted} is written with escapes"));
    };
    let value = serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
    Ok(Some(Member { value, start: before.len(), value_range }))
}

/// Sets the member `name` of the JSON object in `text` and returns the new text. An existing value is replaced. A new
/// member is added as the last one, with the indentation of the others.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn set_member(text: &str, name: &str, value: &Value) -> Result<String, String> {
    set_styled_member(text, name, value, &Style::of(text))
}

/// Does the same as [`set_member`] with a given style, for an object within another one.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn set_styled_member(text: &str, name: &str, value: &Value, style: &Style) -> Result<String, String> {
    if let Some(member) = find_member(text, name)? {
        return Ok(replace_range(text, &member.value_range, &style.format(value)));
    }
    let member = format!("{}: {}", Value::from(name), style.format(value));
    Ok(style.append(text, &member, !has_members(text)?))
}

/// Removes the member `name` of the JSON object in `text`, with the comma that separated it, and returns the new text.
/// This reverts [`set_member`] to equal bytes.
///
/// # Errors
/// Those of [`find_member`].
pub(crate) fn remove_member(text: &str, name: &str) -> Result<String, String> {
    let Some(member) = find_member(text, name)? else { return Ok(text.to_owned()) };
    Ok(cut(text, &(member.start..member.value_range.end)))
}

/// Replaces the text of the value of the member `name` of the JSON object in `text` by the result of `edit`, and returns the
/// new text. `None` removes the member. Without such a member the text stays as it is.
///
/// # Errors
/// Those of [`find_member`] and of `edit`.
pub(crate) fn edit_member(
    text: &str,
    name: &str,
    edit: impl FnOnce(&str) -> Result<Option<String>, String>,
) -> Result<String, String> {
    let Some(member) = find_member(text, name)? else { return Ok(text.to_owned()) };
    match edit(&text[member.value_range.clone()])? {
        Some(value) => Ok(replace_range(text, &member.value_range, &value)),
        None => Ok(cut(text, &(member.start..member.value_range.end))),
    }
}

/// Returns whether the JSON object in a text has any member; the parser's message if it is not an object.
pub(crate) fn has_members(text: &str) -> Result<bool, String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    Ok(!members.is_empty())
}

/// Returns the byte range of `part` in `text`, from which it was borrowed.
pub(super) fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

/// Returns `text` with another content of a byte range.
pub(super) fn replace_range(text: &str, range: &Range<usize>, content: &str) -> String {
    [&text[..range.start], content, &text[range.end..]].concat()
}

/// Returns `text` without a member of its object or an element of its array, which has the byte range `range`, and without
/// the comma that separated it.
pub(super) fn cut(text: &str, range: &Range<usize>) -> String {
    let before = text[..range.start].trim_end();
    let after = &text[range.end..];
    if let Some(before) = before.strip_suffix(',') {
        return [before, after].concat();
    }
    // The first one: the comma is behind it.
    match after.trim_start().strip_prefix(',') {
        Some(rest) => [&text[..range.start], rest.trim_start()].concat(),
        None => [before, after].concat(),
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
