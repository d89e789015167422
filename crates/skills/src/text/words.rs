//! The kinds of words of a request: text, URLs and paths.

use super::path::RequestPath;

/// Characters around a path or a URL that do not belong to it.
const ENCLOSING: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', '"', '\'', '`', '“', '”', '‘', '’', '*'];
/// Punctuation behind a path or a URL that does not belong to it.
const TRAILING: &[char] = &[',', '.', ';', ':', '!', '?'];

/// A part of a request without white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordKind<'a> {
    /// Text.
    Text,
    /// A URL.
    Url {
        /// The characters before it.
        before: &'a str,
        /// The characters behind it.
        behind: &'a str,
    },
    /// A path.
    Path {
        /// The characters before it.
        before: &'a str,
        /// The path.
        path: RequestPath,
        /// The characters behind it.
        behind: &'a str,
    },
}

impl<'a> WordKind<'a> {
    /// Returns the kind of a word.
    pub(super) fn of(word: &'a str) -> Self {
        if let Some(scheme) = word.find("://") {
            let is_scheme = |c: char| c.is_ascii_alphanumeric() || c == '+' || c == '-';
            let start = word[..scheme].trim_end_matches(is_scheme).len();
            let end = word[start..].find([')', ']', '>', '"', '\'', '`']).map_or(word.len(), |end| start + end);
            let end = start + word[start..end].trim_end_matches(TRAILING).len();
            return Self::Url { before: &word[..start], behind: &word[end..] };
        }
        if !word.contains(['/', '\\', '.']) {
            return Self::Text;
        }
        let start = word.len() - word.trim_start_matches(ENCLOSING).len();
        let is_around = |c: char| ENCLOSING.contains(&c) || TRAILING.contains(&c);
        let end = start + word[start..].trim_end_matches(is_around).len();
        match RequestPath::parse(&word[start..end]) {
            Some(path) => Self::Path { before: &word[..start], path, behind: &word[end..] },
            None => Self::Text,
        }
    }
}

/// Returns whether a line starts a new block: it is blank, or an item of a list, or a heading or a quotation.
pub(super) fn starts_block(line: &str) -> bool {
    let line = line.trim();
    let behind_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = behind_number.len() < line.len() && behind_number.starts_with(['.', ')']);
    line.is_empty()
        || is_numbered
        || line.starts_with(['#', '>'])
        || ["- ", "* ", "+ ", "• "].iter().any(|mark| line.starts_with(mark))
}
