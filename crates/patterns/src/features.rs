//! Extraction of features from messages and paths.
//!
//! [`intent_tags`] recognises the intents of a message, `sketch` hashes its words and measures its shape, and
//! [`extension`] and [`top_directory`] reduce paths. The other modules count characters, lines and words for the shape.

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
