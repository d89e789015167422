//! From a message and from paths to the features of a turn.

mod intents;
mod paths;

pub use intents::{TEXT_BYTES, intent_tags};
pub use paths::{extension, top_directory};
