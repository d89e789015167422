//! The token hashes of a message, as in events and in compact form.

use contracts::Sketch;
use serde::{Deserialize, Serialize};

/// The 16-bit hashes of the words and word pairs of a message, as stored in its sketch.
pub(crate) trait TokenHashes {
    /// Returns the hashes of words and word prefixes.
    fn words(&self) -> impl Iterator<Item = u16>;

    /// Returns the hashes of pairs of neighbouring words.
    fn pairs(&self) -> impl Iterator<Item = u16>;

    /// Returns all hashes: those of words first, then those of pairs.
    fn hashes(&self) -> impl Iterator<Item = u16> {
        self.words().chain(self.pairs())
    }
}

impl TokenHashes for Sketch {
    fn words(&self) -> impl Iterator<Item = u16> {
        self.words.iter().copied()
    }

    fn pairs(&self) -> impl Iterator<Item = u16> {
        self.pairs.iter().copied()
    }
}

/// A [`Sketch`] in a single allocation, which takes a third of the memory. Serialised like a [`Sketch`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Sketch", into = "Sketch")]
pub(crate) struct CompactSketch {
    /// Word hashes and pair hashes in little-endian order, then the shape.
    bytes: Box<[u8]>,
    /// The number of word hashes.
    words: u32,
    /// The number of pair hashes.
    pairs: u32,
}

impl CompactSketch {
    /// Whether the message has any word, so that it can be compared by words.
    pub(crate) const fn has_words(&self) -> bool {
        self.words != 0
    }

    /// Returns the quantised surface features of the message.
    pub(crate) fn shape(&self) -> &[u8] {
        self.split().2
    }

    /// Splits the buffer into the bytes of the word hashes, of the pair hashes, and of the shape.
    fn split(&self) -> (&[u8], &[u8], &[u8]) {
        let (words, rest) = self.bytes.split_at(2 * self.words as usize);
        let (pairs, shape) = rest.split_at(2 * self.pairs as usize);
        (words, pairs, shape)
    }
}

impl TokenHashes for CompactSketch {
    #[inline]
    fn words(&self) -> impl Iterator<Item = u16> {
        decode_u16s(self.split().0)
    }

    #[inline]
    fn pairs(&self) -> impl Iterator<Item = u16> {
        decode_u16s(self.split().1)
    }
}

/// Decodes consecutive little-endian 16-bit numbers; an odd last byte is ignored.
fn decode_u16s(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.as_chunks().0.iter().map(|number| u16::from_le_bytes(*number))
}

impl From<&Sketch> for CompactSketch {
    fn from(sketch: &Sketch) -> Self {
        let mut bytes = Vec::with_capacity(2 * (sketch.words.len() + sketch.pairs.len()) + sketch.shape.len());
        bytes.extend(sketch.hashes().flat_map(u16::to_le_bytes));
        bytes.extend_from_slice(&sketch.shape);
        // The size limit of events keeps both counts far below 2^32.
        let [words, pairs] = [&sketch.words, &sketch.pairs].map(|all| u32::try_from(all.len()).unwrap_or_default());
        Self { bytes: bytes.into(), words, pairs }
    }
}

impl From<Sketch> for CompactSketch {
    fn from(sketch: Sketch) -> Self {
        Self::from(&sketch)
    }
}

impl From<CompactSketch> for Sketch {
    fn from(compact: CompactSketch) -> Self {
        Self { words: compact.words().collect(), pairs: compact.pairs().collect(), shape: compact.shape().to_vec() }
    }
}
