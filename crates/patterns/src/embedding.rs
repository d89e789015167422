//! Embeddings of messages, projected to the dimensions of the store.

use contracts::events::TurnEmbedded;
use serde::{Deserialize, Serialize};

use crate::{
    hash::mix_bits,
    unit_vector::{DIMENSIONS, UnitVector, scale_to_unit},
};

/// The embedding of a message (a vector that an embedding model computed for its text), projected to 64 dimensions.
/// Only vectors of the same embedding model are comparable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Embedding {
    /// The name of the embedding model.
    pub(crate) embedder: String,
    /// The components of the vector, whose length is 181.
    vector: Vec<i8>,
}

/// The embedding of one fingerprint's message in the search index, with components that SIMD instructions can multiply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IndexedEmbedding {
    /// The index of the fingerprint in the store.
    pub(crate) index: usize,
    /// The name of the embedding model.
    pub(crate) embedder: String,
    /// The embedding with components of 16 bits.
    pub(crate) vector: UnitVector,
}

impl Embedding {
    /// Returns the embedding as a [`UnitVector`], with its components widened to 16 bits.
    pub(crate) fn unit_vector(&self) -> UnitVector {
        let mut unit = [0; DIMENSIONS];
        for (wide, component) in unit.iter_mut().zip(&self.vector) {
            *wide = i16::from(*component);
        }
        unit
    }

    /// Creates the entry of the search index for this embedding; `index` is the index of its fingerprint in the store.
    pub(crate) fn index_as(&self, index: usize) -> IndexedEmbedding {
        IndexedEmbedding { index, embedder: self.embedder.clone(), vector: self.unit_vector() }
    }
}

impl From<&TurnEmbedded> for Embedding {
    fn from(event: &TurnEmbedded) -> Self {
        Self { embedder: event.embedder.clone(), vector: event.vector.clone() }
    }
}

/// Projects an embedding of any dimension to 64 components, scaled to a length of 181. The projection is random but
/// fixed, and approximately preserves cosines. An empty or zero vector becomes zero; a component that is NaN counts as
/// 0.
///
/// Every input component is added to, or subtracted from, each output component; its index selects the 64 signs.
pub fn project_embedding(vector: &[f32]) -> Vec<i8> {
    let mut sums = [0_i64; DIMENSIONS];
    let largest = vector.iter().fold(0.0_f32, |largest, component| largest.max(component.abs()));
    for (index, component) in (0_u64..).zip(vector) {
        // In millionths of the largest, so that sums are exact.
        #[expect(clippy::cast_possible_truncation, reason = "index_as most a million; NaN becomes 0")]
        let scaled = if largest > 0.0 { (component / largest * 1_000_000.0) as i64 } else { 0 };
        let signs = mix_bits(index);
        for (dimension, sum) in sums.iter_mut().enumerate() {
            *sum += if signs >> dimension & 1 == 0 { scaled } else { -scaled };
        }
    }
    scale_to_unit(&sums).iter().map(|component| i8::try_from(*component).unwrap_or_default()).collect()
}
