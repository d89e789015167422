//! [`Style`], the indentation and the line ends of a JSON text.

use serde_json::Value;

/// The indentation and line ends with which a JSON object or array is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// The white space before a member or an element; `None` if all are on one line.
    indent: Option<String>,
    /// The white space by which each level is indented further.
    unit: String,
    /// The end of the lines: a line feed, with or without a carriage return.
    line_end: &'static str,
}

impl Style {
    /// Returns the style of the JSON object or array in a text: its indentation is the white space before its first member
    /// or element, or two spaces if it is empty.
    pub(crate) fn of(text: &str) -> Self {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let inside = text.trim_start().strip_prefix(['{', '[']).unwrap_or_default();
        let content = inside.trim_start();
        let gap = &inside[..inside.len() - content.len()];
        let indent = match gap.rsplit_once('\n') {
            Some(_) if content.starts_with(['}', ']']) => Some("  ".to_owned()),
            Some((_, indent)) => Some(indent.to_owned()),
            None => None,
        };
        let unit = indent.clone().filter(|indent| !indent.is_empty()).unwrap_or_else(|| "  ".to_owned());
        Self { indent, unit, line_end }
    }

    /// Returns the style of an object or array `inner` that lies within the object of this style.
    pub(crate) fn inside(&self, inner: &str) -> Self {
        Self { unit: self.unit.clone(), line_end: self.line_end, ..Self::of(inner) }
    }

    /// Formats a value of a member or an element: over several lines with this indentation, or on one line if the object is.
    pub(crate) fn format(&self, value: &Value) -> String {
        let Some(indent) = &self.indent else { return value.to_string() };
        // The alternate form indents with two spaces.
        let lines = format!("{value:#}");
        let indented = lines.lines().enumerate().map(|(number, line)| {
            let content = line.trim_start();
            let depth = (line.len() - content.len()) / 2;
            if number == 0 { content.to_owned() } else { format!("{indent}{}{content}", self.unit.repeat(depth)) }
        });
        indented.collect::<Vec<_>>().join(self.line_end)
    }

    /// Returns the object or array in `text` with another last member or element, `item`. `is_empty` states that it has none
    /// so far.
    pub(super) fn append(&self, text: &str, item: &str, is_empty: bool) -> String {
        // The text ends with the closing bracket.
        let bracket = text.trim_end().len() - 1;
        let content = text[..bracket].trim_end();
        let comma = if is_empty { "" } else { "," };
        let gap = self.indent.as_ref().map_or_else(
            || if is_empty { String::new() } else { " ".to_owned() },
            |indent| format!("{}{indent}", self.line_end),
        );
        [content, comma, &gap, item, &text[content.len()..]].concat()
    }
}
