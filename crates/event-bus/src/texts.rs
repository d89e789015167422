//! Texts too long for an event, each in a file named by its content.

mod directory;
mod memory;

use crate::LogError;

pub use directory::TextFiles;
pub use memory::MemoryTexts;

/// The longest text that is kept, in bytes.
pub const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// Texts by the BLAKE3 hash of their content.
pub trait TextStore: Send + Sync + 'static {
    /// Keeps a text, durably, and gives it its name. A text that is there already is not written again.
    ///
    /// # Errors
    /// [`LogError::TextOversized`] above [`MAX_TEXT_BYTES`], [`LogError::Io`] when it cannot be written.
    fn put(&self, text: &str) -> Result<[u8; 32], LogError>;

    /// The text with this name, or `None` when it was never kept or was removed.
    ///
    /// # Errors
    /// [`LogError::TextDamaged`] when the content is not what its name says, [`LogError::Io`] when it cannot be read.
    fn get(&self, hash: [u8; 32]) -> Result<Option<String>, LogError>;

    /// Removes every text that is not to be kept, and what writing left unfinished; says how many texts that were.
    ///
    /// For when nobody else writes: a text on its way in would be taken for one that was left.
    ///
    /// # Errors
    /// [`LogError::Io`] when one cannot be removed; others are removed all the same.
    fn sweep(&self, keep: &dyn Fn([u8; 32]) -> bool) -> Result<u64, LogError>;

    /// Removes a text; false when there was none.
    ///
    /// # Errors
    /// [`LogError::Io`] when it cannot be removed.
    fn remove(&self, hash: [u8; 32]) -> Result<bool, LogError>;
}

fn name(text: &str) -> Result<[u8; 32], LogError> {
    if MAX_TEXT_BYTES < text.len() {
        return Err(LogError::TextOversized { bytes: text.len() });
    }
    Ok(*blake3::hash(text.as_bytes()).as_bytes())
}
