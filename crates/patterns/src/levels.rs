//! The structure of a turn in small levels: how much of each thing it has.
//!
//! A level counts as so many yes-or-no features as it is high: "at least one", "at least two"... That makes near levels
//! alike and far ones unlike.

use contracts::{Features, IntentTag, SideEffect};

use crate::features::SHAPE_LEVELS;

/// Shape, size of the prompt, images, tools before, intents, side effects.
pub(crate) const LEVELS: usize = SHAPE_LEVELS + 3 + IntentTag::ALL.len() + EFFECTS.len();

/// Levels above this are alike.
pub(crate) const HIGHEST: u8 = 31;

const EFFECTS: [SideEffect; 5] =
    [SideEffect::None, SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];

/// The levels of a turn.
pub(crate) fn levels(features: &Features) -> [u8; LEVELS] {
    let mut levels = [0; LEVELS];
    let shape = features.sketch.shape.iter().copied().chain(std::iter::repeat(0)).take(SHAPE_LEVELS);
    let plain = [features.tokens.0, u8::from(features.images), u8::from(features.tool_history)];
    let intents = IntentTag::ALL.map(|tag| u8::from(features.intents.has(tag)));
    let effects = EFFECTS.map(|effect| u8::from(features.side_effects.contains(&effect)));
    let all = shape.chain(plain).chain(intents).chain(effects);
    for (place, level) in levels.iter_mut().zip(all) {
        *place = level.min(HIGHEST);
    }
    levels
}
