//! The forms in which a response may contain an API key: unencoded, and in the usual encodings.

use std::collections::BTreeSet;

/// The minimum length of a form, in bytes. A shorter one could be a word of a response.
const MIN_FORM_BYTES: usize = 8;

/// The alphabets of base64: the standard one, and that of URLs.
const BASE64: [&[u8; 64]; 2] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
];

/// The alphabets of base32: the standard one in upper and lower case, and "base32hex".
const BASE32: [&[u8; 32]; 4] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    b"abcdefghijklmnopqrstuvwxyz234567",
    b"0123456789ABCDEFGHIJKLMNOPQRSTUV",
    b"0123456789abcdefghijklmnopqrstuv",
];

/// What is written before and after each byte that is written as two hexadecimal digits: in URLs, JSON, HTML and source
/// texts. The longer ones are those of a text that is encoded twice.
const HEXADECIMAL: [(&str, &str); 8] =
    [("%", ""), ("%25", ""), ("\\u00", ""), ("\\\\u00", ""), ("\\x", ""), ("\\\\x", ""), ("&#x", ";"), ("\\u{", "}")];

/// The separators between the bytes of a key in a list of hexadecimal or decimal numbers.
const SEPARATORS: [&str; 5] = ["", ":", " ", ",", ", "];

/// Returns the forms of an API key that are searched in responses. `docs/security.md` lists them. None if the key is shorter
/// than 8 bytes.
pub(super) fn forms_of_key(key: &[u8]) -> BTreeSet<Vec<u8>> {
    if key.len() < MIN_FORM_BYTES {
        return BTreeSet::new();
    }
    let reversed = key.iter().rev().copied().collect();
    let mut forms = BTreeSet::from([key.to_vec(), key.to_ascii_lowercase(), key.to_ascii_uppercase(), reversed]);
    for separator in SEPARATORS {
        forms.insert(listed(key, separator, |byte| format!("{byte:02x}")));
        forms.insert(listed(key, separator, |byte| format!("{byte:02X}")));
        if !separator.is_empty() {
            forms.insert(listed(key, separator, |byte| byte.to_string()));
        }
    }
    for is_left in [(|_| false) as fn(u8) -> bool, |byte| byte.is_ascii_alphanumeric()] {
        for (before, after) in HEXADECIMAL {
            forms.insert(written(key, is_left, |byte| format!("{before}{byte:02x}{after}")));
            forms.insert(written(key, is_left, |byte| format!("{before}{byte:02X}{after}")));
        }
        forms.insert(written(key, is_left, |byte| format!("&#{byte};")));
    }
    for alphabet in BASE64 {
        forms.extend((0..3).map(|offset| encoded_interior(key, offset, 6, alphabet)));
    }
    // JSON may write `/` as `\/`, also in base64.
    let slashed: Vec<_> = forms.iter().filter(|form| form.contains(&b'/')).map(|form| slashes_escaped(form)).collect();
    forms.extend(slashed);
    for alphabet in BASE32 {
        forms.extend((0..5).map(|offset| encoded_interior(key, offset, 5, alphabet)));
    }
    forms.retain(|form| MIN_FORM_BYTES <= form.len());
    forms
}

/// Returns a key with each byte replaced by what `encode` returns for it, except the bytes that `is_left` accepts.
fn written(key: &[u8], is_left: impl Fn(u8) -> bool, encode: impl Fn(u8) -> String) -> Vec<u8> {
    let encoded = |byte: &u8| if is_left(*byte) { vec![*byte] } else { encode(*byte).into_bytes() };
    key.iter().flat_map(encoded).collect()
}

/// Returns the bytes of a key as a list: what `encode` returns for each, with `separator` between them.
fn listed(key: &[u8], separator: &str, encode: impl Fn(u8) -> String) -> Vec<u8> {
    key.iter().map(|byte| encode(*byte)).collect::<Vec<_>>().join(separator).into_bytes()
}

/// Returns a form with each `/` as `\/`.
fn slashes_escaped(form: &[u8]) -> Vec<u8> {
    written(form, |byte| byte != b'/', |byte| format!("\\{}", char::from(byte)))
}

/// Encodes a key that follows `offset` other bytes, and returns only the characters that no other byte contributes to, so
/// that an encoded text with the key can be searched for them. A character encodes `bits_per_character` bits: 6 in
/// base64, 5 in base32.
fn encoded_interior(key: &[u8], offset: usize, bits_per_character: usize, alphabet: &[u8]) -> Vec<u8> {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(key.iter().copied()).collect();
    let (first_character, end_character) =
        ((8 * offset).div_ceil(bits_per_character), 8 * bytes.len() / bits_per_character);
    let byte_at = |index: usize| bytes.get(index).copied().map_or(0, usize::from);
    let mask = (1 << bits_per_character) - 1;
    let character = |index: usize| {
        let (byte, bit) = (bits_per_character * index / 8, bits_per_character * index % 8);
        // A character's bits are in at most two bytes.
        let two_bytes = byte_at(byte) << 8 | byte_at(byte + 1);
        let value = two_bytes >> (16 - bits_per_character - bit) & mask;
        alphabet.get(value).copied().unwrap_or_default()
    };
    (first_character..end_character).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plain encoder without padding, for comparison: characters of `bits` bits, the first byte first.
    fn encode(bytes: &[u8], bits: usize, alphabet: &[u8]) -> String {
        let mut digits: String = bytes.iter().map(|byte| format!("{byte:08b}")).collect::<Vec<_>>().concat();
        digits.push_str(&"0".repeat((bits - digits.len() % bits) % bits));
        let groups = digits.as_bytes().chunks(bits).map(|group| std::str::from_utf8(group).unwrap());
        groups.map(|group| char::from(alphabet[usize::from_str_radix(group, 2).unwrap()])).collect()
    }

    #[test]
    fn the_base64_and_base32_of_any_text_with_a_key_contain_a_form_of_the_key() {
        let key = b"sk-secret?>>~key";
        let forms = forms_of_key(key);
        assert_eq!(encode(b"user:", 6, BASE64[0]), "dXNlcjo");
        assert_eq!(encode(b"user:", 5, BASE32[0]), "OVZWK4R2");
        for (before, after) in (0..7).flat_map(|before| (0..7).map(move |after| (before, after))) {
            let text = [&b"user:pw"[..before], key, &b"@example"[..after]].concat();
            let base64 = BASE64.map(|alphabet| encode(&text, 6, alphabet));
            let base32 = BASE32.map(|alphabet| encode(&text, 5, alphabet));
            let escaped = base64[0].replace('/', "\\/");
            for encoded in base64.iter().chain(&base32).chain([&escaped]) {
                let is_found = forms.iter().any(|form| encoded.contains(std::str::from_utf8(form).unwrap()));
                assert!(is_found, "{encoded}");
            }
        }
    }

    #[test]
    fn a_key_has_its_escaped_hexadecimal_and_reversed_forms() {
        let forms = forms_of_key(b"sk-key/1");
        for form in [
            "sk-key/1",
            "SK-KEY/1",
            "1/yek-ks",
            "sk-key\\/1",
            "sk%2Dkey%2F1",
            "sk%2dkey%2f1",
            "%73%6B%2D%6B%65%79%2F%31",
            "sk%252dkey%252f1",
            "\\u0073\\u006b\\u002d\\u006b\\u0065\\u0079\\u002f\\u0031",
            "sk\\x2dkey\\x2f1",
            "sk&#x2d;key&#x2f;1",
            "sk&#45;key&#47;1",
            "736b2d6b65792f31",
            "736B2D6B65792F31",
            "73:6b:2d:6b:65:79:2f:31",
            "73 6B 2D 6B 65 79 2F 31",
            "115,107,45,107,101,121,47,49",
            "115, 107, 45, 107, 101, 121, 47, 49",
        ] {
            assert!(forms.contains(form.as_bytes()), "{form}");
        }
        assert!(forms_of_key(b"short").is_empty());
    }
}
