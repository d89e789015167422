//! The structural features of a turn as small ordinal numbers (levels).
//!
//! A level of `n` stands for `n` binary features: "at least 1", "at least 2", …, "at least n". Close levels
//! therefore share most of their features.

use contracts::{Features, IntentTag, IntentTags, SideEffect};

use crate::{features::SHAPE_LEVELS, packed::ScalarFeatures};

/// The index of the level for tool calls in earlier turns.
pub(crate) const TOOL_HISTORY: usize = SHAPE_LEVELS + 2;

/// The number of levels: shape, size of the prompt, images, earlier tool calls, intents, side effects.
pub(crate) const LEVELS: usize = SHAPE_LEVELS + 3 + IntentTag::ALL.len() + EFFECTS.len();

/// The highest level; higher numbers are clamped.
pub(crate) const MAX_LEVEL: u8 = 31;

const EFFECTS: [SideEffect; 5] =
    [SideEffect::None, SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];

/// The levels of a turn.
pub(crate) fn levels(features: &Features) -> [u8; LEVELS] {
    levels_of(&features.sketch.shape, features.into(), features.tool_history)
}

/// The levels of a turn with this shape and these scalar features.
pub(crate) fn levels_of(shape: &[u8], scalars: ScalarFeatures, tool_history: bool) -> [u8; LEVELS] {
    let shape = shape.iter().copied().chain(std::iter::repeat(0)).take(SHAPE_LEVELS);
    let numbers = [scalars.tokens, u8::from(scalars.images), u8::from(tool_history)];
    let intents = IntentTag::ALL.map(|tag| u8::from(IntentTags(scalars.intents).has(tag)));
    let effects = EFFECTS.map(|effect| scalars.side_effects >> effect as u8 & 1);
    let mut levels = [0; LEVELS];
    for (level, value) in levels.iter_mut().zip(shape.chain(numbers).chain(intents).chain(effects)) {
        *level = value.min(MAX_LEVEL);
    }
    levels
}
