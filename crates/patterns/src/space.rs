//! The space in which turns of a workspace are compared: what is rare in it, and what is usual.

use serde::{Deserialize, Serialize};

use crate::{
    fingerprint::Fingerprint,
    structure::{Expectation, Structure},
    words::{Direction, ONE, Words},
};

/// Rarity of words and frequency of structure, as last learned.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Known", into = "Known")]
pub(crate) struct Space {
    pub(crate) words: Words,
    pub(crate) expectation: Expectation,
}

/// What is kept of a space; the rest follows.
#[derive(Serialize, Deserialize)]
struct Known {
    words: Vec<(u16, u16)>,
    structure: Vec<(u16, u16)>,
}

impl From<Known> for Space {
    fn from(known: Known) -> Self {
        Self { words: Words::from_known(&known.words), expectation: Expectation::from_known(known.structure) }
    }
}

impl From<Space> for Known {
    fn from(space: Space) -> Self {
        Self { words: space.words.known(), structure: space.expectation.known().to_vec() }
    }
}

impl Space {
    /// What is rare among all turns, and what is usual.
    pub(crate) fn learn(fingerprints: &[Fingerprint]) -> Self {
        Self {
            words: Words::learn(fingerprints.iter().map(|fingerprint| (&fingerprint.sketch, fingerprint.turns()))),
            expectation: Expectation::learn(fingerprints.iter().map(Fingerprint::raw)),
        }
    }

    /// The structure of a fingerprint.
    pub(crate) fn structure(&self, fingerprint: &Fingerprint) -> Structure {
        self.expectation.structure(&fingerprint.raw())
    }
}

/// A turn in that space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub(crate) direction: Direction,
    pub(crate) structure: Structure,
}

/// A turn to compare others with.
pub(crate) struct Query {
    point: Point,
    /// The share of words, in 32768ths.
    alpha: i64,
}

impl Query {
    pub(crate) fn new(point: &Point, alpha: contracts::Score) -> Self {
        let alpha = i64::try_from(alpha.min(contracts::Score::ONE).0 * 32_768 / contracts::Score::ONE.0);
        Self { point: *point, alpha: alpha.unwrap_or_default() }
    }

    /// Whether words have any share.
    pub(crate) const fn compares_words(&self) -> bool {
        self.alpha != 0
    }

    pub(crate) const fn direction(&self) -> &Direction {
        &self.point.direction
    }

    /// The similarity, when the words have this cosine: from -1 to 1 with fifteen binary places.
    #[inline]
    pub(crate) fn similarity(&self, space: &Space, words: i64, structure: &Structure) -> i64 {
        let agreement = space.expectation.agreement(&self.point.structure, structure).clamp(-ONE, ONE);
        (self.alpha * words + (ONE - self.alpha) * agreement) >> 15
    }

    /// The least cosine of the words at which a similarity can be reached at all.
    pub(crate) const fn words_needed(&self, similarity: i64) -> i64 {
        if self.alpha == 0 {
            return i64::MIN;
        }
        let missing = (similarity << 15) - (ONE - self.alpha) * ONE;
        missing.div_euclid(self.alpha)
    }
}
