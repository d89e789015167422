//! Detects the end of a JSON object or list that arrives in chunks.

/// Counts the brackets of a JSON object or list that arrives in chunks, to detect where it ends. Brackets in strings
/// are ignored.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BracketCounter {
    /// The number of brackets that are open.
    depth: u64,
    /// Whether the read position is within a string.
    string: InString,
    /// Whether a byte other than white space was read.
    has_begun: bool,
    /// Whether the bracket that closes the object or list was read.
    is_complete: bool,
}

/// The position of the next byte relative to JSON strings, whose brackets are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum InString {
    /// Outside a string.
    #[default]
    No,
    /// Within a string.
    Yes,
    /// Within a string, after a backslash.
    Escaped,
}

impl BracketCounter {
    /// Reads the next chunk of the text. Returns false, without reading further, if a byte other than white space
    /// follows the complete object or list.
    pub(crate) fn feed(&mut self, text: &str) -> bool {
        for byte in text.bytes() {
            if self.is_complete && !byte.is_ascii_whitespace() {
                return false;
            }
            self.feed_byte(byte);
        }
        true
    }

    /// Reads one byte: within a string it may end the string, outside of strings it is counted as a bracket.
    const fn feed_byte(&mut self, byte: u8) {
        self.string = match (self.string, byte) {
            (InString::Yes, b'\\') => InString::Escaped,
            (InString::Yes, b'"') => InString::No,
            (InString::Yes | InString::Escaped, _) => InString::Yes,
            (InString::No, _) => return self.feed_outside_string(byte),
        };
    }

    /// Reads one byte outside of strings: an opening or closing bracket changes the depth, a quote starts a string. At
    /// depth 0 the text is complete.
    const fn feed_outside_string(&mut self, byte: u8) {
        self.has_begun = self.has_begun || !byte.is_ascii_whitespace();
        match byte {
            b'"' => self.string = InString::Yes,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' if self.depth > 0 => {
                self.depth -= 1;
                self.is_complete = self.depth == 0;
            }
            _ => {}
        }
    }

    /// Returns whether a byte other than white space was read.
    pub(crate) const fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns whether the text so far is a complete object or list.
    pub(crate) const fn is_complete(&self) -> bool {
        self.is_complete
    }
}
