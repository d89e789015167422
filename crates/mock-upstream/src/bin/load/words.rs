//! Makes the messages of users differ: words drawn by the number of the request.

/// The placeholder for the words.
pub(crate) const SLOT: &str = "%WORDS%________________________________________";

/// Seven letters each.
const WORDS: [&str; 64] = [
    "account", "address", "archive", "average", "backend", "balance", "batches", "billing", "boolean", "browser",
    "buffers", "caching", "calling", "channel", "classes", "cluster", "columns", "compile", "compare", "connect",
    "console", "content", "control", "convert", "copying", "counter", "crashes", "creates", "current", "cursors",
    "decimal", "decoder", "default", "deleted", "deploys", "details", "devices", "display", "docking", "drivers",
    "dropped", "dynamic", "editing", "element", "encoder", "endless", "entries", "exports", "extends", "failing",
    "feature", "fetches", "filters", "folders", "formats", "forward", "gateway", "getting", "handler", "headers",
    "helpers", "history", "hosting", "imports",
];

/// The number of words in a message.
const MANY: usize = 6;

/// Overwrites the placeholder with words that are drawn by the number of the request.
pub(crate) fn write(slot: &mut [u8], number: u64) {
    // A step of splitmix64, so that neighbouring numbers have unrelated words.
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits ^= bits >> 27;
    for (place, room) in slot.chunks_mut(8).enumerate().take(MANY) {
        let word = WORDS[usize::try_from(bits >> (6 * place) & 63).unwrap_or_default()].as_bytes();
        for (byte, letter) in room.iter_mut().zip(word.iter().chain(b" ")) {
            *byte = *letter;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_six_words_and_neighbours_have_others() {
        let said = |number| {
            let mut slot = SLOT.as_bytes().to_vec();
            write(&mut slot, number);
            String::from_utf8(slot).unwrap()
        };
        for number in [0, 1, 2, 1_000_000] {
            let text = said(number);
            assert_eq!((text.len(), text.split(' ').count()), (SLOT.len(), MANY), "{text}");
            assert!(text.split(' ').all(|word| WORDS.contains(&word)), "{text}");
            assert_eq!(text, said(number));
            assert_ne!(text, said(number + 1));
        }
    }
}
