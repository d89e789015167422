//! Logistic regression on the features of the store: the token hashes of a sketch by TF-IDF, and each level `n` of its
//! shape as `n` binary features.

use contracts::Features;

use crate::{
    data::Set,
    forecast::{Forecast, Means},
    number::number,
    split::Lesson,
};

use super::{
    newton::{Fitted, chance, fit},
    sparse::{Sparse, dot},
    terms::unit,
};

/// The L2 penalty; the default of most libraries.
const PENALTY: f64 = 1.0;

/// The number of different token hashes.
const HASHES: usize = 1 << 16;

/// The highest level; higher numbers are clamped.
const MAX_LEVEL: u8 = 31;

/// A logistic regression of the score of each model on the features of a turn.
#[derive(Debug)]
pub(crate) struct Logistic {
    columns: Columns,
    models: Vec<Option<Fitted>>,
}

impl Logistic {
    /// Fits a regression to the scores of each model in the training turns.
    pub(crate) fn learn(set: &Set, features: &[Features], lessons: &[Lesson], means: &Means) -> Self {
        let columns = Columns::learn(lessons.iter().map(|lesson| &features[lesson.turn]));
        let fit_model = |model: usize| {
            let own = || lessons.iter().filter(|lesson| lesson.knows(model));
            let rows = Sparse::of(own().map(|lesson| columns.vector(&features[lesson.turn])), columns.count);
            let targets: Vec<f64> = own().map(|lesson| set.turns[lesson.turn].outcomes[model].score).collect();
            fit(&rows, &targets, PENALTY)
        };
        let models = means.models.iter().enumerate().map(|(model, known)| known.map(|_| fit_model(model))).collect();
        Self { columns, models }
    }

    /// Predicts the score of each model; the cost is taken from `costs`.
    pub(crate) fn forecasts(&self, features: &Features, costs: &[Option<Forecast>]) -> Vec<Option<Forecast>> {
        let vector = self.columns.vector(features);
        let forecast = |(fitted, cost): (&Option<Fitted>, &Option<Forecast>)| {
            Some(Forecast { success: chance(dot(&vector, &fitted.as_ref()?.0)), ..(*cost)? })
        };
        self.models.iter().zip(costs).map(forecast).collect()
    }
}

/// The columns of the feature matrix: token hashes, levels of the shape, and kinds of work.
#[derive(Debug)]
struct Columns {
    /// By token hash: the column and the inverse document frequency; `None` for unknown tokens.
    words: Vec<Option<(u32, f64)>>,
    shapes_from: usize,
    /// The value of the features of a shape, with which shapes have about the same length as texts.
    scale: f64,
    groups_from: usize,
    groups: Vec<String>,
    count: usize,
}

impl Columns {
    fn learn<'a>(features: impl Iterator<Item = &'a Features> + Clone) -> Self {
        let mut with = vec![0; HASHES];
        let (mut all, mut levels) = (0, Vec::<Vec<usize>>::new());
        for features in features.clone() {
            all += 1;
            for word in features.sketch.numbers() {
                with[usize::from(word)] += 1;
            }
            for (place, level) in features.sketch.shape.iter().enumerate() {
                levels.resize((place + 1).max(levels.len()), vec![0; usize::from(MAX_LEVEL) + 1]);
                levels[place][usize::from((*level).min(MAX_LEVEL))] += 1;
            }
        }
        let mut columns = 0_u32..;
        let idf = |with: usize| (number(1 + all) / number(1 + with)).ln() + 1.0;
        let known = |with: usize| (with != 0).then(|| columns.next().map(|column| (column, idf(with)))).flatten();
        let words: Vec<_> = with.into_iter().map(known).collect();
        let shapes_from = words.iter().flatten().count();
        let spread = levels.iter().map(|counts| variance(counts, all)).sum::<f64>();
        let mut groups: Vec<String> = features.filter_map(|features| features.workload.clone()).collect();
        groups.sort_unstable();
        groups.dedup();
        let groups_from = levels.len() * usize::from(MAX_LEVEL);
        Self {
            words,
            shapes_from,
            scale: if 0.0 < spread { spread.sqrt().recip() } else { 0.0 },
            count: shapes_from + groups_from + groups.len() + 1,
            groups_from,
            groups,
        }
    }

    fn vector(&self, features: &Features) -> Vec<(u32, f64)> {
        let known = |word: u16| self.words.get(usize::from(word)).copied().flatten();
        let mut vector = unit(features.sketch.numbers().filter_map(known).collect());
        let column = |place: usize| u32::try_from(self.shapes_from + place).unwrap_or(u32::MAX);
        for (place, level) in features.sketch.shape.iter().enumerate() {
            let start = place * usize::from(MAX_LEVEL);
            let bits = start..start + usize::from((*level).min(MAX_LEVEL));
            vector.extend(bits.filter(|bit| *bit < self.groups_from).map(|bit| (column(bit), self.scale)));
        }
        let group = features.workload.as_ref().and_then(|name| self.groups.binary_search(name).ok());
        vector.extend(group.map(|group| (column(self.groups_from + group), 1.0)));
        vector.push((column(self.groups_from + self.groups.len()), 1.0));
        vector
    }
}

/// The sum of the variances of the binary features "at least 1", "at least 2", … of one level.
fn variance(counts: &[usize], all: usize) -> f64 {
    let mut below = 0;
    let share = |below: usize| number(below) / number(all.max(1));
    let variances = counts.iter().map(|count| {
        below += count;
        share(below) * (1.0 - share(below))
    });
    variances.sum()
}
