//! A cursor over the tokens of a JSON text.

use std::borrow::Cow;

use super::{
    scan,
    text::{Kind, Value},
};

/// The deepest nesting of lists and objects in a skipped value.
pub(super) const MAX_DEPTH: u32 = 127;

/// A syntax error of a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    /// A description of the error.
    pub(crate) problem: &'static str,
    /// The offset in bytes.
    pub(crate) offset: usize,
}

/// A read position in a JSON text. It is a copy, so that a position can be kept and returned to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// The number of open objects and lists that were entered with [`Cursor::object`] or [`Cursor::array`].
    depth: u32,
    /// Whether all values so far can be represented exactly; see [`Cursor::is_exact`].
    exact: bool,
}

/// An iterator over the remaining members of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Members {
    first: bool,
}

/// An iterator over the remaining elements of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Elements {
    first: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, exact: true }
    }

    /// Returns a cursor over the same text at another offset.
    pub(crate) fn at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// Whether all values so far can be parsed and serialised without loss: numbers of at most 64 bits, strings of
    /// whole characters, and nesting within the limit of `serde_json`.
    pub(crate) fn is_exact(&self) -> bool {
        self.exact
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    fn error(&self, problem: &'static str) -> SyntaxError {
        SyntaxError { problem, offset: self.at }
    }

    /// Skips white space and returns the next byte.
    fn next(&mut self) -> Option<u8> {
        self.at = scan::blank(self.text.as_bytes(), self.at);
        self.text.as_bytes().get(self.at).copied()
    }

    /// Returns the type of the next value without skipping it.
    pub(crate) fn kind(&mut self) -> Result<Kind, SyntaxError> {
        match self.next() {
            Some(b'{') => Ok(Kind::Object),
            Some(b'[') => Ok(Kind::Array),
            Some(b'"') => Ok(Kind::String),
            Some(b'-' | b'0'..=b'9') => Ok(Kind::Number),
            Some(b't') => Ok(Kind::True),
            Some(b'f') => Ok(Kind::False),
            Some(b'n') => Ok(Kind::Null),
            Some(_) => Err(self.error("no value")),
            None => Err(self.error("it ends too early")),
        }
    }

    /// Enters an object; `None`, without moving, if the next value is of another type.
    pub(crate) fn object(&mut self) -> Result<Option<Members>, SyntaxError> {
        let is_one = self.kind()? == Kind::Object;
        self.enter(is_one);
        Ok(is_one.then_some(Members { first: true }))
    }

    /// Enters a list; `None`, without moving, if the next value is of another type.
    pub(crate) fn array(&mut self) -> Result<Option<Elements>, SyntaxError> {
        let is_one = self.kind()? == Kind::Array;
        self.enter(is_one);
        Ok(is_one.then_some(Elements { first: true }))
    }

    fn enter(&mut self, is_one: bool) {
        self.at += usize::from(is_one);
        self.depth += u32::from(is_one);
        self.exact &= self.depth <= MAX_DEPTH;
    }

    /// Skips the next value and returns it with its type and position.
    pub(crate) fn value(&mut self) -> Result<Value<'a>, SyntaxError> {
        let kind = self.kind()?;
        let start = self.at;
        let mut escape_overhead = 0;
        match kind {
            Kind::Object | Kind::Array => self.nested()?,
            Kind::String => escape_overhead = self.string()?,
            _ => self.scalar(kind)?,
        }
        Ok(Value { raw: self.text.get(start..self.at).unwrap_or_default(), start, kind, escape_overhead })
    }

    /// Returns the members with these names if the whole text is an object; `None` if it is of another type. Of
    /// repeated members the last one counts.
    pub(crate) fn get_many<const N: usize>(
        mut self,
        names: [&str; N],
    ) -> Result<Option<[Option<Value<'a>>; N]>, SyntaxError> {
        let Some(mut members) = self.object()? else { return Ok(None) };
        let mut found = [None; N];
        while let Some(name) = members.next(&mut self)? {
            let value = self.value()?;
            if let Some(slot) = names.iter().position(|wanted| name == *wanted).and_then(|at| found.get_mut(at)) {
                *slot = Some(value);
            }
        }
        self.end()?;
        Ok(Some(found))
    }

    /// Returns the text up to a later cursor, without leading white space.
    pub(crate) fn until(mut self, later: &Self) -> &'a str {
        self.at = scan::blank(self.text.as_bytes(), self.at);
        self.text.get(self.at..later.at).unwrap_or_default()
    }

    /// Checks that only white space is left.
    pub(crate) fn end(&mut self) -> Result<(), SyntaxError> {
        self.next().map_or(Ok(()), |_| Err(self.error("something behind the value")))
    }

    fn scalar(&mut self, kind: Kind) -> Result<(), SyntaxError> {
        let word: &[u8] = match kind {
            Kind::True => b"true",
            Kind::False => b"false",
            Kind::Null => b"null",
            _ => {
                let end = scan::number(self.text.as_bytes(), self.at);
                let end = end.ok_or_else(|| self.error("a number that is none"))?;
                self.exact &= scan::is_exact(self.text.get(self.at..end).unwrap_or_default());
                self.at = end;
                return Ok(());
            }
        };
        if self.text.as_bytes().get(self.at..self.at + word.len()) != Some(word) {
            return Err(self.error("no value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Skips a string; returns its [`Value::escape_overhead`].
    fn string(&mut self) -> Result<usize, SyntaxError> {
        let passed = scan::string(self.text.as_bytes(), self.at + 1)?;
        self.at = passed.end;
        self.exact &= passed.whole;
        Ok(passed.escape_overhead)
    }

    /// Skips an object or a list without recursion. `open` has one bit for each open bracket, set for objects.
    fn nested(&mut self) -> Result<(), SyntaxError> {
        let (mut open, mut depth, mut fresh) = (0_u128, 0_u32, true);
        loop {
            if depth > 0 {
                let in_object = open & 1 == 1;
                let byte = self.next();
                if byte == Some(if in_object { b'}' } else { b']' }) {
                    self.at += 1;
                    open >>= 1;
                    depth -= 1;
                    fresh = false;
                    if depth == 0 {
                        return Ok(());
                    }
                    continue;
                }
                self.comma(byte, fresh)?;
                if in_object {
                    self.name()?;
                }
            }
            let kind = self.kind()?;
            fresh = matches!(kind, Kind::Object | Kind::Array);
            if fresh {
                if depth == MAX_DEPTH {
                    return Err(self.error("values nested too deeply"));
                }
                self.at += 1;
                open = open << 1 | u128::from(kind == Kind::Object);
                depth += 1;
                self.exact &= self.depth + depth <= MAX_DEPTH;
            } else if kind == Kind::String {
                self.string()?;
            } else {
                self.scalar(kind)?;
            }
        }
    }

    /// Skips the comma before a member or element, unless it is the first.
    fn comma(&mut self, byte: Option<u8>, first: bool) -> Result<(), SyntaxError> {
        if first {
            return Ok(());
        }
        if byte != Some(b',') {
            return Err(self.error("no comma between values"));
        }
        self.at += 1;
        Ok(())
    }

    /// Skips a name and its colon; returns the name.
    fn name(&mut self) -> Result<Value<'a>, SyntaxError> {
        if self.next() != Some(b'"') {
            return Err(self.error("a member without a name"));
        }
        let start = self.at;
        let escape_overhead = self.string()?;
        let raw = self.text.get(start..self.at).unwrap_or_default();
        if self.next() != Some(b':') {
            return Err(self.error("a name without a value"));
        }
        self.at += 1;
        Ok(Value { raw, start, kind: Kind::String, escape_overhead })
    }
}

impl Members {
    /// Moves to the value of the next member and returns its name; `None` after the last one.
    pub(crate) fn next<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Option<Cow<'a, str>>, SyntaxError> {
        Ok(self.next_name(cursor)?.and_then(|name| name.string()))
    }

    /// Moves to the value of the next member and returns its name as a value; `None` after the last one.
    pub(super) fn next_name<'a>(&mut self, cursor: &mut Cursor<'a>) -> Result<Option<Value<'a>>, SyntaxError> {
        if !more(cursor, &mut self.first, b'}')? {
            return Ok(None);
        }
        cursor.name().map(Some)
    }
}

impl Elements {
    /// Moves to the next element; returns false after the last one.
    pub(crate) fn next(&mut self, cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
        more(cursor, &mut self.first, b']')
    }
}

fn more(cursor: &mut Cursor<'_>, first: &mut bool, close: u8) -> Result<bool, SyntaxError> {
    let byte = cursor.next();
    if byte == Some(close) {
        cursor.at += 1;
        cursor.depth = cursor.depth.saturating_sub(1);
        return Ok(false);
    }
    cursor.comma(byte, std::mem::take(first))?;
    Ok(true)
}
