//! TF-IDF vectors over the words of the training turns.

use std::collections::BTreeMap;

use crate::{data::Turn, numbers::to_f64};

/// The words of the training turns, from which TF-IDF vectors are computed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Vocabulary {
    /// The column and the inverse document frequency of each word.
    words: BTreeMap<String, (u32, f64)>,
    /// Whether the kind of work of a turn counts as a word.
    by_group: bool,
}

impl Vocabulary {
    /// Collects the words of training turns, each with its inverse document frequency:
    /// `ln((1 + turns) / (1 + turns with the word)) + 1`. With `by_group`, the kind of work counts as a word.
    pub(super) fn learn<'a>(turns: impl Iterator<Item = &'a Turn>, by_group: bool) -> Self {
        let (mut turn_count, mut texts_with) = (0, BTreeMap::<String, usize>::new());
        for turn in turns {
            turn_count += 1;
            for word in count_words(turn, by_group).into_keys() {
                *texts_with.entry(word).or_default() += 1;
            }
        }
        let idf = |texts_with: usize| (to_f64(1 + turn_count) / to_f64(1 + texts_with)).ln() + 1.0;
        let words =
            (0..).zip(texts_with).map(|(column, (word, texts_with))| (word, (column, idf(texts_with)))).collect();
        Self { words, by_group }
    }

    /// Returns the number of words, which is the number of columns of the vectors.
    pub(super) fn columns(&self) -> usize {
        self.words.len()
    }

    /// Computes the TF-IDF vector of a turn with sublinear term frequencies `1 + ln(count)`, scaled to length 1.
    /// Unknown words are ignored.
    pub(super) fn tf_idf_vector(&self, turn: &Turn) -> Vec<(u32, f64)> {
        let counts = count_words(turn, self.by_group);
        let known = counts.iter().filter_map(|(word, count)| Some((self.words.get(word)?, *count)));
        let vector = known.map(|((column, idf), count)| (*column, (1.0 + to_f64(count).ln()) * idf)).collect();
        scale_to_unit(vector)
    }
}

/// Scales a sparse vector to length 1; an empty vector stays empty.
pub(super) fn scale_to_unit(mut vector: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let length = vector.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    for (_, value) in &mut vector {
        *value /= length;
    }
    vector
}

/// Counts the words of a prompt that have at least two characters, in lower case. The kind of work is counted as a word
/// if `by_group`.
fn count_words(turn: &Turn, by_group: bool) -> BTreeMap<String, usize> {
    let text = turn.prompt.to_lowercase();
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words = words.filter(|word| 1 < word.chars().count()).map(str::to_owned);
    let group = turn.group.as_ref().filter(|_| by_group).map(|group| format!("group {group}"));
    let mut counts = BTreeMap::new();
    for word in words.chain(group) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}
