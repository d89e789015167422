//! The forms in which a response may contain an API key: unencoded, and in the usual encodings.

use std::{collections::BTreeSet, fmt::Write as _};

/// The minimum length of a form, in bytes. A shorter one could be a word of a response.
const MIN_FORM_BYTES: usize = 8;

/// The alphabets of base64: the standard one, and that of URLs.
const BASE64: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// Returns the forms of an API key that are searched in responses: the key; its characters as `%2D` or `\u002d`, also encoded
/// twice, all of them or all but letters and digits; its bytes as hexadecimal digits; and its base64, also within the base64 of a longer text.
/// None if the key is shorter than 8 bytes.
pub(super) fn forms_of_key(key: &[u8]) -> BTreeSet<Vec<u8>> {
    if key.len() < MIN_FORM_BYTES {
        return BTreeSet::new();
    }
    let mut forms = BTreeSet::from([key.to_vec()]);
    for is_upper in [false, true] {
        forms.insert(written(key, "", |_| false, is_upper));
        for is_left in [(|_| false) as fn(u8) -> bool, |byte| byte.is_ascii_alphanumeric()] {
            // The longer prefixes are those of a text that is encoded twice.
            for prefix in ["%", "%25", "\\u00", "\\\\u00"] {
                forms.insert(written(key, prefix, is_left, is_upper));
            }
        }
    }
    for alphabet in BASE64 {
        forms.extend((0..3).map(|offset| base64_within(key, offset, alphabet)));
    }
    forms.retain(|form| MIN_FORM_BYTES <= form.len());
    forms
}

/// Returns a key with each byte as two hexadecimal digits after `prefix`, except the bytes that `is_left` accepts.
fn written(key: &[u8], prefix: &str, is_left: impl Fn(u8) -> bool, is_upper: bool) -> Vec<u8> {
    let mut text = String::new();
    for byte in key {
        // Writing to a `String` always succeeds.
        let _ = match (is_left(*byte), is_upper) {
            (true, _) => write!(text, "{}", char::from(*byte)),
            (false, false) => write!(text, "{prefix}{byte:02x}"),
            (false, true) => write!(text, "{prefix}{byte:02X}"),
        };
    }
    text.into_bytes()
}

/// Returns the base64 characters that depend on a key alone, if `offset` bytes of a group of three are before it.
fn base64_within(key: &[u8], offset: usize, alphabet: &[u8; 64]) -> Vec<u8> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(key.iter().copied()).collect();
    // Each character has six bits.
    let (first, end) = ((8 * offset).div_ceil(6), 8 * bytes.len() / 6);
    let character = |index: usize| {
        let (byte, bit) = (6 * index / 8, 6 * index % 8);
        let at = |index| bytes.get(index).copied().map_or(0, usize::from);
        alphabet.get((at(byte) << 8 | at(byte + 1)) >> (10 - bit) & 63).copied().unwrap_or_default()
    };
    (first..end).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain encoder, for comparison.
    fn base64(bytes: &[u8]) -> String {
        let mut out = String::new();
        for group in bytes.chunks(3) {
            let number = group.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
            for index in 0..=group.len() {
                out.push(char::from(BASE64[0][(number >> (18 - 6 * index) & 63) as usize]));
            }
        }
        out
    }

    #[test]
    fn the_base64_of_any_text_with_a_key_contains_a_form_of_the_key() {
        let key = b"sk-secret?>>~key";
        let forms = forms_of_key(key);
        for before in 0..7 {
            for after in 0..7 {
                let text = [&b"user:pw"[..before], key, &b"@example"[..after]].concat();
                let encoded = base64(&text);
                let url = encoded.replace('+', "-").replace('/', "_");
                for encoded in [encoded, url] {
                    let is_found = forms.iter().any(|form| encoded.contains(std::str::from_utf8(form).unwrap()));
                    assert!(is_found, "{encoded}");
                }
            }
        }
    }

    #[test]
    fn a_key_has_its_escaped_and_hexadecimal_forms() {
        let forms = forms_of_key(b"sk-key_1");
        for form in [
            "sk-key_1",
            "sk%2Dkey%5f1",
            "%73%6B%2D%6B%65%79%5F%31",
            "sk%252dkey%255f1",
            "\\u0073\\u006b",
            "736b2d6b65795f31",
        ] {
            let is_found = |found: &Vec<u8>| {
                let found = std::str::from_utf8(found).unwrap();
                found.eq_ignore_ascii_case(form) || (form.starts_with('\\') && found.starts_with(form))
            };
            assert!(forms.iter().any(is_found), "{form}");
        }
        assert!(forms_of_key(b"short").is_empty());
    }
}
