//! The sketch computed from its definition: regular expressions instead of scanners, whole strings instead of
//! incremental hashes, logarithms in floating point instead of integers.

use std::collections::BTreeSet;

use contracts::Sketch;
use patterns::features::MAX_HASHES;
use regex::Regex;

/// Computes the sketch of a message.
pub(crate) fn sketch(message: &str) -> Sketch {
    let text = window(message);
    let words = words(&text);
    let order = selection_order(words.len());
    let mut word_hashes = BTreeSet::new();
    for index in &order {
        let word = &words[*index];
        let characters: Vec<char> = word.chars().collect();
        let prefix = characters.get(..5).filter(|_| 5 < characters.len()).map(String::from_iter);
        for token in [Some(format!("w:{word} ")), prefix.map(|prefix| format!("p:{prefix} "))].into_iter().flatten() {
            insert_up_to(MAX_HASHES, &mut word_hashes, hash(&token));
        }
    }
    let mut pair_hashes = BTreeSet::new();
    for index in order.into_iter().filter(|index| index + 1 < words.len()) {
        let pair = hash(&format!("b:{} {}", words[index], words[index + 1]));
        if !word_hashes.contains(&pair) {
            insert_up_to(MAX_HASHES - word_hashes.len(), &mut pair_hashes, pair);
        }
    }
    let shape = shape(&text, &words);
    Sketch { words: word_hashes.into_iter().collect(), pairs: pair_hashes.into_iter().collect(), shape }
}

/// Inserts a hash unless the set has `capacity` members.
fn insert_up_to(capacity: usize, hashes: &mut BTreeSet<u16>, hash: u16) {
    if hashes.len() < capacity {
        hashes.insert(hash);
    }
}

/// The first 2 KiB and the last 6 KiB of a text of more than 8 KiB, without partial characters.
fn window(text: &str) -> String {
    if text.len() <= 8 * 1024 {
        return text.to_owned();
    }
    let kept = |keep: &dyn Fn(usize, usize) -> bool| {
        let characters = text.char_indices().filter(|(start, character)| keep(*start, start + character.len_utf8()));
        characters.map(|(_, character)| character).collect::<String>()
    };
    let start = kept(&|_, end| end <= 2 * 1024);
    let end = kept(&|start, _| text.len() - 6 * 1024 <= start);
    format!("{start} {end}")
}

/// Runs of letters and digits of at most 48 bytes, in lower case.
fn words(text: &str) -> Vec<String> {
    let runs = text.split(|character: char| !character.is_alphanumeric()).filter(|run| !run.is_empty());
    runs.map(|run| {
        let mut word = run.to_owned();
        while 48 < word.len() {
            word.pop();
        }
        word.to_lowercase()
    })
    .collect()
}

/// Takes three words from the end and one from the start, until all are taken.
fn selection_order(words: usize) -> Vec<usize> {
    let mut remaining: std::collections::VecDeque<usize> = (0..words).collect();
    let mut order = Vec::new();
    while !remaining.is_empty() {
        order.extend([remaining.pop_back(), remaining.pop_back(), remaining.pop_back()].into_iter().flatten());
        order.extend(remaining.pop_front());
    }
    order
}

/// FNV-1a, folded to 16 bits by the exclusive or of its four quarters.
fn hash(token: &str) -> u16 {
    let fnv1a = token
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let bytes = fnv1a.to_le_bytes();
    (0..4).fold(0, |folded, quarter| folded ^ u16::from_le_bytes([bytes[2 * quarter], bytes[2 * quarter + 1]]))
}

/// Computes the quantised surface features of a text with these words.
fn shape(text: &str, words: &[String]) -> Vec<u8> {
    let count = |pattern: &str| Regex::new(pattern).unwrap().find_iter(text).count();
    let characters = text.chars().count();
    let class = |is_member: fn(char) -> bool| text.chars().filter(|character| is_member(*character)).count();
    let upper = class(char::is_uppercase);
    let digits = class(char::is_numeric);
    let symbols = class(|character| "=+*/^<>(){}[]$%\\|&_;:`#".contains(character));
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let marker = Regex::new(r"^(?:[-*] |(?:[A-H]|[0-9]+)[.)])").unwrap();
    let items: Vec<usize> = lines
        .iter()
        .filter_map(|line| Some(line.chars().count() - marker.find(line)?.as_str().chars().count()))
        .collect();
    let numbers: Vec<&str> = Regex::new("[0-9]+").unwrap().find_iter(text).map(|number| number.as_str()).collect();
    let lengths: Vec<usize> = words.iter().map(|word| word.chars().count()).collect();
    let item_length = if items.is_empty() { 0 } else { log_level(2.0, ratio(items.iter().sum(), items.len())) };
    let has_code = ["```", "def ", "fn ", ";\n", "();"].iter().any(|mark| text.contains(mark));
    vec![
        log_level(2.0, float(characters)),
        log_level(2.0, float(words.len())),
        log_level(2.0, float(lines.first().map_or(0, |line| line.chars().count()))),
        log_level(2.0, float(numbers.len())),
        log_level(2.0, float(numbers.iter().collect::<BTreeSet<_>>().len())),
        log_level(2.0, float(lines.len())),
        level(items.len().min(8)),
        item_length,
        log_level(2.0, float(count(r"[.!?](?:\s|\z)"))),
        level(count(r"\?").min(4)),
        share(16, words.iter().collect::<BTreeSet<_>>().len(), words.len()),
        share(2, lengths.iter().sum(), words.len()).min(24),
        share(16, lengths.iter().filter(|length| 6 < **length).count(), words.len()),
        log_level(4.0, 100.0 * ratio(upper, characters)),
        log_level(4.0, 100.0 * ratio(symbols, characters)),
        log_level(4.0, 100.0 * ratio(digits, characters)),
        log_level(2.0, float(count(","))),
        log_level(2.0, float(count("[\"']"))),
        if has_code { 4 } else { 0 },
        if text.is_ascii() { 0 } else { 2 },
    ]
}

/// Converts a level; panics above 255.
fn level(number: usize) -> u8 {
    u8::try_from(number).unwrap()
}

/// Converts a count to floating point.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn float(count: usize) -> f64 {
    count as f64
}

/// Returns `part / whole`; 0 if `whole` is 0.
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { float(part) / float(whole) }
}

/// `⌊scale · part / whole⌋`.
fn share(scale: usize, part: usize, whole: usize) -> u8 {
    level((scale * part).checked_div(whole).unwrap_or(0))
}

/// `⌊steps · log2(1 + number)⌋`. Logarithms that should be integers may be off by a rounding error, so a little is
/// added.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to a few dozen")]
fn log_level(steps: f64, number: f64) -> u8 {
    (steps * (1.0 + number).log2() + 1e-9).floor() as u8
}
