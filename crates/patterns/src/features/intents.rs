//! The intents of a message, recognised by keywords.
//!
//! Equivalent to one regular expression for each intent, which the tests compare, and many times faster.

use contracts::{IntentTag, IntentTags};

/// The number of bytes at the start of a message that are scanned for keywords; later ones are ignored.
pub const SCANNED_BYTES: usize = 8 * 1024;

/// Word prefixes that denote an intent: `simplif` matches `simplify` and `simplification`.
const PREFIXES: [(&[u8], IntentTag); 7] = [
    (b"refactor", IntentTag::Refactor),
    (b"rename", IntentTag::Refactor),
    (b"extract", IntentTag::Refactor),
    (b"inline", IntentTag::Refactor),
    (b"cleanup", IntentTag::Refactor),
    (b"simplif", IntentTag::Refactor),
    (b"architect", IntentTag::Architecture),
];

/// The length in bytes of the shortest prefix; shorter words need no comparison with prefixes.
const MIN_PREFIX_BYTES: usize = 6;

/// The number of bytes of a word that are compared; all keywords and prefixes are shorter.
const MAX_WORD_BYTES: usize = 16;

/// Detects the intents of a user message (commit, refactor, debug, …) by the keywords in its first [`SCANNED_BYTES`]
/// bytes. Returns an empty set if no keyword occurs.
///
/// Words are runs of ASCII letters, digits and `_`; case is ignored.
pub fn intent_tags(message: &str) -> IntentTags {
    let mut tags = IntentTags::default();
    let mut rest = &message.as_bytes()[..message.floor_char_boundary(SCANNED_BYTES)];
    let mut previous = LowercaseWord::default();
    while let Some(start) = rest.iter().position(|byte| is_word_byte(*byte)) {
        let (separator, from_word) = rest.split_at(start);
        let end = from_word.iter().position(|byte| !is_word_byte(*byte)).unwrap_or(from_word.len());
        let word = LowercaseWord::new(&from_word[..end]);
        tags = intent_of_word(word.as_bytes()).into_iter().fold(tags, IntentTags::with);
        if let Some(tag) = intent_of_pair(previous.as_bytes(), word.as_bytes())
            && separator.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
        {
            tags = tags.with(tag);
        }
        (previous, rest) = (word, &from_word[end..]);
    }
    tags
}

/// Whether a byte is an ASCII letter, a digit or `_`.
const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the intent of a lower-case word: the word is a keyword of the intent, such as `stacktrace` for debugging, or
/// starts with one of its prefixes; `None` if the word is no keyword.
fn intent_of_word(word: &[u8]) -> Option<IntentTag> {
    Some(match word {
        b"commit" | b"stage" => IntentTag::Commit,
        b"design" | b"module" | b"abstraction" | b"interface" => IntentTag::Architecture,
        b"debug" | b"bug" | b"error" | b"stacktrace" | b"broken" | b"fail" | b"fails" => IntentTag::Debug,
        b"doc" | b"docs" | b"document" | b"readme" | b"comment" | b"docstring" => IntentTag::Doc,
        b"test" | b"tests" | b"pytest" | b"unittest" | b"e2e" => IntentTag::Test,
        _ if word.len() < MIN_PREFIX_BYTES => return None,
        _ => PREFIXES.iter().find(|(prefix, _)| word.starts_with(prefix))?.1,
    })
}

/// Returns the intent for which two consecutive lower-case words are a keyword, such as committing for `git add`;
/// `None` if the pair is no keyword. The caller checks that only white space separates the words.
const fn intent_of_pair(first: &[u8], second: &[u8]) -> Option<IntentTag> {
    match (first, second) {
        (b"git", b"add") => Some(IntentTag::Commit),
        (b"stack", b"trace") => Some(IntentTag::Debug),
        (b"unit", b"test") => Some(IntentTag::Test),
        _ => None,
    }
}

/// A word in lower case, truncated to [`MAX_WORD_BYTES`] bytes.
#[derive(Default)]
struct LowercaseWord {
    /// The word in lower case, padded with zeros.
    bytes: [u8; MAX_WORD_BYTES],
    /// The number of bytes used.
    length: usize,
}

impl LowercaseWord {
    /// Truncates a word and converts its ASCII letters to lower case.
    fn new(word: &[u8]) -> Self {
        let mut bytes = [0; MAX_WORD_BYTES];
        for (lower, byte) in bytes.iter_mut().zip(word) {
            *lower = byte.to_ascii_lowercase();
        }
        Self { bytes, length: word.len().min(MAX_WORD_BYTES) }
    }

    /// Returns the truncated word in lower case.
    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
