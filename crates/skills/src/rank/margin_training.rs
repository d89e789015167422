//! Training of linear classifiers, one for each skill: support vector machines with squared hinge loss, by dual
//! coordinate descent (Hsieh et al., 2008).
//!
//! Each classifier separates the texts of its skill from all others by a margin of 1. All of them are trained in one
//! pass over the texts, since they see the same texts in the same order. The result depends on the texts and their order
//! only: the order of the passes is drawn from a generator with a fixed start.

use super::vocabulary::TextVector;

/// The number of passes over the texts. More change less than one choice in a thousand.
const PASSES: usize = 5;

/// The cost of violating the margin for a text of the skill itself, as a multiple of that for a text of another skill:
/// there are few of the former.
const OWN_COST: f32 = 4.0;

/// The constant feature of every text, whose weight is the threshold of a classifier.
const CONSTANT: f32 = 1.0;

/// A training text: its vector, and the classifier that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrainingText {
    /// The vector.
    pub(super) vector: TextVector,
    /// The index of the classifier.
    pub(super) class: usize,
}

/// The weights of linear classifiers in floating point.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LinearClassifiers {
    /// The weights by feature, then by classifier.
    pub(super) weights: Vec<f32>,
    /// The threshold of each classifier, which is added to its sum.
    pub(super) thresholds: Vec<f32>,
}

impl LinearClassifiers {
    /// Trains `classes` classifiers on texts with features below `columns`. `cost` is the cost of violating the margin: a
    /// smaller one gives smaller weights that depend less on single texts.
    pub(super) fn train(texts: &[TrainingText], columns: usize, classes: usize, cost: f32) -> Self {
        let mut trained = Self { weights: vec![0.0; columns * classes], thresholds: vec![0.0; classes] };
        let mut pass = TrainingPass {
            multipliers: vec![0.0; texts.len() * classes],
            sums: vec![0.0; classes],
            changes: Vec::with_capacity(classes),
            cost,
        };
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let mut random = 12_345_u64;
        for _ in 0..PASSES {
            shuffle(&mut order, &mut random);
            for index in &order {
                if let Some(text) = texts.get(*index) {
                    pass.visit(&mut trained, text, *index);
                }
            }
        }
        trained
    }

    /// Adds `factor` times the weights and thresholds of other classifiers for the same features to `1 - factor` times
    /// these.
    pub(super) fn blend(&mut self, other: &Self, factor: f32) {
        let (weights, thresholds) = (other.weights.iter(), other.thresholds.iter());
        let own = self.weights.iter_mut().chain(&mut self.thresholds);
        for (weight, other) in own.zip(weights.chain(thresholds)) {
            *weight += factor * (other - *weight);
        }
    }

    /// Adds `factor` times the vector of a text to the weights of its classifier, so that its sum grows with the similarity
    /// to the text.
    pub(super) fn add_vector(&mut self, text: &TrainingText, factor: f32) {
        let classes = self.thresholds.len();
        for (column, value) in &text.vector.entries {
            if let Some(weight) = self.weights.get_mut(*column as usize * classes + text.class) {
                *weight += factor * value;
            }
        }
    }

    /// Adds the weighted sum of each classifier for a text to `sums`.
    fn add_sums(&self, vector: &TextVector, sums: &mut [f32]) {
        for (column, value) in &vector.entries {
            let row = *column as usize * sums.len();
            let weights = self.weights.get(row..row + sums.len()).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += weight * value;
            }
        }
    }
}

/// The state of training besides the weights.
struct TrainingPass {
    /// The multiplier (dual variable) of each text in each classifier, by text.
    multipliers: Vec<f32>,
    /// The weighted sum of each classifier for the current text.
    sums: Vec<f32>,
    /// The classifiers that the current text changes, with the change.
    changes: Vec<(usize, f32)>,
    /// The cost of violating the margin.
    cost: f32,
}

impl TrainingPass {
    /// Optimises the multipliers of one text, given by its index, and updates the weights.
    fn visit(&mut self, trained: &mut LinearClassifiers, text: &TrainingText, index: usize) {
        let classes = self.sums.len();
        self.sums.copy_from_slice(&trained.thresholds);
        trained.add_sums(&text.vector, &mut self.sums);
        let squares: f32 = text.vector.entries.iter().map(|(_, value)| value * value).sum();
        let multipliers = self.multipliers.get_mut(index * classes..(index + 1) * classes).unwrap_or_default();
        self.changes.clear();
        for (class, (multiplier, sum)) in multipliers.iter_mut().zip(&self.sums).enumerate() {
            let (sign, cost) = if class == text.class { (1.0, self.cost * OWN_COST) } else { (-1.0, self.cost) };
            let slack = 0.5 / cost;
            let gradient = sign * sum - 1.0 + slack * *multiplier;
            let optimum = (*multiplier - gradient / (squares + CONSTANT * CONSTANT + slack)).max(0.0);
            let change = optimum - *multiplier;
            if change != 0.0 {
                *multiplier = optimum;
                self.changes.push((class, sign * change));
            }
        }
        for (column, value) in &text.vector.entries {
            let row = *column as usize * classes;
            let weights = trained.weights.get_mut(row..row + classes).unwrap_or_default();
            for (class, change) in &self.changes {
                if let Some(weight) = weights.get_mut(*class) {
                    *weight += change * value;
                }
            }
        }
        for (class, change) in &self.changes {
            if let Some(threshold) = trained.thresholds.get_mut(*class) {
                *threshold += change * CONSTANT * CONSTANT;
            }
        }
    }
}

/// Shuffles indices with a linear congruential generator.
fn shuffle(order: &mut [usize], random: &mut u64) {
    for last in (1..order.len()).rev() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = usize::try_from(*random >> 33).unwrap_or_default() % (last + 1);
        order.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(entries: &[(u32, f32)], class: usize) -> TrainingText {
        TrainingText { vector: TextVector { entries: entries.to_vec() }, class }
    }

    #[test]
    fn separable_texts_are_separated_whatever_their_order() {
        let texts = [text(&[(0, 1.0)], 0), text(&[(1, 1.0)], 1), text(&[(0, 0.7), (2, 0.7)], 0), text(&[(2, 1.0)], 2)];
        let reversed: Vec<_> = texts.iter().rev().cloned().collect();
        for texts in [&texts[..], &reversed] {
            let trained = LinearClassifiers::train(texts, 3, 3, 1.0);
            for text in texts {
                let mut sums = trained.thresholds.clone();
                trained.add_sums(&text.vector, &mut sums);
                let best = (0..3).max_by(|a, b| sums[*a].total_cmp(&sums[*b]));
                assert_eq!(best, Some(text.class), "{sums:?}");
            }
        }
    }

    #[test]
    fn blended_weights_lie_between() {
        let mut blended = LinearClassifiers { weights: vec![1.0, 0.0], thresholds: vec![4.0] };
        blended.blend(&LinearClassifiers { weights: vec![0.0, 1.0], thresholds: vec![0.0] }, 0.25);
        assert_eq!(blended, LinearClassifiers { weights: vec![0.75, 0.25], thresholds: vec![3.0] });
    }

    #[test]
    fn an_added_vector_raises_the_sum_of_its_own_classifier() {
        let mut trained = LinearClassifiers { weights: vec![0.0; 4], thresholds: vec![0.0; 2] };
        trained.add_vector(&text(&[(0, 0.5), (1, 1.0)], 1), 0.2);
        assert_eq!(trained.weights, [0.0, 0.1, 0.0, 0.2]);
    }

    #[test]
    fn training_is_reproducible() {
        let texts = [text(&[(0, 1.0)], 0), text(&[(1, 0.3), (0, 0.1)], 1), text(&[(1, 1.0)], 0)];
        assert_eq!(LinearClassifiers::train(&texts, 2, 2, 1.0), LinearClassifiers::train(&texts, 2, 2, 1.0));
        assert_eq!(LinearClassifiers::train(&[], 0, 2, 1.0).thresholds, [0.0, 0.0]);
    }
}
