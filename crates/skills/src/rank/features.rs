//! Features of a text: its words, pairs of adjacent words, and character sequences within words.

/// The number of words of a text that have features: the first and the last of a longer text, half each. Requests state
/// their intent at the start or the end; in between is pasted material.
const MAX_WORDS: usize = 120;

/// The lengths of character sequences. A word is padded by one mark on each side.
const SEQUENCE_LENGTHS: std::ops::RangeInclusive<usize> = 3..=5;

/// The longest part of a word that has character sequences, in characters. Longer words are identifiers or encoded data.
const MAX_WORD_LENGTH: usize = 24;

/// The mark at the start and the end of a word, and of a text in pairs of words.
const BOUNDARY: char = '_';

/// The number of groups of features.
pub(super) const GROUPS: usize = 3;

/// A group of features. The features of each group are scaled to the group's weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FeatureGroup {
    /// A word, and its stem if that differs.
    Word,
    /// Two adjacent words.
    Pair,
    /// Adjacent characters of a word.
    Sequence,
}

/// A feature: its group and the hash of its characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Feature {
    /// The group.
    pub(super) group: FeatureGroup,
    /// The hash, which differs between groups for equal characters.
    pub(super) hash: u32,
}

/// Returns the features of a text, sorted, each as often as it occurs.
pub(super) fn features(text: &str) -> Vec<Feature> {
    let words = words(text);
    let omitted = words.len().saturating_sub(MAX_WORDS);
    let first = words.len().min(MAX_WORDS) / 2;
    let mut features = Vec::with_capacity(16 * words.len().min(MAX_WORDS));
    let mut push = |group, characters: &mut dyn Iterator<Item = char>| {
        features.push(Feature { group, hash: hash(group, characters) });
    };
    let mut previous = "";
    for word in words.iter().take(first).chain(words.iter().skip(first + omitted)) {
        push(FeatureGroup::Word, &mut word.chars());
        let stem = stem(word);
        if stem != word {
            push(FeatureGroup::Word, &mut stem.chars());
        }
        push(FeatureGroup::Pair, &mut pair(previous, word));
        push_sequences(word, &mut push);
        previous = word;
    }
    push(FeatureGroup::Pair, &mut pair(previous, ""));
    features.sort_unstable();
    features
}

/// Returns the characters of a pair of words. An empty word is the start or the end of the text.
fn pair<'a>(first: &'a str, second: &'a str) -> impl Iterator<Item = char> + 'a {
    first.chars().chain([BOUNDARY]).chain(second.chars())
}

/// Calls `push` with every character sequence of a word.
fn push_sequences(word: &str, push: &mut impl FnMut(FeatureGroup, &mut dyn Iterator<Item = char>)) {
    let mut characters = ['_'; MAX_WORD_LENGTH + 2];
    let mut length = 1;
    for (slot, character) in characters.iter_mut().skip(1).zip(word.chars().take(MAX_WORD_LENGTH)) {
        *slot = character;
        length += 1;
    }
    let padded = characters.get(..=length).unwrap_or_default();
    for size in SEQUENCE_LENGTHS {
        for sequence in padded.windows(size) {
            push(FeatureGroup::Sequence, &mut sequence.iter().copied());
        }
    }
}

/// Splits a text into words of letters and digits in lower case. `camelCase` is two words, an apostrophe is dropped,
/// and every digit becomes `0`, so that numbers of equal length are one word.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_lower_case = false;
    for character in text.chars().filter(|character| !matches!(character, '\'' | '’')) {
        let starts_word = after_lower_case && character.is_uppercase();
        if (starts_word || !character.is_alphanumeric()) && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if character.is_ascii_digit() {
            word.push('0');
        } else if character.is_alphanumeric() {
            word.extend(character.to_lowercase());
        }
        after_lower_case = character.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The endings that [`stem`] shortens: the ending, the number of bytes removed, and the least length of the word in bytes.
const ENDINGS: [(&str, usize, usize); 8] = [
    ("ies", 3, 5),
    ("ations", 4, 7),
    ("ation", 3, 7),
    ("ings", 4, 6),
    ("ing", 3, 6),
    ("ed", 2, 5),
    ("es", 2, 5),
    ("s", 1, 4),
];

/// Removes the last inflection of an English word, then a final `e` or `y` or a doubled final consonant: `planning` and `plans`
/// become `plan`, `booking` and `books` become `book`. Words with other letters than `a` to `z` stay.
fn stem(word: &str) -> &str {
    if !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return word;
    }
    let mut length = word.len();
    if !word.ends_with("ss")
        && let Some((_, removed, _)) = ENDINGS.iter().find(|(end, _, least)| *least <= length && word.ends_with(end))
    {
        length -= removed;
    }
    let bytes = word.as_bytes().get(..length).unwrap_or_default();
    if let [.., _, _, _, b'e' | b'y'] = bytes {
        length -= 1;
    } else if let [.., _, _, first, second] = bytes
        && first == second
        && *second != b's'
    {
        length -= 1;
    }
    word.get(..length).unwrap_or(word)
}

/// Returns the 32-bit FNV-1a hash of characters, with its bits mixed. The group is part of what is hashed.
fn hash(group: FeatureGroup, characters: &mut dyn Iterator<Item = char>) -> u32 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ (group as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for character in characters {
        hash = (hash ^ u64::from(u32::from(character))).wrapping_mul(0x0100_0000_01b3);
    }
    let mixed = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    u32::try_from(mixed >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_at_case_and_signs_and_digits_are_equal() {
        assert_eq!(words("Don't use MakePDF, v1.27!"), ["dont", "use", "make", "pdf", "v0", "00"].map(String::from));
        assert_eq!(words("  — "), Vec::<String>::new());
    }

    #[test]
    fn inflections_of_a_word_have_one_stem() {
        for (word, expected) in [
            ("planning", "plan"),
            ("plans", "plan"),
            ("booked", "book"),
            ("queries", "quer"),
            ("query", "quer"),
            ("translations", "translat"),
            ("translate", "translat"),
            ("address", "address"),
            ("naïve", "naïve"),
            ("is", "is"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn features_of_a_long_text_are_those_of_its_first_and_last_words() {
        let text = |middle: &str| {
            let filler = format!("{middle} ").repeat(500);
            format!("{} {filler} {}", "start ".repeat(60), "end ".repeat(60))
        };
        assert_eq!(features(&text("one")), features(&text("other")));
        assert_ne!(features("start one end"), features("start other end"));
    }

    #[test]
    fn a_word_has_its_sequences_and_a_text_its_pairs() {
        let count = |group| features("the cat").iter().filter(|feature| feature.group == group).count();
        // "_the_" has 3 + 2 + 1 sequences; pairs include the start and the end.
        assert_eq!([FeatureGroup::Word, FeatureGroup::Pair, FeatureGroup::Sequence].map(count), [2, 3, 12]);
        assert_eq!(features("").len(), 1);
    }
}
