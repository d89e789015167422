//! Nearest neighbours by the cosine similarity of TF-IDF vectors.

use crate::{
    data::Set,
    forecast::{Forecast, Means},
    number::number,
    split::Lesson,
};

use super::{sparse::Sparse, terms::Terms};

/// How the outcomes of the nearest training turns are combined into a forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Vote {
    /// The mean of the 5 nearest.
    Five,
    /// The mean of the 100 nearest, weighted by squared similarity and shrunk towards the model's mean by 20 neighbours.
    Hundred,
}

/// The training turns as TF-IDF vectors, to find the nearest ones of a test turn.
#[derive(Debug)]
pub(crate) struct Neighbours<'a> {
    set: &'a Set,
    lessons: &'a [Lesson],
    means: &'a Means,
    terms: Terms,
    /// Inverted index: for each column the lessons with the word and their weights.
    with: Vec<Vec<(u32, f64)>>,
}

impl<'a> Neighbours<'a> {
    /// Computes the vectors of the lessons.
    pub(crate) fn learn(set: &'a Set, lessons: &'a [Lesson], means: &'a Means) -> Self {
        let turns = || lessons.iter().map(|lesson| &set.turns[lesson.turn]);
        let terms = Terms::learn(turns(), set.is_grouped());
        let vectors = Sparse::of(turns().map(|turn| terms.vector(turn)), terms.columns());
        Self { set, lessons, means, with: vectors.transposed(), terms }
    }

    /// Predicts the outcome of each model on a turn, once for each [`Vote`].
    pub(crate) fn forecasts(&self, turn: usize) -> [Vec<Option<Forecast>>; 2] {
        let mut similarities = vec![0.0; self.lessons.len()];
        for (column, value) in self.terms.vector(&self.set.turns[turn]) {
            for (place, other) in &self.with[column as usize] {
                similarities[*place as usize] += value * other;
            }
        }
        let mut order: Vec<usize> = (0..self.lessons.len()).collect();
        let nearer = |one: &usize, other: &usize| {
            similarities[*other].total_cmp(&similarities[*one]).then_with(|| one.cmp(other))
        };
        // If the outcomes of all models are known, the hundred nearest lessons are the same for each model.
        if self.lessons.first().is_some_and(|lesson| lesson.model.is_none()) && 100 < order.len() {
            order.select_nth_unstable_by(99, nearer);
            order.truncate(100);
        }
        order.sort_unstable_by(nearer);
        [Vote::Five, Vote::Hundred].map(|vote| {
            let all = 0..self.set.models.len();
            all.map(|model| self.forecast(model, &order, &similarities, vote)).collect()
        })
    }

    fn forecast(&self, model: usize, order: &[usize], similarities: &[f64], vote: Vote) -> Option<Forecast> {
        let (mean_score, mean_cost) = self.means.models[model]?;
        let knows = |place: &&usize| self.lessons[**place].knows(model);
        let most = if vote == Vote::Five { 5 } else { 100 };
        let (mut count, mut weights, mut scores, mut costs) = (0, 0.0, 0.0, 0.0);
        for place in order.iter().filter(knows).take(most) {
            let outcome = self.set.turns[self.lessons[*place].turn].outcomes[model];
            let weight = if vote == Vote::Five { 1.0 } else { similarities[*place].powi(2) };
            count += 1;
            weights += weight;
            scores += weight * outcome.score;
            costs += weight * outcome.cost;
        }
        // Never 0, so that a turn without neighbours gets the means.
        let held = if vote == Vote::Five { 0.0 } else { 20.0 * weights / number(count.max(1)) + 1e-9 };
        let blend = |sum: f64, mean: f64| (sum + held * mean) / (weights + held);
        Some(Forecast {
            success: blend(scores, mean_score),
            saved: self.means.saved(blend(costs, mean_cost)),
            ..Forecast::default()
        })
    }
}
