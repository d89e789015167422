//! What characters a text is made of, counted in one pass over its bytes.

/// Symbols of formulas and of code.
const SYMBOLS: &[u8] = b"=+*/^<>(){}[]$%\\|&_;:`#";

/// How many characters of each kind a text has.
#[derive(Debug, Default)]
pub(super) struct Characters {
    pub(super) all: u64,
    pub(super) upper: u64,
    pub(super) digits: u64,
    pub(super) symbols: u64,
    pub(super) commas: u64,
    pub(super) quotes: u64,
    pub(super) questions: u64,
    /// Full stops and their like with white space or nothing behind.
    pub(super) sentences: u64,
}

impl Characters {
    pub(super) fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut times = [0_u32; 256];
        let mut sentences = 0;
        for (place, byte) in bytes.iter().enumerate() {
            times[usize::from(*byte)] += 1;
            if matches!(byte, b'.' | b'!' | b'?') {
                let next = text.get(place + 1..).and_then(|rest| rest.chars().next());
                sentences += u64::from(next.is_none_or(char::is_whitespace));
            }
        }
        let of = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(times[usize::from(*byte)])).sum::<u64>();
        let range = |first: u8, last: u8| (first..=last).map(|byte| u64::from(times[usize::from(byte)])).sum::<u64>();
        let mut found = Self {
            // Every byte but those that go on with a character.
            all: bytes.len() as u64 - range(0x80, 0xbf),
            upper: range(b'A', b'Z'),
            digits: range(b'0', b'9'),
            symbols: of(SYMBOLS),
            commas: of(b","),
            quotes: of(b"\"'"),
            questions: of(b"?"),
            sentences,
        };
        if found.all < bytes.len() as u64 {
            for character in text.chars().filter(|character| !character.is_ascii()) {
                found.upper += u64::from(character.is_uppercase());
                found.digits += u64::from(character.is_numeric());
            }
        }
        found
    }
}
