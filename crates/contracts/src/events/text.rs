//! Text that belongs to an event: inline if it is short, otherwise in the text store under its hash.

use serde::{Deserialize, Serialize};

use crate::ContentHash;

/// Maximum length in bytes of text inside an event; longer text goes to the text store (decision D16).
pub const INLINE_TEXT_BYTES: usize = 2 * 1024;

/// Text of a message in an event: the text itself if it is short, otherwise a reference to the text store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextBody {
    /// The text, at most [`INLINE_TEXT_BYTES`] long.
    Inline(String),
    /// A file of the text store, which is synced before the event that refers to it.
    Stored {
        /// Hash of the text, which is the name of the file.
        hash: ContentHash,
        /// Length of the text in bytes.
        bytes: u64,
    },
}
