//! TF-IDF vectors over the words of the training turns.

use std::collections::BTreeMap;

use crate::{data::Turn, number::number};

/// The vocabulary of the training turns: the column and the inverse document frequency of each word.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Terms {
    words: BTreeMap<String, (u32, f64)>,
    by_group: bool,
}

impl Terms {
    /// Computes the inverse document frequencies `ln((1 + turns) / (1 + turns with the word)) + 1`.
    pub(super) fn learn<'a>(turns: impl Iterator<Item = &'a Turn>, by_group: bool) -> Self {
        let (mut all, mut with) = (0, BTreeMap::<String, usize>::new());
        for turn in turns {
            all += 1;
            for word in counts(turn, by_group).into_keys() {
                *with.entry(word).or_default() += 1;
            }
        }
        let idf = |with: usize| (number(1 + all) / number(1 + with)).ln() + 1.0;
        let words = (0..).zip(with).map(|(column, (word, with))| (word, (column, idf(with)))).collect();
        Self { words, by_group }
    }

    pub(super) fn columns(&self) -> usize {
        self.words.len()
    }

    /// The TF-IDF vector of a turn with sublinear term frequencies `1 + ln(count)`, scaled to length 1.
    pub(super) fn vector(&self, turn: &Turn) -> Vec<(u32, f64)> {
        let counts = counts(turn, self.by_group);
        let known = counts.iter().filter_map(|(word, count)| Some((self.words.get(word)?, *count)));
        let vector = known.map(|((column, idf), count)| (*column, (1.0 + number(count).ln()) * idf)).collect();
        unit(vector)
    }
}

/// Scales a vector to length 1; an empty vector stays empty.
pub(super) fn unit(mut vector: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let length = vector.iter().map(|(_, value)| value * value).sum::<f64>().sqrt();
    for (_, value) in &mut vector {
        *value /= length;
    }
    vector
}

/// Counts each word of at least two characters, in lower case, and the kind of work if `by_group`.
fn counts(turn: &Turn, by_group: bool) -> BTreeMap<String, usize> {
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
