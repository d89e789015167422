//! The features of a turn, packed for comparison, and how alike two turns are.

use contracts::{Features, Score};
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

/// The sets of strings, in the order of their weights.
const SETS: usize = 3;

/// What each set of strings weighs, in hundredths.
const SET_WEIGHTS: [u64; SETS] = [weight::EXTENSIONS, weight::TOOLS, weight::DIRECTORIES];

/// As many sets as the six intents can form.
const INTENT_SETS: usize = 1 << 6;

/// As many sets as the five side effects can form.
const EFFECT_SETS: usize = 1 << 5;

/// Everything a comparison looks at, in 64 bytes, which a processor fetches at once where they begin at a multiple of as
/// many.
#[repr(align(64))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Packed {
    pub(crate) masks: [u128; SETS],
    sizes: [u16; SETS],
    pub(crate) plain: Plain,
}

/// Features that are packed the same in every workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plain {
    pub(crate) side_effects: u8,
    pub(crate) intents: u8,
    pub(crate) tokens: u8,
    pub(crate) images: bool,
}

impl Plain {
    pub(crate) fn of(features: &Features) -> Self {
        Self {
            side_effects: features.side_effects.iter().fold(0, |bits, effect| bits | 1 << *effect as u8),
            // Only six bits mean something.
            intents: features.intents.0 & 0x3f,
            tokens: features.tokens.0,
            images: features.images,
        }
    }
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
        packed(
            features,
            [
                self.extensions.learn(&features.extensions),
                self.tools.learn(&features.tools),
                self.directories.learn(&features.directories),
            ],
        )
    }

    /// The features packed.
    pub(crate) fn pack(&self, features: &Features) -> Packed {
        packed(
            features,
            [
                self.extensions.pack(&features.extensions),
                self.tools.pack(&features.tools),
                self.directories.pack(&features.directories),
            ],
        )
    }
}

fn packed(features: &Features, sets: [Bits; SETS]) -> Packed {
    Packed { masks: sets.map(|set| set.mask), sizes: sets.map(|set| set.size), plain: Plain::of(features) }
}

impl Packed {
    /// Whether the turn has none of the things two turns can share.
    pub(crate) fn is_bare(&self) -> bool {
        self.sizes == [0; SETS] && self.plain.side_effects == 0 && self.plain.intents == 0
    }

    /// Whether the two turns share any one thing: an intent, an extension, a tool, a directory, an effect.
    pub(crate) fn shares_with(&self, other: &Self) -> bool {
        self.plain.intents & other.plain.intents != 0
            || self.plain.side_effects & other.plain.side_effects != 0
            || self.masks.iter().zip(&other.masks).any(|(own, other)| own & other != 0)
    }
}

/// A turn to compare others with: what can be computed once is.
pub(crate) struct Query<'a> {
    packed: &'a Packed,
    /// The share of the intents, for every set of intents.
    intents: [u64; INTENT_SETS],
    /// The share of the side effects, for every set of them.
    side_effects: [u64; EFFECT_SETS],
}

impl<'a> Query<'a> {
    pub(crate) fn new(packed: &'a Packed) -> Self {
        let intents = shares(weight::INTENTS, packed.plain.intents);
        let side_effects = shares(weight::SIDE_EFFECTS, packed.plain.side_effects);
        Self { packed, intents, side_effects }
    }

    /// How alike the turns are.
    pub(crate) fn similarity(&self, other: &Packed) -> Score {
        let (own, plain) = (self.packed, &self.packed.plain);
        let equal = |weight: u64, equal: bool| u64::from(equal) * weight * Score::ONE.0;
        let mut hundredths = self.intents[usize::from(other.plain.intents) % INTENT_SETS]
            + self.side_effects[usize::from(other.plain.side_effects) % EFFECT_SETS]
            + equal(weight::TOKENS, plain.tokens == other.plain.tokens)
            + equal(weight::IMAGES, plain.images == other.plain.images);
        for (set, weight) in SET_WEIGHTS.iter().enumerate() {
            let common = ones(own.masks[set] & other.masks[set]);
            let both = u32::from(own.sizes[set]) + u32::from(other.sizes[set]);
            hundredths += weight * jaccard(common, both.saturating_sub(common));
        }
        Score(hundredths / 100)
    }
}

/// The number of bits, most often without a look at the upper half.
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is meant")]
const fn ones(mask: u128) -> u32 {
    let (lower, upper) = (mask as u64, (mask >> 64) as u64);
    if upper == 0 { lower.count_ones() } else { lower.count_ones() + upper.count_ones() }
}

/// What a set shares with each of `N` others, weighted.
fn shares<const N: usize>(weight: u64, own: u8) -> [u64; N] {
    let mut shares = [0; N];
    for (other, share) in (0_u8..=u8::MAX).zip(&mut shares) {
        *share = weight * jaccard_bits(own, other);
    }
    shares
}

/// How alike two turns are, from 0 to 1: a weighted sum of what their features have in common.
///
/// Intents weigh 30 %, file extensions 20, tools 15, top-level directories, side effects and the size of the
/// prompt 10 each, images 5. Sets are compared by Jaccard's index, and two empty sets have everything in common.
pub fn similarity(one: &Features, other: &Features) -> Score {
    let mut words = Vocabularies::default();
    let packed = words.learn(one);
    let other = words.learn(other);
    Query::new(&packed).similarity(&other)
}
