//! A text as numbers of its words: enough to find texts like it, too little to read it.

use std::borrow::Cow;

use contracts::Sketch;

use super::{numbers::Numbers, shape::shape, words::Words};

/// The most numbers of a sketch, words and pairs together.
pub const MOST_NUMBERS: usize = 192;

/// Of a longer text so many bytes at the beginning are looked at...
const BEGINNING_BYTES: usize = 2 * 1024;

/// ... and so many at the end.
const END_BYTES: usize = 6 * 1024;

/// Words longer than this many characters count by their beginning as well, so that "refactor" meets "refactoring".
const PREFIX: usize = 5;

/// The sketch of a message.
///
/// When there are too many words, three of four come from the end of the text: pasted context and examples stand before
/// the question. Pairs take what room is left.
pub fn sketch(message: &str) -> Sketch {
    let text = window(message);
    let all = Words::of(&text);
    let mut known = Numbers::none();
    let mut words = Vec::with_capacity(MOST_NUMBERS.min(2 * all.len()));
    let mut begun = Vec::with_capacity(MOST_NUMBERS.min(all.len()));
    let both = visited(all.len()).filter_map(|place| all.get(place)).flat_map(|word| {
        let hashed = Hashed::of(word);
        begun.push(hashed.pair);
        std::iter::once(hashed.word).chain(hashed.beginning)
    });
    words.extend(both.filter(|number| known.insert(*number)).take(MOST_NUMBERS));
    // Where there is room left, every word was taken, and so begins a pair.
    let room = MOST_NUMBERS - words.len();
    let mut pairs = Vec::with_capacity(room.min(all.len()));
    let two = visited(all.len()).zip(begun).filter_map(|(place, begun)| Some(pair(begun, all.get(place + 1)?)));
    pairs.extend(two.filter(|number| known.insert(*number)).take(room));
    words.sort_unstable();
    pairs.sort_unstable();
    Sketch { words, pairs, shape: shape(&text, &all) }
}

/// The places of words in the order in which they are taken: three from the end, one from the beginning, and so on.
fn visited(words: usize) -> impl Iterator<Item = usize> {
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

/// The part of a text that is looked at: all of it, or its beginning and its end.
fn window(text: &str) -> Cow<'_, str> {
    if text.len() <= BEGINNING_BYTES + END_BYTES {
        return text.into();
    }
    let beginning = &text[..text.floor_char_boundary(BEGINNING_BYTES)];
    let end = &text[text.ceil_char_boundary(text.len() - END_BYTES)..];
    format!("{beginning} {end}").into()
}

fn prefix(word: &str) -> Option<&str> {
    if word.len() <= PREFIX {
        return None;
    }
    let (end, _) = word.char_indices().nth(PREFIX)?;
    Some(&word[..end])
}

/// What the hash of a word begins with.
const WORD: u64 = hash([OFFSET], b"w:")[0];

/// What the hash of the beginning of a word begins with.
const BEGINNING: u64 = hash([OFFSET], b"p:")[0];

/// What the hash of a pair begins with.
const PAIR: u64 = hash([OFFSET], b"b:")[0];

/// What a word is hashed to, all at once: a hash waits for itself at every byte, and three can wait together.
struct Hashed {
    word: u16,
    /// Of its beginning, when it is longer than that.
    beginning: Option<u16>,
    /// The hash of a pair whose first word it is, as far as that goes.
    pair: u64,
}

impl Hashed {
    fn of(word: &str) -> Self {
        let beginning = prefix(word).map(str::len);
        let (start, rest) = word.as_bytes().split_at(beginning.unwrap_or(word.len()));
        let [whole, begun, pair] = hash([WORD, BEGINNING, PAIR], start);
        let [whole, pair] = hash([whole, pair], rest);
        let [whole, begun, pair] = hash([whole, begun, pair], b" ");
        Self { word: folded(whole), beginning: beginning.map(|_| folded(begun)), pair }
    }
}

fn pair(begun: u64, next: &str) -> u16 {
    let [whole] = hash([begun], next.as_bytes());
    folded(whole)
}

/// Where FNV-1a begins.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// Several times FNV-1a, each going on from what was hashed before.
const fn hash<const N: usize>(before: [u64; N], bytes: &[u8]) -> [u64; N] {
    const PRIME: u64 = 0x0100_0000_01b3;
    let (mut hashes, mut rest) = (before, bytes);
    while let [byte, others @ ..] = rest {
        let mut at = 0;
        while at < N {
            hashes[at] = (hashes[at] ^ *byte as u64).wrapping_mul(PRIME);
            at += 1;
        }
        rest = others;
    }
    hashes
}

/// Sixteen bits of a hash.
fn folded(hash: u64) -> u16 {
    let folded = hash ^ (hash >> 32);
    let folded = folded ^ (folded >> 16);
    // The lower sixteen bits.
    u16::try_from(folded & 0xffff).unwrap_or_default()
}
