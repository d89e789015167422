//! The shape of a text: how long it is and what it is made of, each in a few levels.
//!
//! Levels grow with the logarithm, two or four to each doubling, so that a difference means the same everywhere.

use std::collections::BTreeSet;

use super::sketch::tokens;

/// How many levels a shape has.
pub const SHAPE_LEVELS: usize = 20;

/// Symbols of formulas and of code.
const SYMBOLS: &str = "=+*/^<>(){}[]$%\\|&_;:`#";

/// The levels of a text; all nothing for an empty one.
pub(super) fn shape(text: &str) -> Vec<u8> {
    let counts = Counts::of(text);
    let Counts { characters, words, .. } = counts;
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let head = lines.first().map_or(0, |line| line.chars().count() as u64);
    let options: Vec<u64> = lines.iter().filter_map(|line| option_length(line)).collect();
    let (numbers, distinct_numbers) = numbers(text);
    let levels: [u64; SHAPE_LEVELS] = [
        doublings(characters, 1),
        doublings(words, 1),
        doublings(head, 1),
        doublings(numbers, 1),
        doublings(distinct_numbers, 1),
        doublings(lines.len() as u64, 1),
        (options.len() as u64).min(8),
        if options.is_empty() { 0 } else { doublings(options.iter().sum(), options.len() as u64) },
        doublings(counts.sentences, 1),
        counts.questions.min(4),
        share(counts.distinct_words, words, 16),
        share(counts.letters_in_words, words, 2).min(24),
        share(counts.long_words, words, 16),
        per_cent(counts.upper, characters),
        per_cent(counts.symbols, characters),
        per_cent(counts.digits, characters),
        doublings(counts.commas, 1),
        doublings(counts.quotes, 1),
        if looks_like_code(text) { 4 } else { 0 },
        if text.is_ascii() { 0 } else { 2 },
    ];
    // Each is at most a few dozen.
    levels.map(|level| u8::try_from(level).unwrap_or(u8::MAX)).to_vec()
}

#[derive(Debug, Default)]
struct Counts {
    characters: u64,
    words: u64,
    distinct_words: u64,
    letters_in_words: u64,
    long_words: u64,
    sentences: u64,
    questions: u64,
    upper: u64,
    symbols: u64,
    digits: u64,
    commas: u64,
    quotes: u64,
}

impl Counts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            counts.characters += 1;
            counts.upper += u64::from(character.is_uppercase());
            counts.digits += u64::from(character.is_numeric());
            counts.symbols += u64::from(SYMBOLS.contains(character));
            counts.commas += u64::from(character == ',');
            counts.quotes += u64::from(matches!(character, '"' | '\''));
            counts.questions += u64::from(character == '?');
            let ends = characters.peek().is_none_or(|next| next.is_whitespace());
            counts.sentences += u64::from(ends && matches!(character, '.' | '!' | '?'));
        }
        let mut distinct = BTreeSet::new();
        for word in tokens(text) {
            let letters = word.chars().count() as u64;
            counts.words += 1;
            counts.letters_in_words += letters;
            counts.long_words += u64::from(6 < letters);
            distinct.insert(word);
        }
        counts.distinct_words = distinct.len() as u64;
        counts
    }
}

/// `⌊2 · log2(1 + count / of)⌋`.
fn doublings(count: u64, of: u64) -> u64 {
    // ⌊2 · log2(x)⌋ is ⌊log2(x²)⌋.
    let of = u128::from(of.max(1));
    let whole = of + u128::from(count);
    logarithm(whole * whole, of * of)
}

/// `⌊4 · log2(1 + 100 · part / whole)⌋`.
fn per_cent(part: u64, whole: u64) -> u64 {
    let whole = u128::from(whole.max(1));
    let grown = (whole + 100 * u128::from(part)).pow(2);
    logarithm(grown * grown, whole.pow(4))
}

/// `⌊log2(numerator / denominator)⌋` of a ratio of at least 1.
fn logarithm(numerator: u128, denominator: u128) -> u64 {
    u64::from((numerator / denominator.max(1)).max(1).ilog2())
}

/// `⌊scale · part / whole⌋`, nothing of nothing.
fn share(part: u64, whole: u64, scale: u64) -> u64 {
    (scale * part).checked_div(whole).unwrap_or(0)
}

/// The length of what follows `A)`, `2.`, `-` or `*` at the beginning of a line.
fn option_length(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| {
        let (name, rest) = line.split_once(['.', ')'])?;
        let lettered = matches!(name.as_bytes(), [b'A'..=b'H']);
        let numbered = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        (lettered || numbered).then_some(rest)
    })?;
    Some(rest.chars().count() as u64)
}

/// How many numbers there are, and how many different ones.
fn numbers(text: &str) -> (u64, u64) {
    let all = text.split(|character: char| !character.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let mut distinct = BTreeSet::new();
    let mut count = 0;
    for digits in all {
        count += 1;
        distinct.insert(digits);
    }
    (count, distinct.len() as u64)
}

fn looks_like_code(text: &str) -> bool {
    ["```", "def ", "fn ", ";\n", "();"].iter().any(|mark| text.contains(mark))
}
