//! A cursor over the tokens of a JSON text, and the validation of skipped values.

use std::borrow::Cow;

use super::{
    scan,
    text::{Value, ValueKind},
};

/// The maximum nesting depth of lists and objects in a skipped value, the limit of `serde_json`. One bit of a `u128` is
/// needed for each level.
pub(super) const MAX_DEPTH: u32 = 127;

/// A syntax error in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// A description of the error, without content of the text.
    pub(crate) problem: &'static str,
    /// The byte offset of the error in the text.
    pub(crate) offset: usize,
}

/// A read position in a JSON text. It is `Copy`, so that a caller can store a position and return to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    /// The JSON text.
    text: &'a str,
    /// The byte offset of the next character to read.
    offset: usize,
    /// The number of objects and lists that were entered with [`Cursor::enter_object`] or [`Cursor::enter_array`] and
    /// not left yet.
    depth: u32,
    /// Whether all values so far can be represented exactly; see [`Cursor::is_exact`].
    is_exact: bool,
}

/// The members of an object that a [`Cursor`] has entered and not read yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ObjectMembers {
    /// Whether no member has been read, so that no comma comes before the next one.
    is_first: bool,
}

/// The elements of a list that a [`Cursor`] has entered and not read yet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArrayElements {
    /// Whether no element has been read, so that no comma comes before the next one.
    is_first: bool,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a text.
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, depth: 0, is_exact: true }
    }

    /// Returns a cursor over the same text at another byte offset.
    pub(crate) fn moved_to(self, offset: usize) -> Self {
        Self { offset, ..self }
    }

    /// Returns whether all values so far can be parsed and serialised without loss: numbers of at most 64 bits, strings
    /// without unpaired surrogates, and nesting within the limit of `serde_json`.
    pub(crate) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Returns the byte offset of the read position.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// Returns a syntax error at the read position.
    fn error(&self, problem: &'static str) -> SyntaxError {
        SyntaxError { problem, offset: self.offset }
    }

    /// Skips white space and returns the next byte without moving past it; `None` at the end of the text.
    fn peek_byte(&mut self) -> Option<u8> {
        self.offset = scan::skip_white_space(self.text.as_bytes(), self.offset);
        self.text.as_bytes().get(self.offset).copied()
    }

    /// Returns the type of the next JSON value without moving past it.
    ///
    /// # Errors
    /// [`SyntaxError`] at the end of the text, or if the next byte starts no value.
    pub(crate) fn peek_kind(&mut self) -> Result<ValueKind, SyntaxError> {
        match self.peek_byte() {
            Some(b'{') => Ok(ValueKind::Object),
            Some(b'[') => Ok(ValueKind::Array),
            Some(b'"') => Ok(ValueKind::String),
            Some(b'-' | b'0'..=b'9') => Ok(ValueKind::Number),
            Some(b't') => Ok(ValueKind::True),
            Some(b'f') => Ok(ValueKind::False),
            Some(b'n') => Ok(ValueKind::Null),
            Some(_) => Err(self.error("no value")),
            None => Err(self.error("it ends too early")),
        }
    }

    /// Moves past the opening brace of an object; `None`, without moving, if the next value is of another type.
    ///
    /// # Errors
    /// [`SyntaxError`] if there is no value.
    pub(crate) fn enter_object(&mut self) -> Result<Option<ObjectMembers>, SyntaxError> {
        let is_object = self.peek_kind()? == ValueKind::Object;
        self.enter_if(is_object);
        Ok(is_object.then_some(ObjectMembers { is_first: true }))
    }

    /// Moves past the opening bracket of a list; `None`, without moving, if the next value is of another type.
    ///
    /// # Errors
    /// [`SyntaxError`] if there is no value.
    pub(crate) fn enter_array(&mut self) -> Result<Option<ArrayElements>, SyntaxError> {
        let is_array = self.peek_kind()? == ValueKind::Array;
        self.enter_if(is_array);
        Ok(is_array.then_some(ArrayElements { is_first: true }))
    }

    /// Moves past an opening bracket, and counts it as a level of nesting, if `matches` is true.
    fn enter_if(&mut self, matches: bool) {
        self.offset += usize::from(matches);
        self.depth += u32::from(matches);
        self.is_exact &= self.depth <= MAX_DEPTH;
    }

    /// Skips the next value, validates it, and returns it with its type and position.
    ///
    /// # Errors
    /// [`SyntaxError`] if the value is invalid, or nested deeper than [`MAX_DEPTH`].
    pub(crate) fn read_value(&mut self) -> Result<Value<'a>, SyntaxError> {
        let kind = self.peek_kind()?;
        let start = self.offset;
        let mut escape_overhead = 0;
        match kind {
            ValueKind::Object | ValueKind::Array => self.skip_nested()?,
            ValueKind::String => escape_overhead = self.skip_string()?,
            _ => self.skip_scalar(kind)?,
        }
        Ok(Value { raw: self.text.get(start..self.offset).unwrap_or_default(), start, kind, escape_overhead })
    }

    /// Parses the text to its end and returns the members with these names, in the order of `names`. The result is
    /// `None` if the text is not an object, a single member `None` if it is missing; of repeated members the last one
    /// counts.
    ///
    /// # Errors
    /// [`SyntaxError`] if the text is not valid JSON.
    pub(crate) fn get_many<const N: usize>(
        mut self,
        names: [&str; N],
    ) -> Result<Option<[Option<Value<'a>>; N]>, SyntaxError> {
        let Some(mut members) = self.enter_object()? else { return Ok(None) };
        let mut values = [None; N];
        while let Some(name) = members.next(&mut self)? {
            let value = self.read_value()?;
            if let Some(slot) =
                names.iter().position(|requested| name == *requested).and_then(|slot| values.get_mut(slot))
            {
                *slot = Some(value);
            }
        }
        self.expect_end()?;
        Ok(Some(values))
    }

    /// Returns the text between this cursor and a later one, without leading white space.
    pub(crate) fn text_until(mut self, later: &Self) -> &'a str {
        self.offset = scan::skip_white_space(self.text.as_bytes(), self.offset);
        self.text.get(self.offset..later.offset).unwrap_or_default()
    }

    /// Checks that only white space is left.
    ///
    /// # Errors
    /// [`SyntaxError`] if there is anything else.
    pub(crate) fn expect_end(&mut self) -> Result<(), SyntaxError> {
        self.peek_byte().map_or(Ok(()), |_| Err(self.error("something behind the value")))
    }

    /// Skips a number, `true`, `false` or `null`. An inexact number is recorded for [`Cursor::is_exact`].
    ///
    /// # Errors
    /// [`SyntaxError`] if the value is not spelled correctly.
    fn skip_scalar(&mut self, kind: ValueKind) -> Result<(), SyntaxError> {
        let literal: &[u8] = match kind {
            ValueKind::True => b"true",
            ValueKind::False => b"false",
            ValueKind::Null => b"null",
            _ => {
                let end = scan::number_end(self.text.as_bytes(), self.offset);
                let end = end.ok_or_else(|| self.error("a number that is none"))?;
                self.is_exact &= scan::is_exact_number(self.text.get(self.offset..end).unwrap_or_default());
                self.offset = end;
                return Ok(());
            }
        };
        if self.text.as_bytes().get(self.offset..self.offset + literal.len()) != Some(literal) {
            return Err(self.error("no value"));
        }
        self.offset += literal.len();
        Ok(())
    }

    /// Skips a string; returns its [`Value::escape_overhead`], in bytes.
    ///
    /// # Errors
    /// [`SyntaxError`] if the string is invalid.
    fn skip_string(&mut self) -> Result<usize, SyntaxError> {
        let string = scan::scan_string(self.text.as_bytes(), self.offset + 1)?;
        self.offset = string.end;
        self.is_exact &= string.is_valid_unicode;
        Ok(string.escape_overhead)
    }

    /// Skips an object or a list, and validates it without recursion.
    ///
    /// `open_brackets` is a stack of the brackets that are open, one bit each, the innermost one in the lowest bit: 1 for an
    /// object, 0 for a list. `depth` is its height, at most [`MAX_DEPTH`].
    ///
    /// # Errors
    /// [`SyntaxError`] if the value is invalid, or nested deeper than [`MAX_DEPTH`].
    fn skip_nested(&mut self) -> Result<(), SyntaxError> {
        let (mut open_brackets, mut depth, mut is_first) = (0_u128, 0_u32, true);
        loop {
            if depth > 0 {
                let is_in_object = open_brackets & 1 == 1;
                let byte = self.peek_byte();
                if byte == Some(if is_in_object { b'}' } else { b']' }) {
                    self.offset += 1;
                    open_brackets >>= 1;
                    depth -= 1;
                    is_first = false;
                    if depth == 0 {
                        return Ok(());
                    }
                    continue;
                }
                self.skip_comma(byte, is_first)?;
                if is_in_object {
                    self.read_name()?;
                }
            }
            let kind = self.peek_kind()?;
            is_first = matches!(kind, ValueKind::Object | ValueKind::Array);
            if is_first {
                if depth == MAX_DEPTH {
                    return Err(self.error("values nested too deeply"));
                }
                self.offset += 1;
                open_brackets = open_brackets << 1 | u128::from(kind == ValueKind::Object);
                depth += 1;
                self.is_exact &= self.depth + depth <= MAX_DEPTH;
            } else if kind == ValueKind::String {
                self.skip_string()?;
            } else {
                self.skip_scalar(kind)?;
            }
        }
    }

    /// Skips the comma before a member or element; does nothing if the member or element is the first. `byte` is the
    /// next byte.
    ///
    /// # Errors
    /// [`SyntaxError`] if there is no comma.
    fn skip_comma(&mut self, byte: Option<u8>, is_first: bool) -> Result<(), SyntaxError> {
        if is_first {
            return Ok(());
        }
        if byte != Some(b',') {
            return Err(self.error("no comma between values"));
        }
        self.offset += 1;
        Ok(())
    }

    /// Skips the name of a member and its colon; returns the name as a string value.
    ///
    /// # Errors
    /// [`SyntaxError`] if there is no name, or no colon after it.
    fn read_name(&mut self) -> Result<Value<'a>, SyntaxError> {
        if self.peek_byte() != Some(b'"') {
            return Err(self.error("a member without a name"));
        }
        let start = self.offset;
        let escape_overhead = self.skip_string()?;
        let raw = self.text.get(start..self.offset).unwrap_or_default();
        if self.peek_byte() != Some(b':') {
            return Err(self.error("a name without a value"));
        }
        self.offset += 1;
        Ok(Value { raw, start, kind: ValueKind::String, escape_overhead })
    }
}

impl ObjectMembers {
    /// Moves `cursor` to the value of the next member and returns the decoded name; `None` after the last member.
    ///
    /// # Errors
    /// [`SyntaxError`] if a comma, the name or its colon is missing.
    pub(crate) fn next<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Option<Cow<'a, str>>, SyntaxError> {
        Ok(self.next_name(cursor)?.and_then(|name| name.string()))
    }

    /// Moves `cursor` to the value of the next member and returns the name with its position; `None` after the last
    /// member.
    ///
    /// # Errors
    /// [`SyntaxError`] if a comma, the name or its colon is missing.
    pub(super) fn next_name<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Option<Value<'a>>, SyntaxError> {
        if !advance(cursor, &mut self.is_first, b'}')? {
            return Ok(None);
        }
        cursor.read_name().map(Some)
    }
}

impl ArrayElements {
    /// Moves `cursor` to the next element; returns false after the last one.
    ///
    /// # Errors
    /// [`SyntaxError`] if a comma is missing.
    pub(crate) fn next(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
        advance(cursor, &mut self.is_first, b']')
    }
}

/// Moves `cursor` to the next member or element and returns true. Returns false, and leaves the object or list, if the
/// next byte is its closing bracket `close`. `is_first` is cleared.
///
/// # Errors
/// [`SyntaxError`] if the comma before a later member or element is missing.
fn advance(cursor: &mut Cursor<'_>, is_first: &mut bool, close: u8) -> Result<bool, SyntaxError> {
    let byte = cursor.peek_byte();
    if byte == Some(close) {
        cursor.offset += 1;
        cursor.depth = cursor.depth.saturating_sub(1);
        return Ok(false);
    }
    cursor.skip_comma(byte, std::mem::take(is_first))?;
    Ok(true)
}
