//! Distinct user messages: words selected by the number of the request.

/// The placeholder for the words, as long as the words that replace it.
pub(crate) const PLACEHOLDER: &str = "%WORDS%________________________________________";

/// The words to select from, of seven letters each.
const WORDS: [&str; 64] = [
    "account", "address", "archive", "average", "backend", "balance", "batches", "billing", "boolean", "browser",
    "buffers", "caching", "calling", "channel", "classes", "cluster", "columns", "compile", "compare", "connect",
    "console", "content", "control", "convert", "copying", "counter", "crashes", "creates", "current", "cursors",
    "decimal", "decoder", "default", "deleted", "deploys", "details", "devices", "display", "docking", "drivers",
    "dropped", "dynamic", "editing", "element", "encoder", "endless", "entries", "exports", "extends", "failing",
    "feature", "fetches", "filters", "folders", "formats", "forward", "gateway", "getting", "handler", "headers",
    "helpers", "history", "hosting", "imports",
];

/// The number of words that make a message distinct.
const WORDS_PER_MESSAGE: usize = 6;

/// Writes the words of request `number` over the placeholder. The same number always has the same words.
pub(crate) fn write_words(placeholder: &mut [u8], number: u64) {
    let bits = fastrand::Rng::with_seed(number).u64(..);
    for (index, target) in placeholder.chunks_mut(8).enumerate().take(WORDS_PER_MESSAGE) {
        let word = WORDS[usize::try_from(bits >> (6 * index) & 63).unwrap_or_default()].as_bytes();
        for (byte, letter) in target.iter_mut().zip(word.iter().chain(b" ")) {
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
            let mut placeholder = PLACEHOLDER.as_bytes().to_vec();
            write_words(&mut placeholder, number);
            String::from_utf8(placeholder).unwrap()
        };
        for number in [0, 1, 2, 1_000_000] {
            let text = said(number);
            assert_eq!((text.len(), text.split(' ').count()), (PLACEHOLDER.len(), WORDS_PER_MESSAGE), "{text}");
            assert!(text.split(' ').all(|word| WORDS.contains(&word)), "{text}");
            assert_eq!(text, said(number));
            assert_ne!(text, said(number + 1));
        }
    }
}
