//! What a message seems to ask for.
//!
//! A regular expression for each tag says the same, see the tests, and takes many times as long.

use contracts::{IntentTag, IntentTags};

/// So many bytes of a message are looked at.
pub const TEXT_BYTES: usize = 8 * 1024;

/// Words that ask for something by how they begin.
const BEGINNINGS: [(&[u8], IntentTag); 7] = [
    (b"refactor", IntentTag::Refactor),
    (b"rename", IntentTag::Refactor),
    (b"extract", IntentTag::Refactor),
    (b"inline", IntentTag::Refactor),
    (b"cleanup", IntentTag::Refactor),
    (b"simplif", IntentTag::Refactor),
    (b"architect", IntentTag::Architecture),
];

/// The length of the shortest of them.
const SHORTEST_BEGINNING: usize = 6;

/// Words of more bytes say nothing by what stands behind so many.
const LONGEST: usize = 16;

/// The tags of a message, from its first [`TEXT_BYTES`]. Words are runs of ASCII letters, digits and `_`, in any case.
pub fn intent_tags(message: &str) -> IntentTags {
    let mut tags = IntentTags::default();
    let mut rest = &message.as_bytes()[..message.floor_char_boundary(TEXT_BYTES)];
    let mut before = Word::default();
    while let Some(start) = rest.iter().position(|byte| is_of_word(*byte)) {
        let (between, behind) = rest.split_at(start);
        let end = behind.iter().position(|byte| !is_of_word(*byte)).unwrap_or(behind.len());
        let word = Word::of(&behind[..end]);
        tags = of_word(word.as_bytes()).into_iter().fold(tags, IntentTags::with);
        if let Some(tag) = of_words(before.as_bytes(), word.as_bytes())
            && between.iter().all(|byte| matches!(byte, b' ' | b'\t'..=b'\r'))
        {
            tags = tags.with(tag);
        }
        (before, rest) = (word, &behind[end..]);
    }
    tags
}

const fn is_of_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn of_word(word: &[u8]) -> Option<IntentTag> {
    Some(match word {
        b"commit" | b"stage" => IntentTag::Commit,
        b"design" | b"module" | b"abstraction" | b"interface" => IntentTag::Architecture,
        b"debug" | b"bug" | b"error" | b"stacktrace" | b"broken" | b"fail" | b"fails" => IntentTag::Debug,
        b"doc" | b"docs" | b"document" | b"readme" | b"comment" | b"docstring" => IntentTag::Doc,
        b"test" | b"tests" | b"pytest" | b"unittest" | b"e2e" => IntentTag::Test,
        _ if word.len() < SHORTEST_BEGINNING => return None,
        _ => BEGINNINGS.iter().find(|(beginning, _)| word.starts_with(beginning))?.1,
    })
}

/// What two words ask for that have nothing but white space between them.
const fn of_words(one: &[u8], other: &[u8]) -> Option<IntentTag> {
    match (one, other) {
        (b"git", b"add") => Some(IntentTag::Commit),
        (b"stack", b"trace") => Some(IntentTag::Debug),
        (b"unit", b"test") => Some(IntentTag::Test),
        _ => None,
    }
}

/// A word in lower case, cut where it is longer than all that mean something.
#[derive(Default)]
struct Word {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Word {
    fn of(word: &[u8]) -> Self {
        let mut found = Self::default();
        for (place, byte) in found.bytes.iter_mut().zip(word) {
            *place = byte.to_ascii_lowercase();
        }
        found.length = word.len().min(LONGEST);
        found
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
