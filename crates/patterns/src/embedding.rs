//! The meaning of a message in numbers, as an embedder gave it.

use contracts::events::TurnEmbedded;
use serde::{Deserialize, Serialize};

use crate::{
    knowledge::Embedded,
    words::{DIMENSIONS, Direction, direction, mixed},
};

/// The direction of a message, and whose it is: directions of different embedders have nothing to do with each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Embedding {
    pub(crate) embedder: String,
    vector: Vec<i8>,
}

impl Embedding {
    pub(crate) fn direction(&self) -> Direction {
        let mut direction = [0; DIMENSIONS];
        for (place, part) in direction.iter_mut().zip(&self.vector) {
            *place = i16::from(*part);
        }
        direction
    }

    pub(crate) fn at(&self, place: usize) -> Embedded {
        Embedded { place, embedder: self.embedder.clone(), direction: self.direction() }
    }
}

impl From<TurnEmbedded> for Embedding {
    fn from(event: TurnEmbedded) -> Self {
        Self { embedder: event.embedder, vector: event.vector }
    }
}

/// An embedder's numbers in as many dimensions as the store compares: every one of them is added to, or taken from, each
/// dimension. Directions that were close stay close.
pub fn project(numbers: &[f32]) -> Vec<i8> {
    let mut sums = [0_i64; DIMENSIONS];
    let largest = numbers.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
    for (index, number) in (0_u64..).zip(numbers) {
        // In millionths of the largest, so that what follows is exact.
        #[expect(clippy::cast_possible_truncation, reason = "at most a million; not a number becomes nothing")]
        let part = if largest > 0.0 { (number / largest * 1_000_000.0) as i64 } else { 0 };
        // Sixty-four signs for each.
        let signs = mixed(index);
        for (dimension, sum) in sums.iter_mut().enumerate() {
            *sum += if signs >> dimension & 1 == 0 { part } else { -part };
        }
    }
    direction(&sums).iter().map(|part| i8::try_from(*part).unwrap_or_default()).collect()
}
