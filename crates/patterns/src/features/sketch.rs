//! The sketch of a message: 16-bit hashes of its words and word pairs, and its shape. It suffices to find similar
//! messages and not to restore the text.
//!
//! - A word is hashed as `w:WORD␠`, a prefix of five characters of a longer word as `p:PREFIX␠` (so that "refactor"
//!   matches "refactoring"), and a pair of neighbouring words as `b:FIRST␠SECOND`; the hash is FNV-1a, folded to 16
//!   bits.
//! - A sketch has at most [`MAX_HASHES`] hashes. Words have priority over pairs. Words are selected alternately, three
//!   from the end of the text and one from its start, because context and examples usually precede the question.
//! - Of a text of more than 8 KiB, only the first 2 KiB and the last 6 KiB are used.

use std::borrow::Cow;

use contracts::Sketch;

use super::{hash_set::HashSet16, shape::text_shape, tokens::Tokens};

/// The greatest number of hashes in a sketch, words and pairs together.
pub const MAX_HASHES: usize = 192;

/// The bytes used at the start of a text that is longer than [`START_BYTES`] and [`END_BYTES`] together.
const START_BYTES: usize = 2 * 1024;

/// The bytes used at the end of a text that is longer than [`START_BYTES`] and [`END_BYTES`] together.
const END_BYTES: usize = 6 * 1024;

/// The length, in characters, of the prefixes of words that are hashed.
const PREFIX_CHARACTERS: usize = 5;

/// Computes the sketch of a message: the hashes of its words and word pairs, each list sorted, and its shape. See the
/// module documentation for the limits.
pub fn sketch(message: &str) -> Sketch {
    let text = sampled_text(message);
    let tokens = Tokens::parse(&text);
    let mut seen = HashSet16::new();
    let mut words = Vec::with_capacity(MAX_HASHES.min(2 * tokens.len()));
    let mut pair_states = Vec::with_capacity(MAX_HASHES.min(tokens.len()));
    let word_hashes = selection_order(tokens.len()).filter_map(|index| tokens.get(index)).flat_map(|word| {
        let hashes = WordHashes::hash(word);
        pair_states.push(hashes.pair_state);
        std::iter::once(hashes.word).chain(hashes.prefix)
    });
    words.extend(word_hashes.filter(|hash| seen.insert(*hash)).take(MAX_HASHES));
    // If pairs fit, all words were hashed, so every word has a pair state.
    let remaining = MAX_HASHES - words.len();
    let mut pairs = Vec::with_capacity(remaining.min(tokens.len()));
    let pair_hashes = selection_order(tokens.len())
        .zip(pair_states)
        .filter_map(|(index, state)| Some(pair_hash(state, tokens.get(index + 1)?)));
    pairs.extend(pair_hashes.filter(|hash| seen.insert(*hash)).take(remaining));
    words.sort_unstable();
    pairs.sort_unstable();
    Sketch { words, pairs, shape: text_shape(&text, &tokens) }
}

/// Returns the indexes `0..words` in the order in which the words of a text are selected for its sketch: three from the
/// end, one from the start, and so on.
fn selection_order(words: usize) -> impl Iterator<Item = usize> {
    let (mut front, mut back) = (0, words);
    (0..words).map(move |step| {
        if step % 4 == 3 {
            front += 1;
            front - 1
        } else {
            back -= 1;
            back
        }
    })
}

/// Returns the part of a text that its sketch is computed from: all of it, or the first [`START_BYTES`] and the last
/// [`END_BYTES`] of a longer text, joined by a space.
fn sampled_text(text: &str) -> Cow<'_, str> {
    if text.len() <= START_BYTES + END_BYTES {
        return text.into();
    }
    let start = &text[..text.floor_char_boundary(START_BYTES)];
    let end = &text[text.ceil_char_boundary(text.len() - END_BYTES)..];
    format!("{start} {end}").into()
}

/// Returns the first [`PREFIX_CHARACTERS`] characters of a word; `None` if the word has at most that many characters.
fn word_prefix(word: &str) -> Option<&str> {
    if word.len() <= PREFIX_CHARACTERS {
        return None;
    }
    let (end, _) = word.char_indices().nth(PREFIX_CHARACTERS)?;
    Some(&word[..end])
}

/// The initial hash state of words, after their tag.
const WORD_STATE: u64 = fnv1a([FNV_OFFSET], b"w:")[0];
/// The initial hash state of word prefixes, after their tag.
const PREFIX_STATE: u64 = fnv1a([FNV_OFFSET], b"p:")[0];
/// The initial hash state of word pairs, after their tag.
const PAIR_STATE: u64 = fnv1a([FNV_OFFSET], b"b:")[0];

/// The hashes of one word, of its prefix, and of the pairs that start with it. They are computed together: each step of
/// a hash depends on its previous step, so three interleaved hashes take little longer than one.
struct WordHashes {
    /// The hash of the word.
    word: u16,
    /// The hash of the word's prefix; `None` if the word has no more characters than a prefix.
    prefix: Option<u16>,
    /// The state of a word pair's hash after its first word.
    pair_state: u64,
}

impl WordHashes {
    /// Computes the hashes of a word in lower case.
    fn hash(word: &str) -> Self {
        let prefix_length = word_prefix(word).map(str::len);
        let (start, rest) = word.as_bytes().split_at(prefix_length.unwrap_or(word.len()));
        let [word, prefix, pair] = fnv1a([WORD_STATE, PREFIX_STATE, PAIR_STATE], start);
        let [word, pair] = fnv1a([word, pair], rest);
        let [word, prefix, pair_state] = fnv1a([word, prefix, pair], b" ");
        Self { word: fold_to_16_bits(word), prefix: prefix_length.map(|_| fold_to_16_bits(prefix)), pair_state }
    }
}

/// Returns the hash of a word pair; `state` is the hash state after the first word of the pair.
fn pair_hash(state: u64, second_word: &str) -> u16 {
    let [hash] = fnv1a([state], second_word.as_bytes());
    fold_to_16_bits(hash)
}

/// The initial state of FNV-1a (its offset basis).
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Appends `bytes` to the input of `N` FNV-1a hashes and returns their new states.
const fn fnv1a<const N: usize>(states: [u64; N], bytes: &[u8]) -> [u64; N] {
    const PRIME: u64 = 0x0100_0000_01b3;
    let (mut states, mut rest) = (states, bytes);
    while let [byte, others @ ..] = rest {
        let mut index = 0;
        while index < N {
            states[index] = (states[index] ^ *byte as u64).wrapping_mul(PRIME);
            index += 1;
        }
        rest = others;
    }
    states
}

/// Folds a 64-bit hash to 16 bits: the exclusive or of its four quarters.
fn fold_to_16_bits(hash: u64) -> u16 {
    let half = hash ^ (hash >> 32);
    let quarter = half ^ (half >> 16);
    // The lower 16 bits.
    u16::try_from(quarter & 0xffff).unwrap_or_default()
}
