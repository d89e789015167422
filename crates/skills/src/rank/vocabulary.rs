//! The features of the training texts, with their weights, and the vectors of texts.

use super::{
    elementary::{ln, to_f32, to_f64},
    features::{Feature, FeatureGroup, GROUPS, features},
};

/// The weights of the groups, in the order of [`FeatureGroup`]: the length of a group's part of a vector.
const GROUP_WEIGHTS: [f32; GROUPS] = [1.0, 0.8, 0.9];

/// The most features of a vocabulary. Of more, the most frequent are used.
const MAX_FEATURES: usize = 1 << 16;

/// The marker of an empty slot.
const EMPTY: u32 = u32::MAX;

/// The features of the training texts: an open-addressed hash table from hash to column and weight.
#[derive(Clone, PartialEq)]
pub(super) struct Vocabulary {
    /// The column in each slot, or [`EMPTY`]. The number of slots is a power of two, at least twice the columns.
    slots: Vec<u32>,
    /// The hash of each column's feature.
    hashes: Vec<u32>,
    /// The weight of each column's feature.
    weights: Vec<f32>,
    /// The weight of a feature that is not in the vocabulary.
    unknown_weight: f32,
}

/// The weights of a text's features.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextVector {
    /// Column and weight of each feature in the vocabulary, without duplicate columns.
    pub(super) entries: Vec<(u32, f32)>,
}

impl std::fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vocabulary").field("columns", &self.columns()).finish_non_exhaustive()
    }
}

impl Vocabulary {
    /// Collects the features of training texts, each given by its sorted features. The weight of a feature is the square
    /// root of its inverse document frequency `1 + ln((texts + 1) / (texts with it + 1))`.
    pub(super) fn learn<'a>(texts: impl Iterator<Item = &'a [Feature]>) -> Self {
        let mut occurrences: Vec<u32> = Vec::new();
        let mut count = 0;
        for text in texts {
            count += 1;
            occurrences.extend(text.chunk_by(|a, b| a == b).filter_map(|same| same.first()).map(|first| first.hash));
        }
        occurrences.sort_unstable();
        let runs = occurrences.chunk_by(|a, b| a == b);
        let mut counted: Vec<(usize, u32)> =
            runs.map(|run| (run.len(), run.first().copied().unwrap_or_default())).collect();
        counted.sort_unstable_by_key(|(count, hash)| (std::cmp::Reverse(*count), *hash));
        counted.truncate(MAX_FEATURES);
        let log_texts = ln(to_f64(count + 1));
        let weight = |count: usize| to_f32((1.0 + log_texts - ln(to_f64(count + 1))).sqrt());
        let mut vocabulary = Self {
            slots: vec![EMPTY; (2 * counted.len()).next_power_of_two().max(2)],
            hashes: counted.iter().map(|(_, hash)| *hash).collect(),
            weights: counted.iter().map(|(count, _)| weight(*count)).collect(),
            unknown_weight: weight(0),
        };
        for (column, (_, hash)) in (0..).zip(&counted) {
            let slot = vocabulary.slot(*hash);
            vocabulary.slots[slot] = column;
        }
        vocabulary
    }

    /// Returns the number of features.
    pub(super) fn columns(&self) -> usize {
        self.hashes.len()
    }

    /// Returns the memory in bytes.
    pub(super) fn memory_bytes(&self) -> usize {
        4 * (self.slots.len() + self.hashes.len() + self.weights.len())
    }

    /// Returns the slot with the feature of this hash, or the empty slot where it belongs.
    fn slot(&self, hash: u32) -> usize {
        let mask = self.slots.len() - 1;
        // The hash has 32 bits, as `usize` has at least.
        let mut slot = usize::try_from(hash).unwrap_or_default() & mask;
        // Ends, since at least half of the slots are empty.
        while let Some(column) = self.slots.get(slot).copied().filter(|column| *column != EMPTY) {
            if self.hashes.get(column as usize) == Some(&hash) {
                break;
            }
            slot = (slot + 1) & mask;
        }
        slot
    }

    /// Returns the column and the weight of a feature; `None` if it is not in the vocabulary.
    fn find(&self, hash: u32) -> Option<(u32, f32)> {
        let column = self.slots.get(self.slot(hash)).copied().filter(|column| *column != EMPTY)?;
        Some((column, self.weights.get(column as usize).copied()?))
    }

    /// Computes the vector of a text.
    pub(super) fn vector(&self, text: &str) -> TextVector {
        self.vector_of(&features(text))
    }

    /// Computes the vector of a text from its sorted features. A feature that occurs `n` times counts `1 + ln n` times
    /// its weight. Each group is scaled to the group's weight, and unknown features count in the length of a group, so
    /// that a text of unknown words has a short vector.
    pub(super) fn vector_of(&self, sorted: &[Feature]) -> TextVector {
        let mut entries: Vec<(u32, f32)> = Vec::with_capacity(sorted.len());
        for group in [FeatureGroup::Word, FeatureGroup::Pair, FeatureGroup::Sequence] {
            let start = sorted.partition_point(|feature| feature.group < group);
            let end = sorted.partition_point(|feature| feature.group <= group);
            let first_entry = entries.len();
            let mut square_sum = 0.0_f32;
            for run in sorted.get(start..end).unwrap_or_default().chunk_by(|a, b| a == b) {
                let Some(feature) = run.first() else { continue };
                let times = if run.len() == 1 { 1.0 } else { to_f32(1.0 + ln(to_f64(run.len()))) };
                let found = self.find(feature.hash);
                let weight = times * found.map_or(self.unknown_weight, |(_, weight)| weight);
                square_sum += weight * weight;
                entries.extend(found.map(|(column, _)| (column, weight)));
            }
            let length = square_sum.sqrt().max(f32::MIN_POSITIVE);
            let scale = GROUP_WEIGHTS[group as usize] / length;
            entries.iter_mut().skip(first_entry).for_each(|(_, weight)| *weight *= scale);
        }
        TextVector { entries }
    }

    /// Returns the share of a text's features that are in the vocabulary, from 0 to 1; 0 for an empty text.
    #[cfg(test)]
    fn known_share(&self, text: &str) -> f64 {
        let all = features(text);
        let known = all.iter().filter(|feature| self.find(feature.hash).is_some()).count();
        to_f64(known) / to_f64(all.len().max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learn(texts: &[&str]) -> Vocabulary {
        let texts: Vec<_> = texts.iter().map(|text| features(text)).collect();
        Vocabulary::learn(texts.iter().map(Vec::as_slice))
    }

    #[test]
    fn every_feature_of_a_training_text_is_found() {
        let vocabulary = learn(&["book a flight", "play some music", "book a table"]);
        assert!(vocabulary.known_share("book a flight") > 0.999);
        assert!(vocabulary.known_share("zzz") < 0.5);
    }

    #[test]
    fn rare_features_weigh_more_and_unknown_words_shorten_the_vector() {
        let vocabulary = learn(&["the cat", "the dog", "the bird"]);
        let length = |text| vocabulary.vector(text).entries.iter().map(|(_, weight)| weight * weight).sum::<f32>();
        let whole: f32 = GROUP_WEIGHTS.iter().map(|weight| weight * weight).sum();
        assert!((length("the cat") - whole).abs() < 1e-4, "{}", length("the cat"));
        assert!(length("the xylophone quartet") < 0.6 * whole);
        let weight = |word: &str| {
            let feature = features(word).into_iter().find(|feature| feature.group == FeatureGroup::Word);
            feature.and_then(|feature| vocabulary.find(feature.hash)).map(|(_, weight)| weight)
        };
        assert!(weight("the") < weight("cat"));
        assert_eq!(weight("xylophone"), None);
    }
}
