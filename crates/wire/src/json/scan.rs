//! Finds the ends of strings, numbers and white space in a JSON text, and validates them.

use super::cursor::SyntaxError;

/// The result of scanning a JSON string: its end, the size of its escape sequences, and whether it is valid Unicode.
pub(super) struct ScannedString {
    /// The offset after the closing quote.
    pub(super) end: usize,
    /// By how many bytes its escapes exceed one byte per character.
    pub(super) escape_overhead: usize,
    /// Whether the string is valid Unicode, without unpaired surrogates.
    pub(super) is_valid_unicode: bool,
}

/// A word with the lowest bit of each byte set.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;
/// A word with the highest bit of each byte set.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Scans a JSON string up to its end and validates it. `offset` is after its opening quote.
///
/// # Errors
/// [`SyntaxError`] for control characters, invalid escapes and a missing closing quote.
pub(super) fn scan_string(bytes: &[u8], mut offset: usize) -> Result<ScannedString, SyntaxError> {
    let (mut escape_overhead, mut is_valid_unicode) = (0, true);
    loop {
        offset += unescaped_prefix_length(bytes.get(offset..).unwrap_or_default());
        match bytes.get(offset) {
            Some(b'"') => return Ok(ScannedString { end: offset + 1, escape_overhead, is_valid_unicode }),
            Some(b'\\') => {
                let (length, overhead) =
                    scan_escape(bytes, offset).ok_or(SyntaxError { problem: "an escape that is none", offset })?;
                // An escape of six bytes may encode half of a surrogate pair.
                is_valid_unicode &=
                    length != 6 || utf16_unit(bytes, offset).is_some_and(|unit| !(0xd800..0xe000).contains(&unit));
                offset += length;
                escape_overhead += overhead;
            }
            Some(_) => return Err(SyntaxError { problem: "a control character in a string", offset }),
            None => return Err(SyntaxError { problem: "it ends too early", offset: bytes.len() }),
        }
    }
}

/// Returns the number of leading bytes that are neither quote, backslash nor control character.
///
/// It tests eight bytes at a time with the usual zero-byte test: in `word - LOW_BITS & !word`, the highest bit of a
/// byte is set if the byte is zero. Bytes above a zero byte may be set wrongly, so only the lowest match is used.
#[inline]
fn unescaped_prefix_length(bytes: &[u8]) -> usize {
    let mut unscanned = bytes;
    while let Some((chunk, following)) = unscanned.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        // Bytes that are equal become zero.
        let quote = word ^ (LOW_BITS * u64::from(b'"'));
        let backslash = word ^ (LOW_BITS * u64::from(b'\\'));
        let control_matches = word.wrapping_sub(LOW_BITS * 0x20) & !word;
        let quote_matches = quote.wrapping_sub(LOW_BITS) & !quote;
        let backslash_matches = backslash.wrapping_sub(LOW_BITS) & !backslash;
        let match_bits = (quote_matches | backslash_matches | control_matches) & HIGH_BITS;
        if match_bits != 0 {
            return bytes.len() - unscanned.len() + (match_bits.trailing_zeros() / 8) as usize;
        }
        unscanned = following;
    }
    let tail = unscanned.iter().take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f)).count();
    bytes.len() - unscanned.len() + tail
}

/// Returns the length in bytes of the escape at `offset`, and by how much it exceeds one byte per character: 2 and 1
/// for a short escape, 6 and 5 for `\uXXXX`, 12 and 11 for a surrogate pair. `None` if it is invalid.
#[inline]
fn scan_escape(bytes: &[u8], offset: usize) -> Option<(usize, usize)> {
    match bytes.get(offset + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some((2, 1)),
        b'u' => {
            let first_unit = utf16_unit(bytes, offset)?;
            let is_pair = (0xd800..0xdc00).contains(&first_unit)
                && bytes.get(offset + 6..offset + 8) == Some(b"\\u")
                && utf16_unit(bytes, offset + 6).is_some_and(|second| (0xdc00..0xe000).contains(&second));
            Some(if is_pair { (12, 11) } else { (6, 5) })
        }
        _ => None,
    }
}

/// Returns the UTF-16 code unit that the escape `\uXXXX` at `offset` encodes; `None` if its digits are invalid.
fn utf16_unit(bytes: &[u8], offset: usize) -> Option<u32> {
    let digits = bytes.get(offset + 2..offset + 6)?;
    digits.iter().try_fold(0, |value, digit| Some(value * 16 + char::from(*digit).to_digit(16)?))
}

/// Returns the byte offset after the JSON number that starts at `offset`; `None` if the number is invalid.
pub(super) fn number_end(bytes: &[u8], mut offset: usize) -> Option<usize> {
    let digit_count = |from: usize| bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
    if bytes.get(offset) == Some(&b'-') {
        offset += 1;
    }
    offset += match (bytes.get(offset)?, digit_count(offset)) {
        (b'0', 1) => 1,
        (b'0', _) | (_, 0) => return None,
        (_, digits) => digits,
    };
    if bytes.get(offset) == Some(&b'.') {
        let fraction = digit_count(offset + 1);
        offset += 1 + fraction;
        if fraction == 0 {
            return None;
        }
    }
    if matches!(bytes.get(offset), Some(b'e' | b'E')) {
        offset += 1 + usize::from(matches!(bytes.get(offset + 1), Some(b'+' | b'-')));
        let exponent = digit_count(offset);
        offset += exponent;
        if exponent == 0 {
            return None;
        }
    }
    Some(offset)
}

/// Returns whether `serde_json` parses a number without loss: an integer of at most 64 bits, or any number with an
/// absolute value below 2^53.
pub(super) fn is_exact_number(number: &str) -> bool {
    /// 2^53: from here on, not every integer can be represented as a double.
    const FIRST_INEXACT: f64 = 9_007_199_254_740_992.0;
    /// Integers of at most this many bytes are always exact.
    const MAX_EXACT_BYTES: usize = 15;
    let is_integer = !number.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
    let fits_64_bits =
        || number.len() <= MAX_EXACT_BYTES || number.parse::<u64>().is_ok() || number.parse::<i64>().is_ok();
    if is_integer && fits_64_bits() {
        return true;
    }
    number.parse::<f64>().is_ok_and(|number| number.abs() < FIRST_INEXACT)
}

/// Returns the offset of the first byte from `offset` on that is no white space.
pub(super) fn skip_white_space(bytes: &[u8], mut offset: usize) -> usize {
    while matches!(bytes.get(offset), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        offset += 1;
    }
    offset
}
