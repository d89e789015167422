//! JSON values with their position, and the decoding of strings.

use std::{borrow::Cow, ops::Range};

/// The type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    Array,
    String,
    Number,
    True,
    False,
    Null,
}

/// A JSON value and its position in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value<'a> {
    /// Its JSON, with the quotes of a string.
    pub(crate) raw: &'a str,
    /// Its offset in bytes.
    pub(crate) start: usize,
    pub(crate) kind: Kind,
    /// For a string: by how many bytes its escapes exceed one byte per character.
    pub(super) escape_overhead: usize,
}

impl<'a> Value<'a> {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    pub(crate) fn is_null(&self) -> bool {
        self.kind == Kind::Null
    }

    /// Whether it is `null`, `false`, zero, or empty.
    pub(crate) fn is_falsy(&self) -> bool {
        match self.kind {
            Kind::Null | Kind::False => true,
            Kind::String => self.raw.len() == 2,
            Kind::True => false,
            Kind::Number => self.raw.parse() == Ok(0.0_f64),
            Kind::Object | Kind::Array => {
                self.raw.bytes().filter(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t')).count() == 2
            }
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self.kind {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// Returns a whole number that is not negative; `None` for other values.
    pub(crate) fn as_u64(&self) -> Option<u64> {
        if self.kind == Kind::Number { self.raw.parse().ok() } else { None }
    }

    pub(crate) fn as_f64(&self) -> Option<f64> {
        if self.kind == Kind::Number { self.raw.parse().ok() } else { None }
    }

    pub(crate) fn text(&self) -> Option<Text<'a>> {
        if self.kind != Kind::String {
            return None;
        }
        let raw = self.raw.get(1..self.raw.len().checked_sub(1)?)?;
        Some(Text { raw, start: self.start + 1, escape_overhead: self.escape_overhead })
    }

    /// Decodes a string; `None` for other values.
    pub(crate) fn string(&self) -> Option<Cow<'a, str>> {
        self.text().map(|text| text.decoded())
    }

    /// Returns the number of Unicode scalar values: of a decoded string, or of the JSON of another value.
    pub(crate) fn characters(&self) -> u64 {
        self.text().map_or_else(|| self.raw.chars().count() as u64, |text| text.characters())
    }
}

/// The content of a JSON string.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Text<'a> {
    /// The text between the quotes, with its escapes.
    pub(crate) raw: &'a str,
    /// Its offset in bytes.
    pub(crate) start: usize,
    escape_overhead: usize,
}

impl<'a> Text<'a> {
    /// Returns the offset of the closing quote.
    pub(crate) fn end(&self) -> usize {
        self.start + self.raw.len()
    }

    /// Decodes the text. An unpaired surrogate is decoded to U+FFFD.
    pub(crate) fn decoded(&self) -> Cow<'a, str> {
        if self.escape_overhead == 0 { Cow::Borrowed(self.raw) } else { Cow::Owned(decode(self.raw)) }
    }

    /// Returns the number of Unicode scalar values of the decoded text.
    pub(crate) fn characters(&self) -> u64 {
        self.raw.chars().count().saturating_sub(self.escape_overhead) as u64
    }

    /// Returns the number of bytes that encode the first `decoded` bytes of the decoded text; `None` if it is shorter,
    /// or if they end within a character.
    pub(crate) fn raw_bytes(&self, decoded: usize) -> Option<usize> {
        raw_bytes(self.raw, decoded)
    }
}

/// Returns the number of bytes of `raw` that encode the first `decoded` bytes of the decoded text; `None` if the text
/// is shorter, or if they end within a character.
pub(crate) fn raw_bytes(raw: &str, decoded: usize) -> Option<usize> {
    let (mut at, mut left) = (0, decoded);
    while left > 0 {
        let rest = raw.get(at..)?;
        let (character, length) = match rest.strip_prefix('\\') {
            Some(_) => escape(rest)?,
            None => rest.chars().next().map(|character| (character, character.len_utf8()))?,
        };
        left = left.checked_sub(character.len_utf8())?;
        at += length;
    }
    Some(at)
}

/// Decodes the content of a JSON string.
pub(super) fn decoded(raw: &str) -> Cow<'_, str> {
    if raw.contains('\\') { Cow::Owned(decode(raw)) } else { Cow::Borrowed(raw) }
}

fn decode(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, _)) = rest.split_once('\\') {
        out.push_str(plain);
        let escaped = rest.get(plain.len()..).unwrap_or_default();
        let Some((character, length)) = escape(escaped) else { break };
        out.push(character);
        rest = escaped.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Decodes the escape at the start of a text; returns the character and the length of the escape. `None` if the text is
/// too short.
fn escape(text: &str) -> Option<(char, usize)> {
    let character = match text.as_bytes().get(1)? {
        b'n' => '\n',
        b't' => '\t',
        b'r' => '\r',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'u' => return Some(code_point(text)),
        other => char::from(*other),
    };
    Some((character, 2))
}

fn code_point(text: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = text.get(from..from + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    let first = unit(0).unwrap_or(0xfffd);
    if let Some(second) = unit(6)
        && let Some(Ok(character)) = char::decode_utf16([first, second]).next()
        && character.len_utf16() == 2
    {
        return (character, 12);
    }
    (char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}
