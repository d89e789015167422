//! Tokens: the words of a text in the form in which they are compared.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization as _;

use super::Token;

/// Words that are left out of texts and keywords, so that "roast the code" is "roast this code" (C-10 in docs/spec).
const DETERMINERS: &[&str] = &["a", "an", "its", "my", "our", "that", "the", "these", "this", "those", "your"];
/// Words that start a clause (C-01 in docs/spec). "and then" is two of them.
const CONNECTORS: &[&str] = &["after", "and", "before", "but", "plus", "then", "with"];
/// The length in bytes from which a word can be a plural. Shorter ones are names such as `aws` and `ios`.
const MIN_PLURAL_BYTES: usize = 4;
/// Endings whose `e` is also removed from the singular, so that `caches` is `cache` and `matches` is `match`.
const SIBILANTS: &[&str] = &["che", "she", "sse", "xe", "ze"];

/// Returns whether a token is left out.
pub(super) fn is_determiner(token: &str) -> bool {
    DETERMINERS.binary_search(&token).is_ok()
}

/// Returns whether a token starts a clause.
pub(super) fn is_connector(token: &str) -> bool {
    CONNECTORS.binary_search(&token).is_ok()
}

/// Converts a keyword to the form of the stream: its tokens, each with a space before and behind it. Empty if the keyword
/// has no token.
pub(crate) fn normalized_phrase(keyword: &str) -> String {
    let mut sink = TokenSink { is_phrase: true, ..TokenSink::default() };
    for word in keyword.split_whitespace() {
        sink.push_text(word);
        sink.end_word();
    }
    sink.stream
}

/// Collects the tokens of a text.
#[derive(Debug, Default)]
pub(super) struct TokenSink {
    /// All tokens so far, each with a space before and behind it.
    pub(super) stream: String,
    /// The positions of the tokens.
    pub(super) tokens: Vec<Token>,
    /// The characters of the token that has not ended.
    current: String,
    /// Whether the characters since the last token end a clause.
    ends_clause: bool,
    /// Whether the last character ends a clause if white space follows it.
    pending: bool,
    /// Whether the text is a keyword, which has no clauses.
    is_phrase: bool,
}

impl TokenSink {
    /// Adds the characters of a word or of a part of one.
    pub(super) fn push_text(&mut self, text: &str) {
        if text == "&&" {
            self.end_clause();
        } else if text.is_ascii() {
            text.chars().for_each(|c| self.push(c.to_ascii_lowercase()));
        } else {
            text.nfkc().flat_map(char::to_lowercase).for_each(|c| self.push(c));
        }
    }

    /// Adds a character in lower case.
    fn push(&mut self, c: char) {
        match c {
            'a'..='z' | '0'..='9' => self.push_letter(c),
            '\'' | '’' | 'ʼ' | '‘' => {}
            // `v&v` is one token, `a&&b` are two clauses.
            '&' if self.current.ends_with('&') => self.end_clause(),
            // Also `c++` and `c#` are one token.
            '&' | '+' | '#' if !self.current.is_empty() => self.current.push(c),
            ';' | ',' | '.' | '!' | '?' => {
                self.end_token();
                self.pending = true;
            }
            '、' | '。' => self.end_clause(),
            _ if is_ideograph(c) => {
                // A text without spaces is searched character by character.
                self.end_token();
                self.push_letter(c);
                self.end_token();
            }
            _ if c.is_alphanumeric() => self.push_letter(c),
            _ => self.end_token(),
        }
    }

    /// Adds a letter or a digit.
    fn push_letter(&mut self, c: char) {
        // `x#y` are two tokens.
        if self.current.ends_with(['#', '+']) {
            self.end_token();
        }
        self.pending = false;
        self.current.push(c);
    }

    /// Ends a word at white space. Punctuation before it ends the clause.
    pub(super) fn end_word(&mut self) {
        self.end_token();
        self.ends_clause |= self.pending;
        self.pending = false;
    }

    /// Ends the clause, such as at a blank line.
    pub(super) fn end_clause(&mut self) {
        self.end_token();
        self.ends_clause = true;
    }

    /// Adds the current token to the stream, unless it is left out.
    fn end_token(&mut self) {
        let token = self.current.trim_end_matches('&');
        // One `+` or `#` alone is punctuation, except in `c#`.
        let token = if token.ends_with("++") { token } else { token.trim_end_matches('+') };
        if !token.is_empty() && !is_determiner(token) {
            let token = if is_connector(token) { Cow::Borrowed(token) } else { singular(token) };
            if self.stream.is_empty() {
                self.stream.push(' ');
            }
            let starts_clause = self.ends_clause && !self.is_phrase && !self.tokens.is_empty();
            if starts_clause {
                self.stream.push_str("\n ");
            }
            let start = self.stream.len();
            self.stream.push_str(&token);
            self.tokens.push(Token { start, end: self.stream.len(), starts_clause });
            self.stream.push(' ');
            self.ends_clause = false;
        }
        self.current.clear();
    }
}

/// Removes the ending of a plural from a token. Words of one stem have one result, which need not be a word: `phase` and
/// `phases`, `query` and `queries`, `cookie` and `cookies`. Verbs are not stemmed (C-09 in docs/spec).
fn singular(token: &str) -> Cow<'_, str> {
    if token.len() < MIN_PLURAL_BYTES || !token.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(token);
    }
    let is_plural = token.ends_with('s') && !token.ends_with("ss");
    let stem = if is_plural { token.strip_suffix('s').unwrap_or(token) } else { token };
    if let Some(stem) = stem.strip_suffix("ie") {
        return Cow::Owned(format!("{stem}y"));
    }
    let is_sibilant = SIBILANTS.iter().any(|ending| stem.ends_with(ending));
    Cow::Borrowed(if is_sibilant { stem.strip_suffix('e').unwrap_or(stem) } else { stem })
}

/// Returns whether a character is a word by itself, in a script without spaces between words.
const fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}
