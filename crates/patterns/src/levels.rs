//! The structural features of a turn as small ordinal numbers (levels).
//!
//! A level of `n` encodes `n` binary features: "at least 1", "at least 2", …, "at least n". Close levels therefore
//! share most of their features.

use contracts::{Features, IntentTag, IntentTags, SideEffect};

use crate::{features::SHAPE_LEVELS, packed::ScalarFeatures};

/// The index of the level that is 1 if earlier turns of the session had tool calls.
pub(crate) const TOOL_HISTORY: usize = SHAPE_LEVELS + 2;

/// The number of levels of a turn, in this order: shape, size of the prompt, images, earlier tool calls, intents, side
/// effects.
pub(crate) const LEVELS: usize = SHAPE_LEVELS + 3 + IntentTag::ALL.len() + SIDE_EFFECTS.len();

/// The highest level; greater values are clamped to it.
pub(crate) const MAX_LEVEL: u8 = 31;

/// The side effects in the order of their levels.
const SIDE_EFFECTS: [SideEffect; 5] =
    [SideEffect::None, SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];

/// Encodes the structural features of a turn as levels, in the order that [`LEVELS`] documents.
pub(crate) fn feature_levels(features: &Features) -> [u8; LEVELS] {
    levels_from_parts(&features.sketch.shape, features.into(), features.tool_history)
}

/// Encodes three groups of structural features as levels, in the order that [`LEVELS`] documents: the shape of the
/// message, the scalar features, and whether earlier turns had tool calls. Missing levels of the shape become 0.
pub(crate) fn levels_from_parts(shape: &[u8], scalars: ScalarFeatures, tool_history: bool) -> [u8; LEVELS] {
    let shape = shape.iter().copied().chain(std::iter::repeat(0)).take(SHAPE_LEVELS);
    let numbers = [scalars.tokens, u8::from(scalars.images), u8::from(tool_history)];
    let intents = IntentTag::ALL.map(|tag| u8::from(IntentTags(scalars.intents).has(tag)));
    let effects = SIDE_EFFECTS.map(|effect| scalars.side_effects >> effect as u8 & 1);
    let mut levels = [0; LEVELS];
    for (level, value) in levels.iter_mut().zip(shape.chain(numbers).chain(intents).chain(effects)) {
        *level = value.min(MAX_LEVEL);
    }
    levels
}
