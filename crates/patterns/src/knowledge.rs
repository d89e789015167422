//! What follows from the rows of a store: kept beside them so that a search finds it ready, never saved.

use contracts::Score;

use crate::{
    fingerprint::Fingerprint,
    growth,
    linear::{Linear, Outcome, PLACES, Seen},
    row::Sums,
    space::{Point, Space},
    structure::Structure,
    words::{DIMENSIONS, Direction},
};

/// Passes over all rows whenever the store learns.
const PASSES: usize = 2;

/// Outcomes of a model that is as good as models are on average, counted before its own.
const PSEUDO_OUTCOMES: i64 = 2;

/// Everything that follows from rows and space, by place of the fingerprint and by number of the model.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Knowledge {
    /// The words of every fingerprint as directions.
    pub(crate) directions: Vec<Direction>,
    /// Fingerprints whose message was embedded, by place.
    pub(crate) embedded: Vec<Embedded>,
    /// What is known about every model.
    pub(crate) models: Vec<ModelKnowledge>,
}

/// An embedded fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Embedded {
    pub(crate) place: usize,
    pub(crate) embedder: String,
    pub(crate) direction: Direction,
}

/// What is known about one model in a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ModelKnowledge {
    /// Over all its rows.
    pub(crate) sums: Sums,
    /// Places of its rows with a score, in order.
    pub(crate) scored: Vec<u32>,
    /// The same rows as points of the space, side by side: what a search goes through.
    pub(crate) points: Vec<Point>,
    /// What words and structure say of it.
    pub(crate) linear: Linear,
}

impl Knowledge {
    /// Everything again, from rows whose coefficients stand.
    pub(crate) fn of(space: &Space, fingerprints: &[Fingerprint], models: usize) -> Self {
        let mut knowledge = Self { models: vec![ModelKnowledge::default(); models], ..Self::default() };
        let mut seen = Seen::default();
        knowledge.make_room(fingerprints);
        for (place, fingerprint) in fingerprints.iter().enumerate() {
            knowledge.place(space, fingerprint);
            let point = knowledge.point(space, place, fingerprint);
            if fingerprint.rows.iter().any(|row| row.coefficient != 0) {
                seen.look(space, &fingerprint.sketch, &point.structure);
            }
            for row in &fingerprint.rows {
                let model = knowledge.model(row.model);
                model.sums.plus(&row.sums);
                if 0 < row.sums.scored {
                    growth::push(&mut model.scored, u32::try_from(place).unwrap_or(u32::MAX));
                    growth::push(&mut model.points, point);
                }
                if row.coefficient != 0 {
                    model.linear.change(&seen, 0, row.coefficient);
                }
            }
        }
        knowledge
    }

    /// Finds the coefficients of all rows for outcomes as they are now, from those they have.
    pub(crate) fn fit(&mut self, space: &Space, fingerprints: &mut [Fingerprint]) {
        let common = self.common_mean();
        let mut seen = Seen::default();
        // The scored rows of every model, in the order in which their fingerprints come by.
        let mut passed = vec![0; self.models.len()];
        for _ in 0..PASSES {
            passed.fill(0);
            for fingerprint in fingerprints.iter_mut() {
                let structure = self.pass(fingerprint, &mut passed);
                // Rows without an outcome teach nothing; one that lost it has to be forgotten.
                if structure.is_none() && fingerprint.rows.iter().all(|row| row.coefficient == 0) {
                    continue;
                }
                let structure = structure.unwrap_or_else(|| space.structure(fingerprint));
                seen.look(space, &fingerprint.sketch, &structure);
                for row in &mut fingerprint.rows {
                    let Some(known) = self.models.get_mut(row.model as usize) else { continue };
                    let coefficient = match row.sums.mean() {
                        Some(outcome) => {
                            let residual = outcome - known.mean(common);
                            let weight = row.sums.scored;
                            known.linear.fitted(&seen, Outcome { residual, weight, coefficient: row.coefficient })
                        }
                        None => 0,
                    };
                    known.linear.change(&seen, row.coefficient, coefficient);
                    row.coefficient = coefficient;
                }
            }
        }
    }

    /// The structure of the next fingerprint, as far as a model has a point there: beside its scored rows it stands ready.
    fn pass(&self, fingerprint: &Fingerprint, passed: &mut [usize]) -> Option<Structure> {
        let mut structure = None;
        for row in fingerprint.rows.iter().filter(|row| 0 < row.sums.scored) {
            let number = row.model as usize;
            if let (Some(known), Some(passed)) = (self.models.get(number), passed.get_mut(number)) {
                structure = known.points.get(*passed).map(|point| point.structure);
                *passed += 1;
            }
        }
        structure
    }

    /// How well models do on average, each counting once; nothing when none was ever scored.
    pub(crate) fn common_mean(&self) -> i64 {
        let means = self.models.iter().filter_map(|model| model.sums.mean());
        let (count, sum) = means.fold((0, 0), |(count, sum), mean| (count + 1, sum + mean));
        sum / i64::max(count, 1)
    }

    /// Takes in a new fingerprint, the last.
    pub(crate) fn place(&mut self, space: &Space, fingerprint: &Fingerprint) {
        let place = self.directions.len();
        growth::push(&mut self.directions, space.words.direction(&fingerprint.sketch));
        self.embedded.extend(fingerprint.embedding.as_ref().map(|embedding| embedding.at(place)));
    }

    /// Takes in the meaning of a fingerprint's message, in place of the one it had.
    pub(crate) fn note_embedded(&mut self, embedded: Embedded) {
        match self.embedded.binary_search_by_key(&embedded.place, |known| known.place) {
            Ok(index) => self.embedded[index] = embedded,
            Err(index) => self.embedded.insert(index, embedded),
        }
    }

    pub(crate) fn model(&mut self, model: u32) -> &mut ModelKnowledge {
        let index = model as usize;
        if self.models.len() <= index {
            self.models.resize_with(index + 1, ModelKnowledge::default);
        }
        &mut self.models[index]
    }

    /// Notes whether the row of a model has a score.
    pub(crate) fn note_scored(&mut self, space: &Space, model: u32, place: usize, fingerprint: &Fingerprint) {
        let scored = fingerprint.row(model).is_some_and(|row| 0 < row.sums.scored);
        let number = u32::try_from(place).unwrap_or(u32::MAX);
        match (self.model(model).scored.binary_search(&number), scored) {
            (Err(index), true) => {
                let point = self.point(space, place, fingerprint);
                let known = self.model(model);
                growth::insert(&mut known.scored, index, number);
                growth::insert(&mut known.points, index, point);
            }
            (Ok(index), false) => {
                let known = self.model(model);
                known.scored.remove(index);
                known.points.remove(index);
            }
            _ => {}
        }
    }

    /// A fingerprint in the space.
    fn point(&self, space: &Space, place: usize, fingerprint: &Fingerprint) -> Point {
        let direction = self.directions.get(place).copied().unwrap_or([0; DIMENSIONS]);
        Point { direction, structure: space.structure(fingerprint) }
    }

    /// Makes room for all fingerprints and rows, and no more.
    fn make_room(&mut self, fingerprints: &[Fingerprint]) {
        self.directions.reserve_exact(fingerprints.len());
        let mut scored = vec![0; self.models.len()];
        for row in fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows).filter(|row| 0 < row.sums.scored) {
            if let Some(rows) = scored.get_mut(row.model as usize) {
                *rows += 1;
            }
        }
        for (known, rows) in self.models.iter_mut().zip(scored) {
            known.scored.reserve_exact(rows);
            known.points.reserve_exact(rows);
        }
    }
}

impl ModelKnowledge {
    /// How well the model does: its mean, with a few outcomes as good as those of models on average counted before.
    pub(crate) fn mean(&self, common: i64) -> i64 {
        let outcomes = i64::from(self.sums.scored);
        let own = self.sums.mean().unwrap_or(common);
        (own * outcomes + common * PSEUDO_OUTCOMES) / (outcomes + PSEUDO_OUTCOMES)
    }
}

impl Sums {
    pub(crate) fn plus(&mut self, other: &Self) {
        self.samples = self.samples.saturating_add(other.samples);
        self.scored = self.scored.saturating_add(other.scored);
        self.score_sum = self.score_sum.saturating_add(other.score_sum);
        self.costed = self.costed.saturating_add(other.costed);
        self.cost_sum = self.cost_sum.plus(other.cost_sum);
        self.cost_squares = self.cost_squares.saturating_add(other.cost_squares);
    }

    /// The mean score with twenty binary places.
    pub(crate) fn mean(&self) -> Option<i64> {
        let mean = (u128::from(self.score_sum) << PLACES).checked_div(u128::from(self.scored) * 1_000_000_000)?;
        i64::try_from(mean).ok()
    }

    /// The variance of one score, from the scores there are and four more, half of them whole and half nothing.
    pub(crate) fn spread(&self) -> Score {
        let sum = self.score_sum.saturating_add(2 * Score::ONE.0);
        let mean = Score(sum / (u64::from(self.scored) + 4)).min(Score::ONE);
        mean.times(mean.complement())
    }

    /// The mean cost in nano-dollars.
    pub(crate) fn cost(&self) -> Option<u64> {
        self.cost_sum.0.checked_div(u64::from(self.costed))
    }

    /// The variance of the cost, in square nano-dollars.
    pub(crate) fn cost_variance(&self) -> u128 {
        let mean = u128::from(self.cost().unwrap_or_default());
        let squares = self.cost_squares.checked_div(u128::from(self.costed)).unwrap_or_default();
        squares.saturating_sub(mean * mean)
    }
}
