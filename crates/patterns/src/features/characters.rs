//! Counts of characters by class, in one pass over the bytes of a text.

/// ASCII symbols that are typical of formulas and code.
const SYMBOLS: &[u8] = b"=+*/^<>(){}[]$%\\|&_;:`#";

/// The number of characters of each class in a text. Letters and digits of all scripts count, other classes are ASCII.
#[derive(Debug, Default)]
pub(super) struct CharacterCounts {
    /// All characters.
    pub(super) all: u64,
    /// Upper-case letters.
    pub(super) upper: u64,
    /// Digits and other numeric characters.
    pub(super) digits: u64,
    /// Characters in [`SYMBOLS`].
    pub(super) symbols: u64,
    /// Commas.
    pub(super) commas: u64,
    /// Single and double quotes.
    pub(super) quotes: u64,
    /// Question marks.
    pub(super) questions: u64,
    /// Marks `.`, `!` and `?` at the end of the text or before white space.
    pub(super) sentence_ends: u64,
}

impl CharacterCounts {
    /// Counts the characters of `text` by class in one pass over its bytes; all counts are 0 if the text is empty.
    pub(super) fn count(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut byte_counts = [0_u32; 256];
        let mut sentence_ends = 0;
        for (index, byte) in bytes.iter().enumerate() {
            byte_counts[usize::from(*byte)] += 1;
            if matches!(byte, b'.' | b'!' | b'?') {
                let next = text.get(index + 1..).and_then(|rest| rest.chars().next());
                sentence_ends += u64::from(next.is_none_or(char::is_whitespace));
            }
        }
        let count_byte = |byte: u8| u64::from(byte_counts[usize::from(byte)]);
        let count_all = |bytes: &[u8]| bytes.iter().map(|byte| count_byte(*byte)).sum::<u64>();
        let count_range = |first: u8, last: u8| (first..=last).map(count_byte).sum::<u64>();
        let mut counts = Self {
            // All bytes except UTF-8 continuation bytes.
            all: bytes.len() as u64 - count_range(0x80, 0xbf),
            upper: count_range(b'A', b'Z'),
            digits: count_range(b'0', b'9'),
            symbols: count_all(SYMBOLS),
            commas: count_byte(b','),
            quotes: count_all(b"\"'"),
            questions: count_byte(b'?'),
            sentence_ends,
        };
        if counts.all < bytes.len() as u64 {
            for character in text.chars().filter(|character| !character.is_ascii()) {
                counts.upper += u64::from(character.is_uppercase());
                counts.digits += u64::from(character.is_numeric());
            }
        }
        counts
    }
}
