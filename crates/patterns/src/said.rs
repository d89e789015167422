//! What a message says, in numbers: as a sketch has them, and as they are kept, all in one piece.

use contracts::Sketch;
use serde::{Deserialize, Serialize};

/// Numbers of words, and of pairs of words.
pub(crate) trait Said {
    fn words(&self) -> impl Iterator<Item = u16>;

    fn pairs(&self) -> impl Iterator<Item = u16>;

    /// Words first, then pairs.
    fn numbers(&self) -> impl Iterator<Item = u16> {
        self.words().chain(self.pairs())
    }
}

impl Said for Sketch {
    fn words(&self) -> impl Iterator<Item = u16> {
        self.words.iter().copied()
    }

    fn pairs(&self) -> impl Iterator<Item = u16> {
        self.pairs.iter().copied()
    }
}

/// The sketch of a message, in a third of the room and with one piece of memory instead of three; saved as a sketch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sketch", into = "Sketch")]
pub(crate) struct Kept {
    /// Two bytes for each word and each pair, then the shape.
    bytes: Box<[u8]>,
    words: u32,
    pairs: u32,
}

impl Kept {
    pub(crate) const fn has_words(&self) -> bool {
        self.words != 0
    }

    pub(crate) fn shape(&self) -> &[u8] {
        self.parts().2
    }

    /// The bytes of words, of pairs, and of the shape.
    fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        let (words, rest) = self.bytes.split_at(2 * self.words as usize);
        let (pairs, shape) = rest.split_at(2 * self.pairs as usize);
        (words, pairs, shape)
    }
}

impl Said for Kept {
    #[inline]
    fn words(&self) -> impl Iterator<Item = u16> {
        numbers(self.parts().0)
    }

    #[inline]
    fn pairs(&self) -> impl Iterator<Item = u16> {
        numbers(self.parts().1)
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|number| u16::from_le_bytes(*number))
}

impl From<&Sketch> for Kept {
    fn from(sketch: &Sketch) -> Self {
        let mut bytes = Vec::with_capacity(2 * (sketch.words.len() + sketch.pairs.len()) + sketch.shape.len());
        bytes.extend(sketch.numbers().flat_map(u16::to_le_bytes));
        bytes.extend_from_slice(&sketch.shape);
        // An event has no room for so many that they would not fit.
        let [words, pairs] = [&sketch.words, &sketch.pairs].map(|all| u32::try_from(all.len()).unwrap_or_default());
        Self { bytes: bytes.into(), words, pairs }
    }
}

impl From<Sketch> for Kept {
    fn from(sketch: Sketch) -> Self {
        Self::from(&sketch)
    }
}

impl From<Kept> for Sketch {
    fn from(kept: Kept) -> Self {
        Self { words: kept.words().collect(), pairs: kept.pairs().collect(), shape: kept.shape().to_vec() }
    }
}
