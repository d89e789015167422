//! Embeddings of messages, projected to the dimensions of the store.

use contracts::events::TurnEmbedded;
use serde::{Deserialize, Serialize};

use crate::{
    hash::mix,
    unit_vector::{DIMENSIONS, UnitVector, normalize},
};

/// The embedding of a message. Vectors of different embedders are not comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Embedding {
    pub(crate) embedder: String,
    vector: Vec<i8>,
}

/// The embedding of a fingerprint, as the search reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexedEmbedding {
    /// The index of the fingerprint in the store.
    pub(crate) index: usize,
    pub(crate) embedder: String,
    pub(crate) vector: UnitVector,
}

impl Embedding {
    /// The vector with components of 16 bits.
    pub(crate) fn unit_vector(&self) -> UnitVector {
        let mut unit = [0; DIMENSIONS];
        for (wide, component) in unit.iter_mut().zip(&self.vector) {
            *wide = i16::from(*component);
        }
        unit
    }

    /// The embedding of the fingerprint at `index`.
    pub(crate) fn at(&self, index: usize) -> IndexedEmbedding {
        IndexedEmbedding { index, embedder: self.embedder.clone(), vector: self.unit_vector() }
    }
}

impl From<TurnEmbedded> for Embedding {
    fn from(event: TurnEmbedded) -> Self {
        Self { embedder: event.embedder, vector: event.vector }
    }
}

/// Projects a vector of any dimension to 64 components of length 181 (a random projection), which approximately
/// preserves cosines.
///
/// Every input component is added to, or subtracted from, each output dimension; its index selects the 64 signs.
pub fn project(vector: &[f32]) -> Vec<i8> {
    let mut sums = [0_i64; DIMENSIONS];
    let largest = vector.iter().fold(0.0_f32, |largest, component| largest.max(component.abs()));
    for (index, component) in (0_u64..).zip(vector) {
        // In millionths of the largest, so that sums are exact.
        #[expect(clippy::cast_possible_truncation, reason = "at most a million; NaN becomes 0")]
        let scaled = if largest > 0.0 { (component / largest * 1_000_000.0) as i64 } else { 0 };
        let signs = mix(index);
        for (dimension, sum) in sums.iter_mut().enumerate() {
            *sum += if signs >> dimension & 1 == 0 { scaled } else { -scaled };
        }
    }
    normalize(&sums).iter().map(|component| i8::try_from(*component).unwrap_or_default()).collect()
}
