//! Recommendations for a turn: one search, then the estimator of the policy.

use contracts::{
    Features, ModelId, Recommendation, Score, Sketch,
    views::{Estimator, FingerprintKind, PatternQuery, PatternSettings},
};

use crate::{
    Store, calibrated,
    calibrated::Estimate,
    embedding::Embedding,
    levels::feature_levels,
    paper,
    search::SearchQuery,
    space::{Point, PointQuery},
    structure::StructureInput,
};

impl Store {
    /// Recommends a model for a turn by structure and words, without an embedding; `None` if no known model has a
    /// score. See [`contracts::views::PatternView::recommend`].
    pub fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.recommend_with_embedding(query, None)
    }

    /// Recommends a model for the turn in `query`. `embedding` is that of the turn's message; without one, words are
    /// compared by their hashes. Returns `None` if no known model has a score, or, for [`Estimator::Paper`], if no
    /// neighbour has one.
    pub(crate) fn recommend_with_embedding(
        &self,
        query: &PatternQuery<'_>,
        embedding: Option<&Embedding>,
    ) -> Option<Recommendation> {
        if !self.has_scored_model(query.known) {
            return None;
        }
        let settings = query.settings;
        let search = self.search_query(query.features, settings, embedding);
        self.with_search_buffers(&search, query.known, |buffers| match settings.estimator {
            Estimator::Paper => {
                let neighbours = self.nearest_rows(&search, settings, buffers).unsorted();
                let rows = neighbours.filter_map(|neighbour| self.row(&neighbour));
                paper::recommendation(&paper::rate_models(rows, settings))
            }
            Estimator::Calibrated => {
                let sketch = compared_sketch(query.features, settings);
                let estimates = self.estimate_models(&search, sketch, settings, buffers);
                calibrated::recommendation(&estimates, query.baseline, settings.min_sample_size)
            }
        })
    }

    /// Estimates the expected outcome of each model on a turn with the calibrated estimator, in descending order of
    /// utility. Includes only scored models for which `known` returns `true`.
    pub fn estimate(
        &self,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Vec<Estimate> {
        let search = self.search_query(features, settings, None);
        let sketch = compared_sketch(features, settings);
        self.with_search_buffers(&search, known, |buffers| self.estimate_models(&search, sketch, settings, buffers))
    }

    /// Whether any model for which `known` returns `true` has a score in this store.
    fn has_scored_model(&self, known: &dyn Fn(&ModelId) -> bool) -> bool {
        let mut models = self.models.iter().zip(&self.index.models);
        models.any(|(model, index)| 0 < index.sums.scored && known(model))
    }

    /// Encodes the features of a turn for a search. The store does not change: strings that are not in its vocabularies
    /// have no bit. `embedding` is that of the turn's message, if known.
    pub(crate) fn search_query<'a>(
        &self,
        features: &Features,
        settings: &PatternSettings,
        embedding: Option<&'a Embedding>,
    ) -> SearchQuery<'a> {
        let packed = self.vocabularies.pack(features);
        let compares_words = settings.fingerprint == FingerprintKind::Hybrid;
        let workload = features.workload.as_ref().map_or(0, |name| self.workloads.find_number(name));
        let input = StructureInput { levels: feature_levels(features), sets: packed.masks, workload, turns: 1 };
        let point = Point {
            words: self.space.idf.project_words(&features.sketch),
            structure: self.space.kernel.encode(&input),
        };
        SearchQuery {
            packed,
            point,
            embedding,
            compares_words,
            has_words: compares_words && !features.sketch.words.is_empty(),
            precompute_cosines: settings.estimator == Estimator::Paper || (compares_words && embedding.is_some()),
        }
    }
}

impl SearchQuery<'_> {
    /// Creates the query for the search in the feature space. The settings determine the weight of words, which is 0 if
    /// structure alone is compared.
    pub(crate) fn point_query(&self, settings: &PatternSettings) -> PointQuery {
        PointQuery::new(&self.point, if self.compares_words { settings.alpha } else { Score::ZERO })
    }
}

/// Returns the sketch of a turn's message that is compared with other messages; an empty sketch if the settings compare
/// structure only.
pub(crate) fn compared_sketch<'a>(features: &'a Features, settings: &PatternSettings) -> &'a Sketch {
    static EMPTY: Sketch = Sketch { words: Vec::new(), pairs: Vec::new(), shape: Vec::new() };
    if settings.fingerprint == FingerprintKind::Hybrid { &features.sketch } else { &EMPTY }
}
