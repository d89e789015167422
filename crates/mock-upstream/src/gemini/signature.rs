//! Signatures as Google writes them: bytes, as base64 in JSON.

use crate::answer;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the signature of a model: `sig:` and its name, in base64 (RFC 4648, section 4).
pub(super) fn signature(model: &str) -> String {
    let mut text = String::new();
    for three in answer::signature(model).as_bytes().chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4_u32 {
            let letter = usize::try_from(bits >> (18 - 6 * place) & 63).ok().and_then(|bits| LETTERS.get(bits));
            // One byte has two letters, two bytes have three.
            let stands = three.len() >= usize::try_from(place).unwrap_or_default();
            text.push(if stands { letter.copied().map_or('=', char::from) } else { '=' });
        }
    }
    text
}

/// Whether a signature is of this model; both alphabets of base64 are accepted, and the name without base64.
pub(super) fn is_signed(found: &str, model: &str) -> bool {
    let plain = |text: &str| text.trim_end_matches('=').replace('-', "+").replace('_', "/");
    found == answer::signature(model) || plain(found) == plain(&signature(model))
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
