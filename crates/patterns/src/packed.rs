//! The features of a turn, packed for comparison, and how alike two turns are.

use contracts::{Features, Score, SideEffect};
use serde::{Deserialize, Serialize};

use crate::{
    jaccard::{jaccard, jaccard_bits},
    vocabulary::{Bits, Vocabulary},
};

/// What each feature weighs, in hundredths.
mod weight {
    pub(super) const INTENTS: u64 = 30;
    pub(super) const EXTENSIONS: u64 = 20;
    pub(super) const TOOLS: u64 = 15;
    pub(super) const DIRECTORIES: u64 = 10;
    pub(super) const SIDE_EFFECTS: u64 = 10;
    pub(super) const TOKENS: u64 = 10;
    pub(super) const IMAGES: u64 = 5;
}

/// Everything a comparison looks at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Packed {
    extensions: Bits,
    directories: Bits,
    tools: Bits,
    side_effects: u8,
    intents: u8,
    tokens: u8,
    images: bool,
}

/// The vocabularies of a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vocabularies {
    extensions: Vocabulary,
    directories: Vocabulary,
    tools: Vocabulary,
}

impl Vocabularies {
    /// The features packed, learning every value in them.
    pub(crate) fn learn(&mut self, features: &Features) -> Packed {
        Packed {
            extensions: self.extensions.learn(&features.extensions),
            directories: self.directories.learn(&features.directories),
            tools: self.tools.learn(&features.tools),
            ..plain(features)
        }
    }

    /// The features packed.
    pub(crate) fn pack(&self, features: &Features) -> Packed {
        Packed {
            extensions: self.extensions.pack(&features.extensions),
            directories: self.directories.pack(&features.directories),
            tools: self.tools.pack(&features.tools),
            ..plain(features)
        }
    }
}

/// What needs no vocabulary.
fn plain(features: &Features) -> Packed {
    Packed {
        extensions: Bits::default(),
        directories: Bits::default(),
        tools: Bits::default(),
        side_effects: features.side_effects.iter().fold(0, |bits, effect: &SideEffect| bits | 1 << *effect as u8),
        intents: features.intents.0,
        tokens: features.tokens.0,
        images: features.images,
    }
}

impl Packed {
    /// Whether the turn has none of the things two turns can share.
    pub(crate) const fn is_bare(&self) -> bool {
        self.extensions.size == 0
            && self.directories.size == 0
            && self.tools.size == 0
            && self.side_effects == 0
            && self.intents == 0
    }

    /// Whether the two turns share any one thing: an intent, an extension, a tool, a directory, an effect.
    pub(crate) const fn shares_with(&self, other: &Self) -> bool {
        self.intents & other.intents != 0
            || self.side_effects & other.side_effects != 0
            || self.extensions.mask & other.extensions.mask != 0
            || self.tools.mask & other.tools.mask != 0
            || self.directories.mask & other.directories.mask != 0
    }
}

/// A turn to compare others with: what can be computed once is.
pub(crate) struct Query {
    packed: Packed,
    /// The share of the intents, for every set of intents.
    intents: [u64; 256],
    /// The share of the side effects, for every set of them.
    side_effects: [u64; 256],
}

impl Query {
    pub(crate) fn new(packed: Packed) -> Self {
        let share = |weight: u64, own: u8| {
            let mut shares = [0; 256];
            for (other, slot) in (0..=u8::MAX).zip(&mut shares) {
                *slot = weight * jaccard_bits(own, other);
            }
            shares
        };
        Self {
            intents: share(weight::INTENTS, packed.intents),
            side_effects: share(weight::SIDE_EFFECTS, packed.side_effects),
            packed,
        }
    }

    pub(crate) const fn packed(&self) -> &Packed {
        &self.packed
    }

    /// How alike the turns are, or `None` when that is certainly less than `floor`.
    pub(crate) fn similarity(&self, other: &Packed, floor: Score) -> Option<Score> {
        let own = &self.packed;
        let equal = |weight: u64, equal: bool| if equal { weight * Score::ONE.0 } else { 0 };
        let quick = self.intents[usize::from(other.intents)]
            + self.side_effects[usize::from(other.side_effects)]
            + equal(weight::TOKENS, own.tokens == other.tokens)
            + equal(weight::IMAGES, own.images == other.images);
        let most = (weight::EXTENSIONS + weight::TOOLS + weight::DIRECTORIES) * Score::ONE.0;
        if quick + most < floor.0.saturating_mul(100) {
            return None;
        }
        let set = |weight: u64, own: &Bits, other: &Bits| {
            let (common, union) = own.overlap(other);
            weight * jaccard(common, union)
        };
        let hundredths = quick
            + set(weight::EXTENSIONS, &own.extensions, &other.extensions)
            + set(weight::TOOLS, &own.tools, &other.tools)
            + set(weight::DIRECTORIES, &own.directories, &other.directories);
        let similarity = Score(hundredths / 100);
        (floor <= similarity).then_some(similarity)
    }
}

/// How alike two turns are, from 0 to 1: a weighted sum of what their features have in common.
///
/// Intents weigh 30 %, file extensions 20, tools 15, top-level directories, side effects and the size of the
/// prompt 10 each, images 5. Sets are compared by Jaccard's index, and two empty sets have everything in common.
pub fn similarity(one: &Features, other: &Features) -> Score {
    let mut words = Vocabularies::default();
    let packed = words.learn(one);
    let other = words.learn(other);
    Query::new(packed).similarity(&other, Score::ZERO).unwrap_or_default()
}
