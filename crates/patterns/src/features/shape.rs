//! The shape of a text: its length and composition as quantised levels.
//!
//! Counts and ratios are quantised logarithmically, with two or four levels for each doubling, so that a difference of
//! one level means about the same at every size.

use super::{characters::CharacterCounts, distinct_words::DistinctWords, lines::LineCounts, tokens::Tokens};

/// The number of levels (quantised features) in the shape of a text.
pub const SHAPE_LEVELS: usize = 20;

/// Computes the shape of a text: [`SHAPE_LEVELS`] quantised surface features, such as its length, its ratio of digits
/// and its number of list items. All features are 0 if the text is empty. `tokens` are the words of the same text.
pub(super) fn text_shape(text: &str, tokens: &Tokens) -> Vec<u8> {
    let (characters, lines) = (CharacterCounts::count(text), LineCounts::count(text));
    let (words, distinct_words) = tokens.iter().map(str::as_bytes).collect::<DistinctWords<'_>>().count();
    let (numbers, distinct_numbers) =
        if characters.digits == 0 { (0, 0) } else { digit_runs(text).collect::<DistinctWords<'_>>().count() };
    let levels: [u64; SHAPE_LEVELS] = [
        log_level(characters.all, 1),
        log_level(words, 1),
        log_level(lines.first_line_characters, 1),
        log_level(numbers, 1),
        log_level(distinct_numbers, 1),
        log_level(lines.lines, 1),
        lines.items.min(8),
        if lines.items == 0 { 0 } else { log_level(lines.item_characters, lines.items) },
        log_level(characters.sentence_ends, 1),
        characters.questions.min(4),
        linear_level(distinct_words, words, 16),
        linear_level(tokens.characters(), words, 2).min(24),
        linear_level(tokens.long_words(), words, 16),
        percent_level(characters.upper, characters.all),
        percent_level(characters.symbols, characters.all),
        percent_level(characters.digits, characters.all),
        log_level(characters.commas, 1),
        log_level(characters.quotes, 1),
        if looks_like_code(text) { 4 } else { 0 },
        if text.is_ascii() { 0 } else { 2 },
    ];
    // Each level is below 100.
    levels.map(|level| u8::try_from(level).unwrap_or(u8::MAX)).to_vec()
}

/// Quantises the ratio `count / divisor` to `⌊2 · log2(1 + count / divisor)⌋`. A `divisor` of 0 counts as 1.
fn log_level(count: u64, divisor: u64) -> u64 {
    let divisor = u128::from(divisor.max(1));
    let sum = divisor + u128::from(count);
    floor_log2(sum * sum, divisor * divisor)
}

/// Quantises a percentage to `⌊4 · log2(1 + 100 · part / whole)⌋`. A `whole` of 0 counts as 1.
fn percent_level(part: u64, whole: u64) -> u64 {
    let whole = u128::from(whole.max(1));
    let square = (whole + 100 * u128::from(part)).pow(2);
    floor_log2(square * square, whole.pow(4))
}

/// Returns `⌊log2(numerator / denominator)⌋`; 0 for a ratio below 1. A `denominator` of 0 counts as 1.
fn floor_log2(numerator: u128, denominator: u128) -> u64 {
    u64::from((numerator / denominator.max(1)).max(1).ilog2())
}

/// Quantises a share to `⌊scale · part / whole⌋`; 0 if `whole` is 0.
fn linear_level(part: u64, whole: u64, scale: u64) -> u64 {
    (scale * part).checked_div(whole).unwrap_or(0)
}

/// Returns the numbers in a text: its maximal runs of consecutive ASCII digits, in order.
fn digit_runs(text: &str) -> impl Iterator<Item = &[u8]> {
    let runs = text.as_bytes().chunk_by(|left, right| left.is_ascii_digit() == right.is_ascii_digit());
    runs.filter(|run| run.first().is_some_and(u8::is_ascii_digit))
}

/// Whether a text contains a string that is typical of source code, such as a code fence or `fn `.
fn looks_like_code(text: &str) -> bool {
    ["```", "def ", "fn ", ";\n", "();"].iter().any(|mark| text.contains(mark))
}
