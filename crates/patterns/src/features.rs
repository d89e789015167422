//! Extraction of features from messages and paths.

mod characters;
mod distinct_words;
mod hash_set;
mod intents;
mod lines;
mod paths;
mod shape;
mod sketch;
mod tokens;

pub use intents::{SCANNED_BYTES, intent_tags};
pub use paths::{extension, top_directory};
pub use shape::SHAPE_LEVELS;
pub use sketch::{MAX_HASHES, sketch};
