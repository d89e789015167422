//! JSON values with their position in the text, and the decoding of strings.

use std::{borrow::Cow, ops::Range};

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// `{…}`.
    Object,
    /// `[…]`.
    Array,
    /// A string with its quotes.
    String,
    /// A number.
    Number,
    /// `true`.
    True,
    /// `false`.
    False,
    /// `null`.
    Null,
}

/// A JSON value, as its text and its position. It is not parsed further until a method reads its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value<'a> {
    /// The JSON text of the value, with the quotes of a string.
    pub(crate) raw: &'a str,
    /// The offset of `raw` in the complete text, in bytes.
    pub(crate) start: usize,
    /// The type of the value.
    pub(crate) kind: ValueKind,
    /// For a string: by how many bytes its escapes exceed one byte per character. 0 for other values.
    pub(super) escape_overhead: usize,
}

impl<'a> Value<'a> {
    /// Returns the byte range of the value in the complete text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// Returns whether the value is `null`.
    pub(crate) fn is_null(&self) -> bool {
        self.kind == ValueKind::Null
    }

    /// Returns whether the value is `null`, `false`, zero, or an empty string, list or object.
    pub(crate) fn is_falsy(&self) -> bool {
        match self.kind {
            ValueKind::Null | ValueKind::False => true,
            ValueKind::String => self.raw.len() == 2,
            ValueKind::True => false,
            ValueKind::Number => self.raw.parse() == Ok(0.0_f64),
            ValueKind::Object | ValueKind::Array => {
                self.raw.bytes().filter(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count() == 2
            }
        }
    }

    /// Returns the boolean; `None` for values of other types.
    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.kind {
            ValueKind::True => Some(true),
            ValueKind::False => Some(false),
            _ => None,
        }
    }

    /// Returns a non-negative integer of at most 64 bits; `None` for other values.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        if self.kind == ValueKind::Number { self.raw.parse().ok() } else { None }
    }

    /// Returns a number, rounded to a double; `None` for values of other types.
    pub(crate) fn as_f64(&self) -> Option<f64> {
        if self.kind == ValueKind::Number { self.raw.parse().ok() } else { None }
    }

    /// Returns the content of a string without decoding it; `None` for values of other types.
    pub(crate) fn text(&self) -> Option<Text<'a>> {
        if self.kind != ValueKind::String {
            return None;
        }
        let raw = self.raw.get(1..self.raw.len().checked_sub(1)?)?;
        Some(Text { raw, start: self.start + 1, escape_overhead: self.escape_overhead })
    }

    /// Decodes a string; `None` for values of other types.
    pub(crate) fn string(&self) -> Option<Cow<'a, str>> {
        self.text().map(|text| text.decoded())
    }

    /// Returns the number of Unicode scalar values of the decoded string, or of the JSON text of another value.
    pub(crate) fn characters(&self) -> u64 {
        self.text().map_or_else(|| self.raw.chars().count() as u64, |text| text.characters())
    }
}

/// The content of a JSON string, with its escapes and its position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    /// The text between the quotes, with its escapes.
    pub(crate) raw: &'a str,
    /// The offset of `raw` in the complete JSON text, in bytes.
    pub(crate) start: usize,
    /// By how many bytes the escapes exceed one byte per character; 0 if there are none.
    escape_overhead: usize,
}

impl<'a> Text<'a> {
    /// Returns the byte offset of the closing quote.
    pub(crate) fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// Decodes the text. An unpaired surrogate is decoded to U+FFFD.
    pub(crate) fn decoded(&self) -> Cow<'a, str> {
        if self.escape_overhead == 0 { Cow::Borrowed(self.raw) } else { Cow::Owned(decode_escapes(self.raw)) }
    }

    /// Decodes the first `bytes` bytes of the text with its escapes, or fewer if they end within a character. An escape
    /// that is cut off is not decoded.
    pub(crate) fn decoded_prefix(&self, bytes: usize) -> Cow<'a, str> {
        decode_string(self.raw.get(..self.raw.floor_char_boundary(bytes)).unwrap_or_default())
    }

    /// Returns the number of Unicode scalar values of the decoded text.
    pub(crate) fn characters(&self) -> u64 {
        self.raw.chars().count().saturating_sub(self.escape_overhead) as u64
    }

    /// Returns the number of bytes of `raw` that encode the first `decoded` bytes of the decoded text; `None` if the
    /// text is shorter, or if these bytes end within a character.
    pub(crate) fn raw_prefix_length(&self, decoded: usize) -> Option<usize> {
        raw_prefix_length(self.raw, decoded)
    }
}

/// Returns the number of bytes of `raw` that encode the first `decoded` bytes of the decoded text; `None` if the text
/// is shorter, or if these bytes end within a character.
pub(crate) fn raw_prefix_length(raw: &str, decoded: usize) -> Option<usize> {
    let (mut raw_length, mut remaining) = (0, decoded);
    while remaining > 0 {
        let unread = raw.get(raw_length..)?;
        let (character, length) = match unread.strip_prefix('\\') {
            Some(_) => decode_escape(unread)?,
            None => unread.chars().next().map(|character| (character, character.len_utf8()))?,
        };
        remaining = remaining.checked_sub(character.len_utf8())?;
        raw_length += length;
    }
    Some(raw_length)
}

/// Decodes the escapes in the content of a JSON string, given without its quotes.
pub(super) fn decode_string(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') { Cow::Owned(decode_escapes(raw)) } else { Cow::Borrowed(raw) }
}

/// Decodes a text with escapes. If the last escape is cut off, it is copied unchanged.
fn decode_escapes(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut unread = raw;
    while let Some((plain, _)) = unread.split_once('\\') {
        out.push_str(plain);
        let from_escape = unread.get(plain.len()..).unwrap_or_default();
        let Some((character, length)) = decode_escape(from_escape) else { break };
        out.push(character);
        unread = from_escape.get(length..).unwrap_or_default();
    }
    out.push_str(unread);
    out
}

/// Decodes the escape at the start of a text; returns the character and the length of the escape in bytes. `None` if
/// the text is too short.
fn decode_escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return Some(decode_unicode_escape(text)),
        other => char::from(*other),
    };
    Some((character, 2))
}

/// Decodes the escape `\uXXXX`, or two of them that are a surrogate pair, at the start of a text; returns the character
/// and the length in bytes, 6 or 12. Invalid digits and unpaired surrogates result in U+FFFD.
fn decode_unicode_escape(text: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first_unit = unit(0).unwrap_or(0xfffd);
    if let Some(second_unit) = unit(6)
        && let Some(Ok(character)) = char::decode_utf16([first_unit, second_unit]).next()
        && character.len_utf16() == 2
    {
        return (character, 12);
    }
    (char::from_u32(u32::from(first_unit)).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}
