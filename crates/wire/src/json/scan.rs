//! Scans strings, numbers and white space.

use super::cursor::SyntaxError;

/// The result of scanning a string.
pub(super) struct Passed {
    /// The offset after the closing quote.
    pub(super) end: usize,
    /// By how many bytes its escapes exceed one byte per character.
    pub(super) escape_overhead: usize,
    /// Whether it is valid Unicode, without unpaired surrogates.
    pub(super) whole: bool,
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Scans a string whose content starts at `at`.
pub(super) fn string(bytes: &[u8], mut at: usize) -> Result<Passed, SyntaxError> {
    let (mut escape_overhead, mut whole) = (0, true);
    loop {
        at += plain(bytes.get(at..).unwrap_or_default());
        match bytes.get(at) {
            Some(b'"') => return Ok(Passed { end: at + 1, escape_overhead, whole }),
            Some(b'\\') => {
                let (length, more) =
                    escape(bytes, at).ok_or(SyntaxError { problem: "an escape that is none", offset: at })?;
                // An escape of six bytes may encode half of a surrogate pair.
                whole &= length != 6 || unit(bytes, at).is_some_and(|unit| !(0xd800..0xe000).contains(&unit));
                at += length;
                escape_overhead += more;
            }
            Some(_) => return Err(SyntaxError { problem: "a control character in a string", offset: at }),
            None => return Err(SyntaxError { problem: "it ends too early", offset: bytes.len() }),
        }
    }
}

/// Returns the number of leading bytes that are neither quote, backslash nor control character.
///
/// It tests eight bytes at a time: a byte is zero exactly if subtracting one borrows and its own high bit was not set.
/// Of several matches only the lowest is exact, and only that is used.
#[inline]
fn plain(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, behind)) = rest.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let quote = word ^ (ONES * 0x22);
        let slash = word ^ (ONES * 0x5c);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = quote.wrapping_sub(ONES) & !quote;
        let slash = slash.wrapping_sub(ONES) & !slash;
        let found = (quote | slash | control) & HIGHS;
        if found != 0 {
            return bytes.len() - rest.len() + (found.trailing_zeros() / 8) as usize;
        }
        rest = behind;
    }
    let tail = rest.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
    bytes.len() - rest.len() + tail
}

/// Returns the length in bytes of the escape at `at`, and by how much it exceeds one byte per character; `None` if it
/// is invalid.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
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

/// Returns the offset after the number at `at`; `None` if it is invalid.
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

/// Whether a number is parsed without loss: an integer of at most 64 bits, or any number below 2^53.
pub(super) fn is_exact(number: &str) -> bool {
    /// 2^53, from which on not every integer is a double.
    const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
    /// Numbers of at most this many bytes without an exponent are always exact.
    const SHORT: usize = 15;
    let is_whole = !number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    if is_whole && (number.len() <= SHORT || number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok()) {
        return true;
    }
    number.parse::<f64>().is_ok_and(|number| number.abs() < FIRST_INEXACT)
}

/// Returns the offset of the first byte from `at` on that is not white space.
pub(super) fn blank(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}
