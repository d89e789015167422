//! Exact nearest-neighbour search by one scan over packed features.
//!
//! There are two searches: one over the rows of all models, for the estimator `Paper`, and one over the scored rows of
//! a single model, for the calibrated estimator. Their buffers are thread-local and reused, so that a search allocates
//! nothing after the first one in a store of that size.

use std::cell::RefCell;

use contracts::{ModelId, Score, views::PatternSettings};

use crate::{
    Store,
    embedding::Embedding,
    fingerprint::FingerprintKey,
    fixed::{Fixed, Q15},
    packed::{PackedFeatures, PackedQuery},
    row::Row,
    smallest::SmallestItems,
    space::{Point, PointQuery},
    unit_vector::{Cosine, cosine},
};

/// The bytes that a scan by words and structure reads for each fingerprint.
pub const BYTES_COMPARED: usize = size_of::<Point>();

/// The cosine (0.1) above which two messages count as sharing words; smaller ones are noise of the projection.
const MIN_SHARED_COSINE: Cosine = Cosine(3_277);

/// Buffers of a search, reused by the next one on the same thread.
#[derive(Debug, Default)]
pub(crate) struct SearchBuffers {
    /// The cosine between the words of the query and of each fingerprint, by index; empty if they are computed model by
    /// model.
    cosines: Vec<Cosine>,
    /// Whether each model may be recommended, by index in the store's models.
    allowed: Vec<bool>,
}

thread_local! {
    /// The buffers of this thread.
    static BUFFERS: RefCell<SearchBuffers> = RefCell::default();
}

/// The encoded features of the turn whose nearest neighbours are searched.
pub(crate) struct SearchQuery<'a> {
    /// The structural features as bit masks, for the estimator `Paper`.
    pub(crate) packed: PackedFeatures,
    /// The words and the structure in the feature space.
    pub(crate) point: Point,
    /// The embedding of the message, if known.
    pub(crate) embedding: Option<&'a Embedding>,
    /// Whether words are compared, as well as structure.
    pub(crate) compares_words: bool,
    /// Whether words are compared and the message has any.
    pub(crate) has_words: bool,
    /// Whether the cosines of all fingerprints are computed first: the estimator `Paper` scans all rows at once, and
    /// embeddings replace some cosines. Otherwise cosines are computed model by model.
    pub(crate) precompute_cosines: bool,
}

/// A row of the store with its distance from the query, for the estimator `Paper`. Ordered by distance, then by the key
/// of the fingerprint, then by model id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct RowNeighbour {
    /// `1 - similarity` in billionths.
    distance: u64,
    /// The key of the fingerprint.
    key: FingerprintKey,
    /// The index of the fingerprint.
    index: u32,
    /// The index of the row in the fingerprint, whose rows are ordered by model id.
    row: u32,
}

impl RowNeighbour {
    /// Returns the similarity, from 0 to 1.
    pub(crate) const fn similarity(&self) -> Score {
        Score(Score::ONE.0.saturating_sub(self.distance))
    }
}

/// A scored row of one model with its distance from the query, packed into one number: the distance in the upper 32
/// bits, the inverted index of the fingerprint in the lower. Ordered by distance; of equal distances the newer
/// fingerprint comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct ModelNeighbour(u64);

impl ModelNeighbour {
    /// Packs the similarity of a row, at most 1, and the index of its fingerprint.
    #[inline]
    fn new(similarity: Q15, index: u32) -> Self {
        // The similarity is at most 1.
        let distance = u64::try_from((Q15::ONE - similarity).0).unwrap_or(u64::MAX >> 32);
        Self(distance << 32 | u64::from(!index))
    }

    /// Returns the similarity, from 0 to 1.
    pub(crate) fn similarity(self) -> Q15 {
        let distance = i64::try_from(self.0 >> 32).unwrap_or(i64::MAX);
        Fixed((Q15::ONE.0 - distance).max(0))
    }

    /// Returns the index of the fingerprint.
    pub(crate) fn index(self) -> usize {
        let index = !u32::try_from(self.0 & u64::from(u32::MAX)).unwrap_or_default();
        index as usize
    }
}

impl Store {
    /// Runs `search` with the buffers of this thread, prepared for `query`, and returns its result. Only models for
    /// which `known` returns `true` are allowed.
    ///
    /// # Panics
    /// If `search` calls this method, because the buffers of the thread are already borrowed.
    pub(crate) fn with_search_buffers<T>(
        &self,
        query: &SearchQuery<'_>,
        known: &dyn Fn(&ModelId) -> bool,
        search: impl FnOnce(&SearchBuffers) -> T,
    ) -> T {
        BUFFERS.with_borrow_mut(|buffers| {
            buffers.allowed.clear();
            buffers.allowed.extend(self.models.iter().map(known));
            buffers.cosines.clear();
            if query.precompute_cosines {
                buffers.cosines.resize(self.fingerprints.len(), Cosine::default());
                if query.compares_words {
                    self.compare_words(query, buffers);
                    self.compare_embeddings(query, buffers);
                }
            }
            search(buffers)
        })
    }

    /// Sets every precomputed cosine to that between the words of the query and the words of the fingerprint.
    fn compare_words(&self, query: &SearchQuery<'_>, buffers: &mut SearchBuffers) {
        for (entry, words) in buffers.cosines.iter_mut().zip(&self.index.words) {
            *entry = cosine(words, &query.point.words);
        }
    }

    /// Replaces the cosine of words by the cosine of embeddings, where query and fingerprint have embeddings of the
    /// same model.
    fn compare_embeddings(&self, query: &SearchQuery<'_>, buffers: &mut SearchBuffers) {
        let Some(query_embedding) = query.embedding else { return };
        let vector = query_embedding.unit_vector();
        for other in self.index.embeddings.iter().filter(|other| other.embedder == query_embedding.embedder) {
            if let Some(entry) = buffers.cosines.get_mut(other.index) {
                *entry = cosine(&other.vector, &vector);
            }
        }
    }

    /// Finds the `settings.neighbours` rows of allowed models with the greatest weighted mean of word and structural
    /// similarity.
    ///
    /// Two empty sets count as equal, so two short turns that only share empty features reach a similarity of 0.7, far
    /// above any sensible minimum. Therefore a turn that has any intent, extension, tool, directory, side effect or
    /// word has only neighbours that share at least one of them. A `min_similarity` of 0 disables this as well: then
    /// every row is a candidate, as in 004 §5.5.
    // Inlined, the loop would run out of registers.
    #[inline(never)]
    pub(crate) fn nearest_rows(
        &self,
        query: &SearchQuery<'_>,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> SmallestItems<RowNeighbour> {
        let mut nearest = SmallestItems::<RowNeighbour>::new(usize::from(settings.neighbours));
        let packed_query = PackedQuery::new(&query.packed);
        let is_empty = query.packed.is_empty() && !query.has_words;
        let must_share = settings.min_similarity != Score::ZERO && !is_empty;
        let alpha = if query.compares_words && query.has_words { settings.alpha.min(Score::ONE) } else { Score::ZERO };
        let mut min_similarity = settings.min_similarity;
        for (index, (fingerprint, cosine)) in (0_u32..).zip(self.fingerprints.iter().zip(&buffers.cosines)) {
            // Structure alone is compared if one of the messages has no words.
            let alpha = if fingerprint.sketch.has_words() { alpha } else { Score::ZERO };
            let (words, structure_weight) = (cosine.weighted(alpha).0, alpha.complement().0);
            if words + structure_weight < min_similarity.0 {
                continue;
            }
            // Both factors are at most a billion.
            let structure = packed_query.similarity(&fingerprint.packed).0;
            let similarity = Score(words + structure_weight * structure / Score::ONE.0);
            if similarity < settings.min_similarity {
                continue;
            }
            let shares_words = alpha != Score::ZERO && MIN_SHARED_COSINE < *cosine;
            if must_share && !query.packed.shares_value_with(&fingerprint.packed) && !shares_words {
                continue;
            }
            for (row_index, row) in (0_u32..).zip(&fingerprint.rows) {
                if buffers.allows(row.model) {
                    let distance = Score::ONE.0.saturating_sub(similarity.0);
                    nearest.push(RowNeighbour { distance, key: fingerprint.key, index, row: row_index });
                }
            }
            if let Some(farthest) = nearest.threshold() {
                min_similarity = min_similarity.max(farthest.similarity());
            }
        }
        nearest
    }

    /// Finds the `settings.neighbours` scored rows of one model with the greatest similarity in the feature space.
    /// `model` is an index in the store's models.
    pub(crate) fn nearest_of_model(
        &self,
        model: usize,
        query: &PointQuery,
        settings: &PatternSettings,
        buffers: &SearchBuffers,
    ) -> SmallestItems<ModelNeighbour> {
        let mut nearest = SmallestItems::<ModelNeighbour>::new(usize::from(settings.neighbours));
        let min_similarity = Q15::from_score(settings.min_similarity);
        let Some(model) = self.index.models.get(model) else { return nearest };
        // Below this cosine the similarity is too small whatever the structure is.
        let mut min_cosine = query.min_cosine(Q15::ZERO);
        let mut threshold = None;
        // Newest first: of equal distances the newer row is kept, so later ones are rejected early.
        for (index, point) in model.scored.iter().zip(&model.points).rev() {
            let words = match buffers.cosines.get(*index as usize) {
                Some(precomputed) => *precomputed,
                None if query.compares_words() => cosine(&point.words, query.words()),
                None => Cosine::default(),
            };
            let words = words.to_q15();
            if words < min_cosine {
                continue;
            }
            let similarity = query.similarity(&self.space, words, &point.structure);
            if Q15::ZERO < similarity && min_similarity <= similarity {
                nearest.push(ModelNeighbour::new(similarity, *index));
                if nearest.threshold() != threshold {
                    threshold = nearest.threshold();
                    min_cosine = query.min_cosine(threshold.map_or(Q15::ZERO, ModelNeighbour::similarity));
                }
            }
        }
        nearest
    }

    /// Returns the row of a neighbour and its model; `None` if the store no longer has the row.
    pub(crate) fn row(&self, neighbour: &RowNeighbour) -> Option<(&ModelId, &Row)> {
        let row = self.fingerprints.get(neighbour.index as usize)?.rows.get(neighbour.row as usize)?;
        Some((self.models.get(row.model as usize)?, row))
    }
}

impl SearchBuffers {
    /// Whether a model, given by its index in the store's models, may be recommended.
    pub(crate) fn allows(&self, model: u32) -> bool {
        self.allowed.get(model as usize) == Some(&true)
    }
}
