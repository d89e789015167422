//! The shape of a text: how long it is and what it is made of, each in a few levels.
//!
//! Levels grow with the logarithm, two or four to each doubling, so that a difference means the same everywhere.

use super::{characters::Characters, distinct::Distinct, lines::Lines, words::Words};

/// How many levels a shape has.
pub const SHAPE_LEVELS: usize = 20;

/// The levels of a text with these words; all nothing for an empty one.
pub(super) fn shape(text: &str, of: &Words) -> Vec<u8> {
    let (characters, lines) = (Characters::of(text), Lines::of(text));
    let (words, distinct_words) = counted(of.iter().map(str::as_bytes));
    let (numbers, distinct_numbers) = if characters.digits == 0 { (0, 0) } else { counted(numbers(text)) };
    let levels: [u64; SHAPE_LEVELS] = [
        doublings(characters.all, 1),
        doublings(words, 1),
        doublings(lines.head, 1),
        doublings(numbers, 1),
        doublings(distinct_numbers, 1),
        doublings(lines.all, 1),
        lines.options.min(8),
        if lines.options == 0 { 0 } else { doublings(lines.option_characters, lines.options) },
        doublings(characters.sentences, 1),
        characters.questions.min(4),
        share(distinct_words, words, 16),
        share(of.letters(), words, 2).min(24),
        share(of.long(), words, 16),
        per_cent(characters.upper, characters.all),
        per_cent(characters.symbols, characters.all),
        per_cent(characters.digits, characters.all),
        doublings(characters.commas, 1),
        doublings(characters.quotes, 1),
        if looks_like_code(text) { 4 } else { 0 },
        if text.is_ascii() { 0 } else { 2 },
    ];
    // Each is at most a few dozen.
    levels.map(|level| u8::try_from(level).unwrap_or(u8::MAX)).to_vec()
}

/// How many words there are, and how many different ones.
fn counted<'a>(words: impl Iterator<Item = &'a [u8]>) -> (u64, u64) {
    let mut distinct = Distinct::default();
    distinct.extend(words);
    distinct.count()
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

/// Every run of digits.
fn numbers(text: &str) -> impl Iterator<Item = &[u8]> {
    let runs = text.as_bytes().chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit());
    runs.filter(|run| run.first().is_some_and(u8::is_ascii_digit))
}

fn looks_like_code(text: &str) -> bool {
    ["```", "def ", "fn ", ";\n", "();"].iter().any(|mark| text.contains(mark))
}
