//! From a new turn to a recommendation: one scan, then the estimator of the policy.

use contracts::{
    Features, ModelId, Recommendation, Sketch,
    views::{Estimator, FingerprintKind, PatternQuery, PatternSettings},
};

use crate::{
    Store, calibrated, calibrated::Estimate, embedding::Embedding, levels::levels, paper, search::Asked, space::Point,
    structure::Raw,
};

impl Store {
    /// What the turns most like this one recommend, see [`contracts::views::PatternView::recommend`].
    pub fn recommend(&self, query: &PatternQuery<'_>) -> Option<Recommendation> {
        self.recommend_with(query, None)
    }

    /// The same for a turn whose message may have been embedded.
    pub(crate) fn recommend_with(
        &self,
        query: &PatternQuery<'_>,
        embedding: Option<&Embedding>,
    ) -> Option<Recommendation> {
        if !self.has_outcomes(query.known) {
            // Nobody need look at what a turn is like where nothing is known to have gone well or badly.
            return None;
        }
        let settings = query.settings;
        let asked = self.asked(query.features, settings, embedding);
        self.scanned(&asked, query.known, |scratch| match settings.estimator {
            Estimator::Paper => {
                let neighbours = self.nearest(&asked, settings, scratch).kept();
                let rows = neighbours.filter_map(|neighbour| self.row(&neighbour));
                paper::recommendation(&paper::rated(rows, settings))
            }
            Estimator::Calibrated => {
                let estimates = self.estimates(&asked, words(query.features, settings), settings, scratch);
                calibrated::recommendation(&estimates, query.baseline, settings.min_sample_size)
            }
        })
    }

    /// What the calibrated estimator expects of every known model, the best first.
    pub fn expect(
        &self,
        features: &Features,
        settings: &PatternSettings,
        known: &dyn Fn(&ModelId) -> bool,
    ) -> Vec<Estimate> {
        let asked = self.asked(features, settings, None);
        self.scanned(&asked, known, |scratch| self.estimates(&asked, words(features, settings), settings, scratch))
    }

    /// Whether any turn of a model that is known has a score.
    fn has_outcomes(&self, known: &dyn Fn(&ModelId) -> bool) -> bool {
        let mut models = self.models.iter().zip(&self.knowledge.models);
        models.any(|(model, found)| 0 < found.sums.scored && known(model))
    }

    pub(crate) fn asked<'a>(
        &self,
        features: &Features,
        settings: &PatternSettings,
        embedding: Option<&'a Embedding>,
    ) -> Asked<'a> {
        let packed = self.vocabularies.pack(features);
        let hybrid = settings.fingerprint == FingerprintKind::Hybrid;
        let workload = features.workload.as_ref().map_or(0, |name| self.workloads.find(name));
        let levels = levels(features);
        let structure = self.space.expectation.structure(&Raw { levels, sets: packed.masks, workload, turns: 1 });
        let direction = self.space.words.direction(&features.sketch);
        let has_words = hybrid && !features.sketch.words.is_empty();
        let by_place = settings.estimator == Estimator::Paper || (hybrid && embedding.is_some());
        Asked { packed, point: Point { direction, structure }, embedding, hybrid, has_words, by_place }
    }
}

/// The words that count.
pub(crate) fn words<'a>(features: &'a Features, settings: &PatternSettings) -> &'a Sketch {
    static NONE: Sketch = Sketch { words: Vec::new(), pairs: Vec::new(), shape: Vec::new() };
    if settings.fingerprint == FingerprintKind::Hybrid { &features.sketch } else { &NONE }
}
