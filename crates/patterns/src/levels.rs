//! The structure of a turn in small levels: how much of each thing it has.
//!
//! A level counts as so many yes-or-no features as it is high: "at least one", "at least two"... That makes near levels
//! alike and far ones unlike.

use contracts::{Features, IntentTag, IntentTags, SideEffect};

use crate::{features::SHAPE_LEVELS, packed::Plain};

/// Where it says whether there were tools before.
pub(crate) const TOOL_HISTORY: usize = SHAPE_LEVELS + 2;

/// Shape, size of the prompt, images, tools before, intents, side effects.
pub(crate) const LEVELS: usize = SHAPE_LEVELS + 3 + IntentTag::ALL.len() + EFFECTS.len();

/// Levels above this are alike.
pub(crate) const HIGHEST: u8 = 31;

const EFFECTS: [SideEffect; 5] =
    [SideEffect::None, SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];

/// The levels of a turn.
pub(crate) fn levels(features: &Features) -> [u8; LEVELS] {
    levels_of(&features.sketch.shape, Plain::of(features), features.tool_history)
}

/// The levels of a turn with this shape and these plain features.
pub(crate) fn levels_of(shape: &[u8], plain: Plain, tool_history: bool) -> [u8; LEVELS] {
    let shape = shape.iter().copied().chain(std::iter::repeat(0)).take(SHAPE_LEVELS);
    let numbers = [plain.tokens, u8::from(plain.images), u8::from(tool_history)];
    let intents = IntentTag::ALL.map(|tag| u8::from(IntentTags(plain.intents).has(tag)));
    let effects = EFFECTS.map(|effect| plain.side_effects >> effect as u8 & 1);
    let mut levels = [0; LEVELS];
    for (place, level) in levels.iter_mut().zip(shape.chain(numbers).chain(intents).chain(effects)) {
        *place = level.min(HIGHEST);
    }
    levels
}
