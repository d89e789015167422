//! From a message and from paths to the features of a turn.

mod characters;
mod distinct;
mod intents;
mod lines;
mod numbers;
mod paths;
mod shape;
mod sketch;
mod words;

pub use intents::{TEXT_BYTES, intent_tags};
pub use paths::{extension, top_directory};
pub use shape::SHAPE_LEVELS;
pub use sketch::{MOST_NUMBERS, sketch};
