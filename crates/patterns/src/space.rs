//! The space in which the turns of a workspace are compared, estimated from the turns themselves.

use contracts::Score;
use serde::{Deserialize, Serialize};

use crate::{
    fingerprint::Fingerprint,
    fixed::{Fixed, Log2, Q15},
    idf::Idf,
    structure::{Structure, StructureKernel},
    unit_vector::UnitVector,
};

/// The estimated weights of words and of structural features, by which the turns of a workspace are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "SavedSpace", into = "SavedSpace")]
pub(crate) struct FeatureSpace {
    /// The weights of words.
    pub(crate) idf: Idf,
    /// The weights of structural features.
    pub(crate) kernel: StructureKernel,
}

/// The serialised form of a [`FeatureSpace`]: only the estimates; all other values are computed from them.
#[derive(Serialize, Deserialize)]
struct SavedSpace {
    /// Hash and weight of every token with a weight.
    idf: Vec<(u16, Log2)>,
    /// Index and frequency of every compared structural feature; see [`StructureKernel::frequencies`].
    frequencies: Vec<(u16, u16)>,
}

impl From<SavedSpace> for FeatureSpace {
    fn from(saved: SavedSpace) -> Self {
        Self { idf: Idf::from_entries(&saved.idf), kernel: StructureKernel::from_frequencies(saved.frequencies) }
    }
}

impl From<FeatureSpace> for SavedSpace {
    fn from(space: FeatureSpace) -> Self {
        Self { idf: space.idf.entries(), frequencies: space.kernel.frequencies().to_vec() }
    }
}

impl FeatureSpace {
    /// Estimates all weights from the turns of a workspace.
    pub(crate) fn estimate(fingerprints: &[Fingerprint]) -> Self {
        let texts = fingerprints.iter().map(|fingerprint| (&fingerprint.sketch, fingerprint.turns()));
        Self {
            idf: Idf::estimate(texts),
            kernel: StructureKernel::estimate(fingerprints.iter().map(Fingerprint::structure_input)),
        }
    }

    /// Encodes the structural features of a fingerprint as coordinates in this space.
    pub(crate) fn structure(&self, fingerprint: &Fingerprint) -> Structure {
        self.kernel.encode(&fingerprint.structure_input())
    }
}

/// The coordinates of a turn in a [`FeatureSpace`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    /// The projected TF-IDF vector of the message.
    pub(crate) words: UnitVector,
    /// The encoded structural features.
    pub(crate) structure: Structure,
}

/// The point in a [`FeatureSpace`] whose nearest neighbours are searched, with the weight of words in the comparison.
pub(crate) struct PointQuery {
    /// The coordinates of the query.
    point: Point,
    /// The weight of words, from 0 to 1; structure has the rest.
    alpha: Q15,
}

impl PointQuery {
    /// Creates a query; `alpha` is the weight of words, and greater values than 1 count as 1.
    pub(crate) fn new(point: &Point, alpha: Score) -> Self {
        Self { point: *point, alpha: Q15::from_score(alpha) }
    }

    /// Whether the query compares words: their weight is above 0.
    pub(crate) fn compares_words(&self) -> bool {
        self.alpha != Q15::ZERO
    }

    /// Returns the projected words of the query.
    pub(crate) const fn words(&self) -> &UnitVector {
        &self.point.words
    }

    /// Returns the similarity to a turn, from -1 to 1: `alpha · cosine + (1 - alpha) · structure`.
    #[inline]
    pub(crate) fn similarity(&self, space: &FeatureSpace, cosine: Q15, structure: &Structure) -> Q15 {
        let one = Q15::ONE;
        let structural = space.kernel.similarity(&self.point.structure, structure).clamp(Fixed(-one.0), one);
        Fixed((self.alpha.0 * cosine.0 + (one - self.alpha).0 * structural.0) >> 15)
    }

    /// Returns the lowest cosine of the word vectors with which a turn of the same structure as the query reaches
    /// `similarity`; [`i64::MIN`] if words are not compared.
    pub(crate) const fn min_cosine(&self, similarity: Q15) -> Q15 {
        if self.alpha.0 == 0 {
            return Fixed(i64::MIN);
        }
        let one = Q15::ONE.0;
        let missing = (similarity.0 << 15) - (one - self.alpha.0) * one;
        Fixed(missing.div_euclid(self.alpha.0))
    }
}
