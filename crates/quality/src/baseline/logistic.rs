//! Logistic regression on the features of the store: the token hashes of a sketch by TF-IDF, and each level `n` of its
//! shape as `n` binary features.

use contracts::Features;

use crate::{
    data::PromptSet,
    forecast::{Forecast, Means},
    numbers::to_f64,
    split::TrainingTurn,
};

use super::{
    logistic_fit::{FittedWeights, fit_logistic, sigmoid},
    sparse::{SparseMatrix, dot},
    vocabulary::scale_to_unit,
};

/// The L2 penalty, which is the default of most libraries.
const PENALTY: f64 = 1.0;

/// The number of possible 16-bit token hashes.
const TOKEN_HASHES: usize = 1 << 16;

/// The highest level; greater values are clamped to it.
const MAX_LEVEL: u8 = 31;

/// The baseline method that predicts the score of each model with a logistic regression on the features of a turn.
#[derive(Debug)]
pub(crate) struct Logistic {
    /// The assignment of features to columns.
    columns: Columns,
    /// The regression of each model; `None` for models without outcomes.
    models: Vec<Option<FittedWeights>>,
}

impl Logistic {
    /// Trains the baseline method: fits a logistic regression for each model to its scores in the training turns.
    /// `features` has the features of every turn of the set.
    pub(crate) fn train(set: &PromptSet, features: &[Features], training: &[TrainingTurn], means: &Means) -> Self {
        let columns = Columns::learn(training.iter().map(|turn| &features[turn.index]));
        let fit_model = |model: usize| {
            let turns_of_model = || training.iter().filter(|turn| turn.has_outcome_of(model));
            let rows = SparseMatrix::from_rows(
                turns_of_model().map(|turn| columns.feature_vector(&features[turn.index])),
                columns.count,
            );
            let targets: Vec<f64> = turns_of_model().map(|turn| set.turns[turn.index].outcomes[model].score).collect();
            fit_logistic(&rows, &targets, PENALTY)
        };
        let models = means.models.iter().enumerate().map(|(model, known)| known.map(|_| fit_model(model))).collect();
        Self { columns, models }
    }

    /// Predicts the score of each model on a turn with these features. Savings are copied from the forecasts `costs`.
    /// `None` for models without outcomes.
    pub(crate) fn forecasts(&self, features: &Features, costs: &[Option<Forecast>]) -> Vec<Option<Forecast>> {
        let vector = self.columns.feature_vector(features);
        let forecast = |(fitted, cost): (&Option<FittedWeights>, &Option<Forecast>)| {
            Some(Forecast { success: sigmoid(dot(&vector, &fitted.as_ref()?.0)), ..(*cost)? })
        };
        self.models.iter().zip(costs).map(forecast).collect()
    }
}

/// The columns of the feature matrix: one for each token hash, level of the shape and kind of work, and the intercept.
#[derive(Debug)]
struct Columns {
    /// The column and the inverse document frequency of each token hash; `None` for tokens that do not occur in
    /// training turns.
    words: Vec<Option<(u32, f64)>>,
    /// The first column of the levels.
    shapes_start: usize,
    /// The value of the binary features of a level, chosen so that shapes have about the same length as texts.
    scale: f64,
    /// The number of level columns: the first kind of work is in column `shapes_start + groups_start`.
    groups_start: usize,
    /// The names of the kinds of work, sorted.
    groups: Vec<String>,
    /// The number of all columns.
    count: usize,
}

impl Columns {
    /// Assigns columns to the features that occur in training turns, and computes the inverse document frequencies of
    /// tokens.
    fn learn<'a>(features: impl Iterator<Item = &'a Features> + Clone) -> Self {
        let mut texts_with = vec![0; TOKEN_HASHES];
        let (mut turn_count, mut levels) = (0, Vec::<Vec<usize>>::new());
        for features in features.clone() {
            turn_count += 1;
            for word in features.sketch.numbers() {
                texts_with[usize::from(word)] += 1;
            }
            for (index, level) in features.sketch.shape.iter().enumerate() {
                levels.resize((index + 1).max(levels.len()), vec![0; usize::from(MAX_LEVEL) + 1]);
                levels[index][usize::from((*level).min(MAX_LEVEL))] += 1;
            }
        }
        let mut columns = 0_u32..;
        let idf = |texts_with: usize| (to_f64(1 + turn_count) / to_f64(1 + texts_with)).ln() + 1.0;
        let column_of_word = |texts_with: usize| {
            (texts_with != 0).then(|| columns.next().map(|column| (column, idf(texts_with)))).flatten()
        };
        let words: Vec<_> = texts_with.into_iter().map(column_of_word).collect();
        let shapes_start = words.iter().flatten().count();
        let total_variance = levels.iter().map(|counts| level_variance(counts, turn_count)).sum::<f64>();
        let mut groups: Vec<String> = features.filter_map(|features| features.workload.clone()).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups_start = levels.len() * usize::from(MAX_LEVEL);
        Self {
            words,
            shapes_start,
            scale: if 0.0 < total_variance { total_variance.sqrt().recip() } else { 0.0 },
            count: shapes_start + groups_start + groups.len() + 1,
            groups_start,
            groups,
        }
    }

    /// Computes the feature vector of a turn as columns and values: TF-IDF weights scaled to length 1, levels, kind of
    /// work, and intercept. Tokens and kinds of work that have no column are omitted.
    fn feature_vector(&self, features: &Features) -> Vec<(u32, f64)> {
        let column_and_idf = |word: u16| self.words.get(usize::from(word)).copied().flatten();
        let mut vector = scale_to_unit(features.sketch.numbers().filter_map(column_and_idf).collect());
        let column = |index: usize| u32::try_from(self.shapes_start + index).unwrap_or(u32::MAX);
        for (index, level) in features.sketch.shape.iter().enumerate() {
            let start = index * usize::from(MAX_LEVEL);
            let bits = start..start + usize::from((*level).min(MAX_LEVEL));
            vector.extend(bits.filter(|bit| *bit < self.groups_start).map(|bit| (column(bit), self.scale)));
        }
        let group = features.workload.as_ref().and_then(|name| self.groups.binary_search(name).ok());
        vector.extend(group.map(|group| (column(self.groups_start + group), 1.0)));
        vector.push((column(self.groups_start + self.groups.len()), 1.0));
        vector
    }
}

/// Returns the sum of the variances of the binary features "at least 1", "at least 2", … of one level. `counts` has the
/// number of turns at each value of the level, and `turn_count` is the number of all turns.
fn level_variance(counts: &[usize], turn_count: usize) -> f64 {
    let mut below = 0;
    let share = |below: usize| to_f64(below) / to_f64(turn_count.max(1));
    let variances = counts.iter().map(|count| {
        below += count;
        share(below) * (1.0 - share(below))
    });
    variances.sum()
}
