//! Escapes text for the terminal. Messages, names of tools and models, ids and paths come from others: nothing in them may
//! control the terminal, hide text, or change its order.

use std::{borrow::Cow, fmt::Write as _};

/// Whether a character controls a terminal or is invisible: C0 and C1 controls, bidirectional controls, zero-width
/// characters, separators of lines, and tags. A line feed is included.
pub(crate) const fn is_unsafe(character: char) -> bool {
    matches!(character,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Escapes a text of one or more lines, such as `\u{1b}` for an escape character. Line feeds stay, a tab becomes a space.
pub(crate) fn escape_text(text: &str) -> Cow<'_, str> {
    escape(text, |character| character != '\n' && is_unsafe(character))
}

/// Escapes a text that must stay on one line: as [`escape_text`], and line feeds as `\n`.
pub(crate) fn escape_line(text: &str) -> Cow<'_, str> {
    escape(text, is_unsafe)
}

/// Replaces the characters for which `is_escaped` returns `true` by visible escape sequences, so that they cannot
/// control a terminal.
fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\t' => escaped.push(' '),
            character if is_escaped(character) => escaped.extend(character.escape_default()),
            character => escaped.push(character),
        }
    }
    Cow::Owned(escaped)
}

/// Escapes JSON text, in which the same characters can only be inside of strings: `\u001b`. Line feeds stay, since they
/// only occur between values.
pub(crate) fn escape_json(json: &str) -> Cow<'_, str> {
    let is_escaped = |character| character != '\n' && is_unsafe(character);
    if !json.contains(is_escaped) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for character in json.chars() {
        if is_escaped(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOSTILE: &str = "a\u{1b}]0;title\u{7}b\u{9b}31mc\u{202e}d\u{200b}e\rf\tg\u{2066}h\u{e0041}i\u{7f}";

    #[test]
    fn nothing_that_controls_a_terminal_is_left_in_a_text() {
        let escaped = escape_text(HOSTILE);
        assert!(!escaped.contains(is_unsafe), "{escaped:?}");
        assert_eq!(escaped, r"a\u{1b}]0;title\u{7}b\u{9b}31mc\u{202e}d\u{200b}e\rf g\u{2066}h\u{e0041}i\u{7f}");
        assert_eq!(escape_text("two\nlines, 読む and é\u{301}"), "two\nlines, 読む and é\u{301}");
        assert_eq!(escape_line("two\nlines"), r"two\nlines");
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let value = serde_json::json!({ "text": HOSTILE });
        let text = serde_json::to_string_pretty(&value).unwrap();
        let escaped = escape_json(&text);
        assert!(!escaped.contains(|character| character != '\n' && is_unsafe(character)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
