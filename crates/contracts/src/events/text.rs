//! Text that belongs to an event: short text inside it, longer text in a file named by its content.

use serde::{Deserialize, Serialize};

use crate::ContentHash;

/// Text up to this many bytes stays inside its event; longer text goes to a file (decision D16).
pub const INLINE_TEXT_BYTES: usize = 2 * 1024;

/// A text, or where to find it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextBody {
    /// The text itself, at most [`INLINE_TEXT_BYTES`].
    Inline(String),
    /// A file of the log's text store, on the disk before the event that names it.
    Stored {
        /// The name of the file: the hash of its content.
        hash: ContentHash,
        /// Its length.
        bytes: u64,
    },
}
