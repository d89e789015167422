//! A text as numbers of its words: enough to find texts like it, too little to read it.

use std::{borrow::Cow, collections::BTreeSet};

use contracts::Sketch;

use super::shape::shape;

/// The most numbers of a sketch, words and pairs together.
pub const MOST_NUMBERS: usize = 192;

/// Of a longer text so many bytes at the beginning are looked at...
const BEGINNING_BYTES: usize = 2 * 1024;

/// ... and so many at the end.
const END_BYTES: usize = 6 * 1024;

/// Words longer than this many characters count by their beginning as well, so that "refactor" meets "refactoring".
const PREFIX: usize = 5;

/// Words of so many bytes are cut.
const LONGEST_WORD: usize = 48;

/// The sketch of a message.
///
/// When there are too many words, three of four come from the end of the text: pasted context and examples stand before
/// the question. Pairs take what room is left.
pub fn sketch(message: &str) -> Sketch {
    let text = window(message);
    let tokens: Vec<String> = tokens(&text).collect();
    let mut words = BTreeSet::new();
    for word in visited(tokens.len()).filter_map(|place| tokens.get(place)) {
        add(&mut words, number("w", word, ""), MOST_NUMBERS);
        if let Some(beginning) = prefix(word) {
            add(&mut words, number("p", beginning, ""), MOST_NUMBERS);
        }
    }
    let room = MOST_NUMBERS - words.len();
    let mut pairs = BTreeSet::new();
    for pair in visited(tokens.len()).filter_map(|place| tokens.get(place..place + 2)) {
        let number = number("b", &pair[0], &pair[1]);
        if !words.contains(&number) {
            add(&mut pairs, number, room);
        }
    }
    Sketch { words: words.into_iter().collect(), pairs: pairs.into_iter().collect(), shape: shape(&text) }
}

fn add(numbers: &mut BTreeSet<u16>, number: u16, most: usize) {
    if numbers.len() < most {
        numbers.insert(number);
    }
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

/// Runs of letters and digits, in lower case.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        let word = &word[..word.floor_char_boundary(LONGEST_WORD)];
        word.to_lowercase()
    })
}

fn prefix(word: &str) -> Option<&str> {
    let (end, _) = word.char_indices().nth(PREFIX)?;
    Some(&word[..end])
}

/// Sixteen bits of a word: FNV-1a over its kind and its parts, folded.
fn number(kind: &str, word: &str, next: &str) -> u16 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let bytes = kind.bytes().chain([b':']).chain(word.bytes()).chain([b' ']).chain(next.bytes());
    let hash = bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    let folded = hash ^ (hash >> 32);
    let folded = folded ^ (folded >> 16);
    // The lower sixteen bits.
    u16::try_from(folded & 0xffff).unwrap_or_default()
}
