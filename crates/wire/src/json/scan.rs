//! The inside of a string, a number and white space, passed over fast.

/// What ended a run of plain bytes in a string.
pub(super) enum Stop {
    Quote(usize),
    Escape(usize),
    /// A control character, which has to be escaped.
    Control(usize),
    /// The end of the input.
    End,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first byte from `at` on that is a quote, a backslash or a control character. Eight bytes at a time: a byte is
/// zero exactly where subtracting one borrows and its own high bit was not set (the lowest such byte is exact).
pub(super) fn plain(bytes: &[u8], mut at: usize) -> Stop {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * 0x22);
        let slash = word ^ (ONES * 0x5c);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = quote.wrapping_sub(ONES) & !quote;
        let slash = slash.wrapping_sub(ONES) & !slash;
        let found = (quote | slash | control) & HIGHS;
        if found != 0 {
            return stop(bytes, at + found.trailing_zeros() as usize / 8);
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
            return stop(bytes, at);
        }
        at += 1;
    }
    Stop::End
}

fn stop(bytes: &[u8], at: usize) -> Stop {
    match bytes.get(at) {
        Some(b'"') => Stop::Quote(at),
        Some(b'\\') => Stop::Escape(at),
        Some(_) => Stop::Control(at),
        None => Stop::End,
    }
}

/// The length of an escape at `at` and how many bytes it takes beyond the one character it stands for; `None` when
/// JSON has no such escape.
pub(super) fn escape(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, 1)),
        b'u' => {
            let first = unit(bytes, at)?;
            let pair = (0xd800..0xdc00).contains(&first)
                && bytes.get(at + 6..at + 8) == Some(b"\\u")
                && unit(bytes, at + 6).is_some_and(|second| (0xdc00..0xe000).contains(&second));
            Some(if pair { (12, 11) } else { (6, 5) })
        }
        _ => None,
    }
}

fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at + 2..at + 6)?;
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

/// The end of a number that begins at `at`; `None` when it is not one.
pub(super) fn number(bytes: &[u8], mut at: usize) -> Option<usize> {
    let digits = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    at += match (bytes.get(at)?, digits(at)) {
        (b'0', 1) => 1,
        (b'0', _) | (_, 0) => return None,
        (_, whole) => whole,
    };
    if bytes.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        at += 1 + fraction;
        if fraction == 0 {
            return None;
        }
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let exponent = digits(at);
        at += exponent;
        if exponent == 0 {
            return None;
        }
    }
    Some(at)
}

/// The first byte from `at` on that is not white space.
pub(super) fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}
