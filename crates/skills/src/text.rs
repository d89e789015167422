//! [`RequestText`], the words of a request in the form in which keywords are searched (C-09, C-10, C-15 in docs/spec).
//!
//! A text becomes a sequence of tokens: lower-case words without apostrophes, determiners and plural endings. The stream
//! of tokens is one string, in which all keywords are searched at once: a space before and after each token, and a line
//! break where a phrase cannot continue. A keyword has the same form, so it is found as a contiguous sequence of whole
//! words, never within one.

mod negation;
mod path;
mod token;
mod words;

pub(crate) use negation::is_negator;
pub(crate) use path::RequestPath;
pub(crate) use token::normalized_phrase;
use token::{TokenSink, is_connector};

use self::words::WordKind;

/// The length in bytes of the start of a request that is searched, rounded down to a character boundary (decision D38).
pub(crate) const MAX_SEARCHED_BYTES: usize = 256 * 1024;

/// The position of a token in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Token {
    /// The byte of the stream at which the token starts.
    start: usize,
    /// The byte behind its end.
    end: usize,
    /// Whether punctuation ends a clause before the token.
    starts_clause: bool,
}

/// A contiguous sequence of tokens: the index of the first one, and the index behind the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    /// The index of the first token.
    pub(crate) start: usize,
    /// The index behind the last token.
    pub(crate) end: usize,
}

impl Span {
    /// Returns whether this span is within `other` and shorter.
    pub(crate) const fn is_within_longer(self, other: Self) -> bool {
        other.start <= self.start && self.end <= other.end && self.end - self.start < other.end - other.start
    }

    /// Returns the number of tokens.
    pub(crate) const fn len(self) -> usize {
        self.end - self.start
    }
}

/// The tokens of a request. Code between triple backquotes and URLs are left out; of a path only the extension remains.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct RequestText {
    /// All tokens, each with a space before and behind it.
    stream: String,
    /// The tokens in their order.
    tokens: Vec<Token>,
    /// The paths in the text, in their order.
    paths: Vec<RequestPath>,
}

impl RequestText {
    /// Converts the first [`MAX_SEARCHED_BYTES`] of a text.
    pub(crate) fn new(text: &str) -> Self {
        let mut request = Self::default();
        let searched = &text[..text.floor_char_boundary(MAX_SEARCHED_BYTES)];
        let mut sink = TokenSink::default();
        // Every second part is code, also if the last fence is not closed.
        for (index, part) in searched.split("```").enumerate() {
            if index % 2 == 0 {
                request.push_prose(part, &mut sink);
            } else {
                sink.end_clause();
            }
        }
        request.stream = sink.stream;
        request.tokens = sink.tokens;
        request
    }

    /// Adds the words of `part`, a stretch of the text outside of code blocks. Of a path only the extension becomes a word,
    /// and the path is added to `paths`. A URL is skipped, except for text that touches it.
    fn push_prose(&mut self, part: &str, sink: &mut TokenSink) {
        for line in part.split_inclusive('\n') {
            if words::starts_block(line) {
                sink.end_clause();
            }
            for word in line.split_whitespace() {
                match WordKind::of(word) {
                    WordKind::Text => sink.push_text(word),
                    WordKind::Url { before, behind } => {
                        sink.push_text(before);
                        sink.push_text(behind);
                    }
                    WordKind::Path { before, path, behind } => {
                        sink.push_text(before);
                        if let Some(extension) = path.extension() {
                            sink.push_text(extension);
                        }
                        sink.push_text(behind);
                        self.paths.push(path);
                    }
                }
                sink.end_word();
            }
        }
    }

    /// Returns the stream in which keywords are searched.
    pub(crate) fn stream(&self) -> &str {
        &self.stream
    }

    /// Returns the paths in the text.
    pub(crate) fn paths(&self) -> &[RequestPath] {
        &self.paths
    }

    /// Returns the number of tokens.
    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns a token; empty if there is none with this index.
    pub(crate) fn token(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", |token| &self.stream[token.start..token.end])
    }

    /// Returns the tokens of a span, separated by spaces.
    pub(crate) fn words(&self, span: Span) -> String {
        (span.start..span.end).map(|index| self.token(index)).collect::<Vec<_>>().join(" ")
    }

    /// Returns the span of the tokens between two bytes of the stream, which are the spaces around it.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let first = self.tokens.partition_point(|token| token.start < start);
        let behind = self.tokens.partition_point(|token| token.start < end);
        Span { start: first, end: behind }
    }

    /// Returns the number of the clause of each token, from 0. A clause ends at punctuation and before a connector such as
    /// `and`, unless the connector is within one of `phrases` (C-01 in docs/spec).
    pub(crate) fn clauses(&self, phrases: &[Span]) -> Vec<u32> {
        let mut clause = 0;
        let mut is_empty = true;
        let mut numbers = Vec::with_capacity(self.tokens.len());
        for (index, token) in self.tokens.iter().enumerate() {
            let is_inside = |span: &Span| span.start < index && index + 1 < span.end;
            let is_connector = is_connector(self.token(index)) && !phrases.iter().any(is_inside);
            if (token.starts_clause || is_connector) && !is_empty {
                clause += 1;
                is_empty = true;
            }
            // A clause of connectors alone is continued: "and then" ends one clause.
            is_empty &= is_connector;
            numbers.push(clause);
        }
        numbers
    }

    /// Returns whether a span is negated: one of the four tokens before it in the same clause is a word such as `not`
    /// (C-15 in docs/spec). `clauses` are the numbers of the clauses of all tokens.
    pub(crate) fn is_negated(&self, span: Span, clauses: &[u32]) -> bool {
        negation::is_negated(self, span, clauses)
    }
}

#[cfg(test)]
mod tests;
