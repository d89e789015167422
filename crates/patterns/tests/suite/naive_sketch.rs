//! The sketch read naively: a `String` for every word, a set for everything that is counted once.

use std::{borrow::Cow, collections::BTreeSet};

use contracts::Sketch;
use patterns::features::{MAX_HASHES, SHAPE_LEVELS};

const BEGINNING_BYTES: usize = 2 * 1024;
const END_BYTES: usize = 6 * 1024;
const PREFIX: usize = 5;
const LONGEST_WORD: usize = 48;
const SYMBOLS: &str = "=+*/^<>(){}[]$%\\|&_;:`#";

pub(crate) fn sketch(message: &str) -> Sketch {
    let text = window(message);
    let tokens: Vec<String> = tokens(&text).collect();
    let mut words = BTreeSet::new();
    for word in visited(tokens.len()).filter_map(|place| tokens.get(place)) {
        add(&mut words, number("w", word, ""), MAX_HASHES);
        if let Some(beginning) = prefix(word) {
            add(&mut words, number("p", beginning, ""), MAX_HASHES);
        }
    }
    let room = MAX_HASHES - words.len();
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

fn window(text: &str) -> Cow<'_, str> {
    if text.len() <= BEGINNING_BYTES + END_BYTES {
        return text.into();
    }
    let beginning = &text[..text.floor_char_boundary(BEGINNING_BYTES)];
    let end = &text[text.ceil_char_boundary(text.len() - END_BYTES)..];
    format!("{beginning} {end}").into()
}

fn tokens(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        let word = &word[..word.floor_char_boundary(LONGEST_WORD)];
        word.to_lowercase()
    })
}

fn prefix(word: &str) -> Option<&str> {
    let (end, _) = word.char_indices().nth(PREFIX)?;
    Some(&word[..end])
}

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

fn shape(text: &str) -> Vec<u8> {
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

fn doublings(count: u64, of: u64) -> u64 {
    // ⌊2 · log2(x)⌋ is ⌊log2(x²)⌋.
    let of = u128::from(of.max(1));
    let whole = of + u128::from(count);
    logarithm(whole * whole, of * of)
}

fn per_cent(part: u64, whole: u64) -> u64 {
    let whole = u128::from(whole.max(1));
    let grown = (whole + 100 * u128::from(part)).pow(2);
    logarithm(grown * grown, whole.pow(4))
}

fn logarithm(numerator: u128, denominator: u128) -> u64 {
    u64::from((numerator / denominator.max(1)).max(1).ilog2())
}

fn share(part: u64, whole: u64, scale: u64) -> u64 {
    (scale * part).checked_div(whole).unwrap_or(0)
}

fn option_length(line: &str) -> Option<u64> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).or_else(|| {
        let (name, rest) = line.split_once(['.', ')'])?;
        let lettered = matches!(name.as_bytes(), [b'A'..=b'H']);
        let numbered = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        (lettered || numbered).then_some(rest)
    })?;
    Some(rest.chars().count() as u64)
}

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
