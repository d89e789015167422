//! Recommendations for a turn: one search, then the estimator of the policy.

use contracts::{
    Features, ModelId, Recommendation, Score, Sketch,
    views::{Estimator, FingerprintKind, PatternQuery, PatternSettings},
};

use crate::{
    Store, calibrated,
    calibrated::Estimate,
    embedding::Embedding,
    levels::levels,
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

    /// Recommends a model for a turn, with the `embedding` of its message if it has one. `None` if no known model has a
    /// score, or, for [`Estimator::Paper`], no neighbour has one.
    pub(crate) fn recommend_with_embedding(
        &self,
        query: &PatternQuery<'_>,
        embedding: Option<&Embedding>,
    ) -> Option<Recommendation> {
        if !self.has_outcomes(query.known) {
            return None;
        }
        let settings = query.settings;
        let search = self.search_query(query.features, settings, embedding);
        self.with_buffers(&search, query.known, |buffers| match settings.estimator {
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

    /// Estimates the outcome of every model that is `known` and has a score with the calibrated estimator, in
    /// descending order of utility.
    pub fn estimate(
        &self,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Vec<Estimate> {
        let search = self.search_query(features, settings, None);
        let sketch = compared_sketch(features, settings);
        self.with_buffers(&search, known, |buffers| self.estimate_models(&search, sketch, settings, buffers))
    }

    /// Whether any model that is `known` has a score in this store.
    fn has_outcomes(&self, known: &dyn Fn(&ModelId) -> bool) -> bool {
        let mut models = self.models.iter().zip(&self.index.models);
        models.any(|(model, index)| 0 < index.sums.scored && known(model))
    }

    /// Packs, projects and encodes the features of a turn for a search. Does not change the store: values unknown to
    /// its vocabularies have no bit.
    pub(crate) fn search_query<'a>(
        &self,
        features: &Features,
        settings: &PatternSettings,
        embedding: Option<&'a Embedding>,
    ) -> SearchQuery<'a> {
        let packed = self.vocabularies.pack(features);
        let hybrid = settings.fingerprint == FingerprintKind::Hybrid;
        let workload = features.workload.as_ref().map_or(0, |name| self.workloads.find(name));
        let input = StructureInput { levels: levels(features), sets: packed.masks, workload, turns: 1 };
        let point =
            Point { words: self.space.idf.project(&features.sketch), structure: self.space.kernel.encode(&input) };
        SearchQuery {
            packed,
            point,
            embedding,
            hybrid,
            has_words: hybrid && !features.sketch.words.is_empty(),
            precompute_cosines: settings.estimator == Estimator::Paper || (hybrid && embedding.is_some()),
        }
    }
}

impl SearchQuery<'_> {
    /// Returns the query for the search by cosine and structure, with the settings' weight of words.
    pub(crate) fn point_query(&self, settings: &PatternSettings) -> PointQuery {
        PointQuery::new(&self.point, if self.hybrid { settings.alpha } else { Score::ZERO })
    }
}

/// Returns the sketch of a turn; an empty one if the settings compare structure only.
pub(crate) fn compared_sketch<'a>(features: &'a Features, settings: &PatternSettings) -> &'a Sketch {
    static EMPTY: Sketch = Sketch { words: Vec::new(), pairs: Vec::new(), shape: Vec::new() };
    if settings.fingerprint == FingerprintKind::Hybrid { &features.sketch } else { &EMPTY }
}
