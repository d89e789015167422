//! Thought signatures as Google writes them: bytes, which are base64 in JSON.

use crate::answer;

/// The letters of base64 by their value (RFC 4648, section 4).
const BASE64_ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns Gemini's thought signature of a model: `sig:` and its name, in base64 (RFC 4648, section 4).
pub(super) fn signature(model: &str) -> String {
    let mut text = String::new();
    for group in answer::signature(model).as_bytes().chunks(3) {
        let byte = |index: usize| u32::from(group.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4_u32 {
            let letter = usize::try_from(bits >> (18 - 6 * index) & 63).ok().and_then(|bits| BASE64_ALPHABET.get(bits));
            // One byte has two letters, two bytes have three.
            let is_used = group.len() >= usize::try_from(index).unwrap_or_default();
            text.push(if is_used { letter.copied().map_or('=', char::from) } else { '=' });
        }
    }
    text
}

/// Returns whether the Gemini model `model` created a thought signature. Accepts both alphabets of base64, and the text
/// without base64.
pub(super) fn is_signed(signed: &str, model: &str) -> bool {
    let normalise = |text: &str| text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    signed == answer::signature(model) || normalise(signed) == normalise(&signature(model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_base64() {
        assert_eq!(signature("a"), "c2lnOmE=");
        assert_eq!(signature("ab"), "c2lnOmFi");
        assert_eq!(signature("abc"), "c2lnOmFiYw==");
        assert!(is_signed("c2lnOmFiYw", "abc") && is_signed("sig:abc", "abc") && !is_signed("c2lnOmFi", "abc"));
    }
}
