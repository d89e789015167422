//! The search index: state derived from the rows of a store, which is rebuilt and never saved.

use crate::{
    embedding::IndexedEmbedding,
    fingerprint::Fingerprint,
    fixed::Q20,
    growth,
    outcome_sums::OutcomeSums,
    regression::{Regression, RegressionInput, RowTarget},
    space::{FeatureSpace, Point},
    structure::Structure,
    unit_vector::{DIMENSIONS, UnitVector},
};

/// The number of passes of coordinate descent over all rows in each fit.
const PASSES: usize = 2;

/// The weight of the mean of all models in the posterior mean of a model, in outcomes.
const PRIOR_OUTCOMES: i64 = 2;

/// The search index of a store: vectors, sums and regressions derived from its fingerprints and rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SearchIndex {
    /// The projected words of every fingerprint, by index.
    pub(crate) words: Vec<UnitVector>,
    /// The embeddings of the fingerprints that have one, in ascending order of the fingerprint's index.
    pub(crate) embeddings: Vec<IndexedEmbedding>,
    /// The state of each model, by index in the store's models.
    pub(crate) models: Vec<ModelIndex>,
}

/// The state derived from the rows of one model: its sums, its regression and the points of its scored rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ModelIndex {
    /// The sums of outcomes over all rows of the model.
    pub(crate) sums: OutcomeSums,
    /// The indexes of the fingerprints in which the model has a score, in ascending order.
    pub(crate) scored: Vec<u32>,
    /// The points of those fingerprints, in the same order and contiguous, because the search scans them.
    pub(crate) points: Vec<Point>,
    /// The regression of the model's outcomes on words and structure.
    pub(crate) regression: Regression,
}

impl SearchIndex {
    /// Builds the index of a store from its rows and their saved regression coefficients, without a new fit. `models`
    /// is the number of models in the store.
    pub(crate) fn build(space: &FeatureSpace, fingerprints: &[Fingerprint], models: usize) -> Self {
        let mut index = Self { models: vec![ModelIndex::default(); models], ..Self::default() };
        let mut input = RegressionInput::default();
        index.reserve(fingerprints);
        for (position, fingerprint) in fingerprints.iter().enumerate() {
            index.push(space, fingerprint);
            let point = index.point(space, position, fingerprint);
            if fingerprint.rows.iter().any(|row| row.coefficient != Q20::ZERO) {
                input.recompute(space, &fingerprint.sketch, &point.structure);
            }
            for row in &fingerprint.rows {
                let model = index.model_mut(row.model);
                model.sums.merge(&row.sums);
                if 0 < row.sums.scored {
                    growth::push(&mut model.scored, u32::try_from(position).unwrap_or(u32::MAX));
                    growth::push(&mut model.points, point);
                }
                if row.coefficient != Q20::ZERO {
                    model.regression.update(&input, Q20::ZERO, row.coefficient);
                }
            }
        }
        index
    }

    /// Fits the regression of every model to the recorded outcomes, starting from the saved coefficients, and stores
    /// the new coefficients in the rows.
    pub(crate) fn fit(&mut self, space: &FeatureSpace, fingerprints: &mut [Fingerprint]) {
        let common_mean = self.common_mean();
        let mut input = RegressionInput::default();
        // For each model, the number of its scored rows passed so far.
        let mut cursors = vec![0; self.models.len()];
        for _ in 0..PASSES {
            cursors.fill(0);
            for fingerprint in fingerprints.iter_mut() {
                let structure = self.next_structure(fingerprint, &mut cursors);
                // A row without outcomes keeps no coefficient: it may have lost its last score.
                if structure.is_none() && fingerprint.rows.iter().all(|row| row.coefficient == Q20::ZERO) {
                    continue;
                }
                let structure = structure.unwrap_or_else(|| space.structure(fingerprint));
                input.recompute(space, &fingerprint.sketch, &structure);
                for row in &mut fingerprint.rows {
                    let Some(model) = self.models.get_mut(row.model as usize) else { continue };
                    let coefficient = row.sums.mean_outcome().map_or(Q20::ZERO, |outcome| {
                        let residual = outcome - model.posterior_mean(common_mean);
                        let outcomes = row.sums.scored;
                        model.regression.fit_row(&input, RowTarget { residual, outcomes, coefficient: row.coefficient })
                    });
                    model.regression.update(&input, row.coefficient, coefficient);
                    row.coefficient = coefficient;
                }
            }
        }
    }

    /// Returns the encoded structure of `fingerprint`, read from the points of a model that has a score there; `None`
    /// if no model has one.
    ///
    /// Must be called for the fingerprints in order: each call advances the cursors of the models that have a score.
    fn next_structure(&self, fingerprint: &Fingerprint, cursors: &mut [usize]) -> Option<Structure> {
        let mut structure = None;
        for row in fingerprint.rows.iter().filter(|row| 0 < row.sums.scored) {
            let model = row.model as usize;
            if let (Some(index), Some(cursor)) = (self.models.get(model), cursors.get_mut(model)) {
                structure = index.points.get(*cursor).map(|point| point.structure);
                *cursor += 1;
            }
        }
        structure
    }

    /// Returns the mean of the mean outcomes of all models; 0 if no model has a score.
    pub(crate) fn common_mean(&self) -> Q20 {
        let means = self.models.iter().filter_map(|model| model.sums.mean_outcome());
        let (count, sum) = means.fold((0, Q20::ZERO), |(count, sum), mean| (count + 1, sum + mean));
        sum / i64::max(count, 1)
    }

    /// Adds the vectors of the fingerprint that was just appended to the store.
    pub(crate) fn push(&mut self, space: &FeatureSpace, fingerprint: &Fingerprint) {
        let index = self.words.len();
        growth::push(&mut self.words, space.idf.project_words(&fingerprint.sketch));
        self.embeddings.extend(fingerprint.embedding.as_ref().map(|embedding| embedding.index_as(index)));
    }

    /// Adds the embedding of a fingerprint, or replaces the one the index has for it.
    pub(crate) fn set_embedding(&mut self, embedding: IndexedEmbedding) {
        match self.embeddings.binary_search_by_key(&embedding.index, |known| known.index) {
            Ok(found) => self.embeddings[found] = embedding,
            Err(position) => self.embeddings.insert(position, embedding),
        }
    }

    /// Returns the state of a model, given by its index in the store; an empty state is added if the model is new.
    pub(crate) fn model_mut(&mut self, model: u32) -> &mut ModelIndex {
        let model = model as usize;
        if self.models.len() <= model {
            self.models.resize_with(model + 1, ModelIndex::default);
        }
        &mut self.models[model]
    }

    /// Updates the list of fingerprints in which `model` has a score: adds or removes `fingerprint`, whose index in the
    /// store is `position`, according to the present row. Called after a score changed.
    pub(crate) fn update_scored(
        &mut self,
        space: &FeatureSpace,
        model: u32,
        position: usize,
        fingerprint: &Fingerprint,
    ) {
        let has_score = fingerprint.row(model).is_some_and(|row| 0 < row.sums.scored);
        let number = u32::try_from(position).unwrap_or(u32::MAX);
        match (self.model_mut(model).scored.binary_search(&number), has_score) {
            (Err(at), true) => {
                let point = self.point(space, position, fingerprint);
                let index = self.model_mut(model);
                growth::insert(&mut index.scored, at, number);
                growth::insert(&mut index.points, at, point);
            }
            (Ok(at), false) => {
                let index = self.model_mut(model);
                index.scored.remove(at);
                index.points.remove(at);
            }
            _ => {}
        }
    }

    /// Returns the point in the feature space of the fingerprint at `position`.
    fn point(&self, space: &FeatureSpace, position: usize, fingerprint: &Fingerprint) -> Point {
        let words = self.words.get(position).copied().unwrap_or([0; DIMENSIONS]);
        Point { words, structure: space.structure(fingerprint) }
    }

    /// Reserves exactly the capacity that the vectors need for these fingerprints and their scored rows.
    fn reserve(&mut self, fingerprints: &[Fingerprint]) {
        self.words.reserve_exact(fingerprints.len());
        let mut scored = vec![0; self.models.len()];
        for row in fingerprints.iter().flat_map(|fingerprint| &fingerprint.rows).filter(|row| 0 < row.sums.scored) {
            if let Some(rows) = scored.get_mut(row.model as usize) {
                *rows += 1;
            }
        }
        for (model, rows) in self.models.iter_mut().zip(scored) {
            model.scored.reserve_exact(rows);
            model.points.reserve_exact(rows);
        }
    }
}

impl ModelIndex {
    /// Returns the posterior mean outcome of the model: `(Σ outcomes + 2 · common mean) / (outcomes + 2)`.
    pub(crate) fn posterior_mean(&self, common_mean: Q20) -> Q20 {
        let outcomes = i64::from(self.sums.scored);
        let own_mean = self.sums.mean_outcome().unwrap_or(common_mean);
        (own_mean * outcomes + common_mean * PRIOR_OUTCOMES) / (outcomes + PRIOR_OUTCOMES)
    }
}
