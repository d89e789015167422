//! Reads the top-level texts and lists of front matter that is not valid YAML.

use std::borrow::Cow;

use super::yaml::{Field, Value};

/// Reads the lines `key: text` without indentation, the items `- text` below them, and lines that continue a text.
/// Everything else is skipped. Many clients write descriptions with an unquoted `: `, which YAML rejects.
pub(super) fn read_lines(text: &str) -> Vec<Field<'_>> {
    let mut fields: Vec<Field<'_>> = Vec::new();
    for (line, content) in (2..).zip(text.lines()) {
        if let Some((key, value)) = split_key(content) {
            fields.push(Field { key: Cow::Borrowed(key), line, value: Value::Text(unquote(value)) });
        } else if let Some(field) = fields.last_mut() {
            continue_value(&mut field.value, line, content.trim());
        }
    }
    fields
}

/// Splits a line at the first colon. `None` if the line is indented or does not start with a key.
fn split_key(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let separated = value.is_empty() || value.starts_with([' ', '\t', '\r']);
    if !is_key || !separated {
        return None;
    }
    let value = value.trim();
    Some((key, if matches!(value, ">" | ">-" | ">+" | "|" | "|-" | "|+") { "" } else { value }))
}

/// Removes one pair of quotes around a text.
fn unquote(text: &str) -> Cow<'_, str> {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    Cow::Borrowed(inner('"').or_else(|| inner('\'')).unwrap_or(text))
}

/// Appends a line to a value: an item to a list, or a continuation to a text.
fn continue_value<'a>(value: &mut Value<'a>, line: u32, content: &'a str) {
    let item = content.strip_prefix("- ").map(str::trim);
    match (value, item) {
        (Value::List(items), Some(item)) => items.push((line, Value::Text(unquote(item)))),
        (value @ Value::Text(_), Some(item)) if *value == Value::Text(Cow::Borrowed("")) => {
            *value = Value::List(vec![(line, Value::Text(unquote(item)))]);
        }
        (Value::Text(text), _) if !content.is_empty() && !content.starts_with('#') => {
            let text = text.to_mut();
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(content);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::read_lines;
    use crate::manifest::yaml::{Field, Value};

    fn text(text: &str) -> Value<'_> {
        Value::Text(Cow::Borrowed(text))
    }

    #[test]
    fn texts_lists_and_continued_lines_are_read_and_others_skipped() {
        let fields = read_lines(
            "name: \"deploy\"\n\ndescription: Deploys: to staging\n  and production.\nkeywords:\n  - a: b\n  - 'c'\n\
             https://example.org\nempty:\n[x]\n",
        );
        let field = |key: &'static str, line, value| Field { key: Cow::Borrowed(key), line, value };
        let expected = [
            field("name", 2, text("deploy")),
            field("description", 4, text("Deploys: to staging and production.")),
            field("keywords", 6, Value::List(vec![(7, text("a: b")), (8, text("c"))])),
            field("empty", 10, text("[x]")),
        ];
        assert_eq!(fields, expected);
    }
}
