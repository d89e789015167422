//! The structural features of a turn as bit masks, and their similarity (004 §5.5).
//!
//! The similarity is a weighted mean of Jaccard indexes and equalities. It needs no estimate from the store:
//!
//! | feature | compared by | weight |
//! | --- | --- | --: |
//! | intents | Jaccard index | 30 % |
//! | file extensions | Jaccard index | 20 % |
//! | tools | Jaccard index | 15 % |
//! | top-level directories | Jaccard index | 10 % |
//! | side effects | Jaccard index | 10 % |
//! | size of the prompt | equality | 10 % |
//! | images | equality | 5 % |

use contracts::{Features, Score};
use serde::{Deserialize, Serialize};

use crate::{
    jaccard::{jaccard_index, jaccard_index_of_masks},
    vocabulary::{BitSet, Vocabulary},
};

/// The weight of each feature in hundredths; the sum is 100.
mod weight {
    /// The intents of the message, compared by the Jaccard index.
    pub(super) const INTENTS: u64 = 30;
    /// The extensions of files, compared by the Jaccard index.
    pub(super) const EXTENSIONS: u64 = 20;
    /// The names of tools, compared by the Jaccard index.
    pub(super) const TOOLS: u64 = 15;
    /// The top-level directories, compared by the Jaccard index.
    pub(super) const DIRECTORIES: u64 = 10;
    /// The side effects of tool calls, compared by the Jaccard index.
    pub(super) const SIDE_EFFECTS: u64 = 10;
    /// The quantised size of the prompt, compared for equality.
    pub(super) const TOKENS: u64 = 10;
    /// Whether the prompt has images, compared for equality.
    pub(super) const IMAGES: u64 = 5;
}

/// The number of features that are sets of strings: extensions, tools, directories.
const SETS: usize = 3;

/// The weight of each set of strings in hundredths, in the order of [`PackedFeatures::masks`].
const SET_WEIGHTS: [u64; SETS] = [weight::EXTENSIONS, weight::TOOLS, weight::DIRECTORIES];

/// The number of possible sets of the six intents.
const INTENT_SETS: usize = 1 << 6;

/// The number of possible sets of the five side effects.
const EFFECT_SETS: usize = 1 << 5;

/// The structural features of a turn in 64 bytes, aligned to one cache line.
#[repr(align(64))]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PackedFeatures {
    /// The sets of extensions, tools and directories as bit masks over the vocabularies.
    pub(crate) masks: [u128; SETS],
    /// The size of each set, including values without a bit, in the order of `masks`.
    sizes: [u16; SETS],
    /// The features that need no vocabulary.
    pub(crate) scalars: ScalarFeatures,
}

/// The structural features of a turn whose encoding is the same in every workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScalarFeatures {
    /// The side effects of earlier tool calls of the session, as a bit mask by [`SideEffect`](contracts::SideEffect).
    pub(crate) side_effects: u8,
    /// The intents of the message, as a bit mask by [`IntentTags`](contracts::IntentTags).
    pub(crate) intents: u8,
    /// The quantised size of the prompt.
    pub(crate) tokens: u8,
    /// Whether the prompt has images.
    pub(crate) images: bool,
}

impl From<&Features> for ScalarFeatures {
    fn from(features: &Features) -> Self {
        Self {
            side_effects: features.side_effects.iter().fold(0, |bits, effect| bits | 1 << *effect as u8),
            // Six bits are defined.
            intents: features.intents.0 & 0x3f,
            tokens: features.tokens.0,
            images: features.images,
        }
    }
}

/// The strings that occur as features in a workspace, each with the number of its bit in the masks of
/// [`PackedFeatures`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Vocabularies {
    /// File extensions, such as `.rs`.
    extensions: Vocabulary,
    /// Top-level directories of the workspace.
    directories: Vocabulary,
    /// Names of tools.
    tools: Vocabulary,
}

impl Vocabularies {
    /// Packs features, and adds their new values to the vocabularies while bits are left.
    pub(crate) fn intern(&mut self, features: &Features) -> PackedFeatures {
        let sets = [
            self.extensions.intern_set(&features.extensions),
            self.tools.intern_set(&features.tools),
            self.directories.intern_set(&features.directories),
        ];
        PackedFeatures::new(features, sets)
    }

    /// Packs features without a change to the vocabularies; unknown values have no bit.
    pub(crate) fn pack(&self, features: &Features) -> PackedFeatures {
        let sets = [
            self.extensions.encode_set(&features.extensions),
            self.tools.encode_set(&features.tools),
            self.directories.encode_set(&features.directories),
        ];
        PackedFeatures::new(features, sets)
    }
}

impl PackedFeatures {
    /// Creates the packed features of a turn from its encoded sets (extensions, tools, directories, in this order) and
    /// its scalar features.
    fn new(features: &Features, sets: [BitSet; SETS]) -> Self {
        Self { masks: sets.map(|set| set.mask), sizes: sets.map(|set| set.size), scalars: features.into() }
    }

    /// Whether the turn has no intent, extension, tool, directory and side effect, so that no other turn can share one
    /// with it.
    pub(crate) fn is_empty(&self) -> bool {
        self.sizes == [0; SETS] && self.scalars.side_effects == 0 && self.scalars.intents == 0
    }

    /// Whether both turns have an intent, an extension, a tool, a directory or a side effect in common.
    pub(crate) fn shares_value_with(&self, other: &Self) -> bool {
        self.scalars.intents & other.scalars.intents != 0
            || self.scalars.side_effects & other.scalars.side_effects != 0
            || self.masks.iter().zip(&other.masks).any(|(own, other)| own & other != 0)
    }
}

/// The structural features of the turn to which other turns are compared. The weighted Jaccard indexes for every set of
/// intents and of side effects are precomputed in tables, so that a comparison takes a few instructions.
pub(crate) struct PackedQuery<'a> {
    /// The features of the turn.
    packed: &'a PackedFeatures,
    /// The weighted Jaccard index of the turn's intents and those of another turn, in hundredths of a billionth.
    /// Indexed by the bit mask of the other turn.
    intents: [u64; INTENT_SETS],
    /// The weighted Jaccard index of the turn's side effects and those of another turn, in hundredths of a billionth.
    /// Indexed by the bit mask of the other turn.
    side_effects: [u64; EFFECT_SETS],
}

impl<'a> PackedQuery<'a> {
    /// Precomputes the comparison of `packed` with other turns: the tables of intents and side effects.
    pub(crate) fn new(packed: &'a PackedFeatures) -> Self {
        let intents = weighted_jaccard(weight::INTENTS, packed.scalars.intents);
        let side_effects = weighted_jaccard(weight::SIDE_EFFECTS, packed.scalars.side_effects);
        Self { packed, intents, side_effects }
    }

    /// Returns the structural similarity to another turn, from 0 to 1; see the module documentation.
    pub(crate) fn similarity(&self, other: &PackedFeatures) -> Score {
        let (own, scalars) = (self.packed, &self.packed.scalars);
        let equality = |weight: u64, equal: bool| u64::from(equal) * weight * Score::ONE.0;
        let mut hundredths = self.intents[usize::from(other.scalars.intents) % INTENT_SETS]
            + self.side_effects[usize::from(other.scalars.side_effects) % EFFECT_SETS]
            + equality(weight::TOKENS, scalars.tokens == other.scalars.tokens)
            + equality(weight::IMAGES, scalars.images == other.scalars.images);
        for (set, weight) in SET_WEIGHTS.iter().enumerate() {
            let common = count_ones(own.masks[set] & other.masks[set]);
            let sum = u32::from(own.sizes[set]) + u32::from(other.sizes[set]);
            hundredths += weight * jaccard_index(common, sum.saturating_sub(common));
        }
        Score(hundredths / 100)
    }
}

/// Returns the number of bits set in `mask`. Optimised for masks whose upper half is empty, as most are.
#[expect(clippy::cast_possible_truncation, reason = "splits the mask into halves")]
const fn count_ones(mask: u128) -> u32 {
    let (lower, upper) = (mask as u64, (mask >> 64) as u64);
    if upper == 0 { lower.count_ones() } else { lower.count_ones() + upper.count_ones() }
}

/// Computes `weight` times the Jaccard index of two sets, for one set with the bit mask `own` and every other set: the
/// entry at an index is for the set whose bit mask is the index.
fn weighted_jaccard<const N: usize>(weight: u64, own: u8) -> [u64; N] {
    let mut products = [0; N];
    for (other, entry) in (0_u8..=u8::MAX).zip(&mut products) {
        *entry = weight * jaccard_index_of_masks(own, other);
    }
    products
}

/// Computes the structural similarity of two turns, from 0 to 1: a weighted mean of the similarities of their features.
///
/// Intents weigh 30 %, file extensions 20 %, tools 15 %, top-level directories, side effects and the size of the prompt
/// 10 % each, and images 5 %. Sets are compared by the Jaccard index; two empty sets are equal.
pub fn similarity(left: &Features, right: &Features) -> Score {
    let mut vocabularies = Vocabularies::default();
    let left = vocabularies.intern(left);
    let right = vocabularies.intern(right);
    PackedQuery::new(&left).similarity(&right)
}
