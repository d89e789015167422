//! From a message and from paths to the features of a turn.

mod intents;
mod paths;
mod shape;
mod sketch;

pub use intents::{TEXT_BYTES, intent_tags};
pub use paths::{extension, top_directory};
pub use shape::SHAPE_LEVELS;
pub use sketch::{MOST_NUMBERS, sketch};
