//! Nearest neighbours by the cosine similarity of TF-IDF vectors.

use crate::{
    data::PromptSet,
    forecast::{Forecast, Means},
    numbers::to_f64,
    split::TrainingTurn,
};

use super::{sparse::SparseMatrix, vocabulary::Vocabulary};

/// How the outcomes of the nearest training turns are combined to a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    /// The mean of the 5 nearest turns.
    FiveNearest,
    /// The mean of the 100 nearest turns, weighted by squared similarity and shrunk towards the model's mean, which
    /// weighs as much as 20 neighbours.
    HundredNearest,
}

/// The baseline method that predicts outcomes from the most similar training turns. It has the training turns as TF-IDF
/// vectors, in an inverted index.
#[derive(Debug)]
pub(crate) struct Neighbours<'a> {
    /// The set of prompts with the training turns.
    set: &'a PromptSet,
    /// The training turns, in the order of the vectors.
    training: &'a [TrainingTurn],
    /// The mean outcomes of each model in the training turns.
    means: &'a Means,
    /// The words of the training turns.
    vocabulary: Vocabulary,
    /// The inverted index: for each column (word), the training turns that contain the word, with its weight.
    by_column: Vec<Vec<(u32, f64)>>,
}

impl<'a> Neighbours<'a> {
    /// Trains the baseline method: computes the TF-IDF vectors of the training turns, and the inverted index over them.
    pub(crate) fn train(set: &'a PromptSet, training: &'a [TrainingTurn], means: &'a Means) -> Self {
        let turns = || training.iter().map(|turn| &set.turns[turn.index]);
        let vocabulary = Vocabulary::learn(turns(), set.is_grouped());
        let vectors = SparseMatrix::from_rows(turns().map(|turn| vocabulary.tf_idf_vector(turn)), vocabulary.columns());
        Self { set, training, means, by_column: vectors.cells_by_column(), vocabulary }
    }

    /// Predicts the outcome of each model on a turn. `turn` is its index in the set. Returns the predictions of
    /// [`Vote::FiveNearest`], then those of [`Vote::HundredNearest`], each in the order of the models; `None` for models
    /// without outcomes.
    pub(crate) fn forecasts(&self, turn: usize) -> [Vec<Option<Forecast>>; 2] {
        let mut similarities = vec![0.0; self.training.len()];
        for (column, value) in self.vocabulary.tf_idf_vector(&self.set.turns[turn]) {
            for (index, training_value) in &self.by_column[column as usize] {
                similarities[*index as usize] += value * training_value;
            }
        }
        let mut order: Vec<usize> = (0..self.training.len()).collect();
        let nearer = |one: &usize, other: &usize| {
            similarities[*other].total_cmp(&similarities[*one]).then_with(|| one.cmp(other))
        };
        // If the outcomes of all models are known, the hundred nearest turns are the same for each model.
        if self.training.first().is_some_and(|turn| turn.model.is_none()) && 100 < order.len() {
            order.select_nth_unstable_by(99, nearer);
            order.truncate(100);
        }
        order.sort_unstable_by(nearer);
        [Vote::FiveNearest, Vote::HundredNearest].map(|vote| {
            let models = 0..self.set.models.len();
            models.map(|model| self.forecast(model, &order, &similarities, vote)).collect()
        })
    }

    /// Predicts the outcome of one model from its nearest training turns; `None` if it has no outcomes. `order` has the
    /// indices of the training turns in descending order of `similarities`.
    fn forecast(&self, model: usize, order: &[usize], similarities: &[f64], vote: Vote) -> Option<Forecast> {
        let (mean_score, mean_cost) = self.means.models[model]?;
        let has_outcome = |index: &&usize| self.training[**index].has_outcome_of(model);
        let max_neighbours = if vote == Vote::FiveNearest { 5 } else { 100 };
        let (mut count, mut weights, mut scores, mut costs) = (0, 0.0, 0.0, 0.0);
        for index in order.iter().filter(has_outcome).take(max_neighbours) {
            let outcome = self.set.turns[self.training[*index].index].outcomes[model];
            let weight = if vote == Vote::FiveNearest { 1.0 } else { similarities[*index].powi(2) };
            count += 1;
            weights += weight;
            scores += weight * outcome.score;
            costs += weight * outcome.cost;
        }
        // Never 0, so that a turn without neighbours gets the means.
        let prior_weight = if vote == Vote::FiveNearest { 0.0 } else { 20.0 * weights / to_f64(count.max(1)) + 1e-9 };
        let blend = |sum: f64, mean: f64| (sum + prior_weight * mean) / (weights + prior_weight);
        Some(Forecast {
            success: blend(scores, mean_score),
            saved: self.means.saved(blend(costs, mean_cost)),
            ..Forecast::default()
        })
    }
}
