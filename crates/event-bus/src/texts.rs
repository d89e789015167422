//! [`TextStore`], a content-addressed store for texts that are too long for an event, on disk ([`TextFiles`]) and in
//! memory ([`MemoryTexts`]).

mod directory;
mod memory;

use crate::LogError;

pub use directory::TextFiles;
pub use memory::MemoryTexts;

/// Maximum length of a text in bytes: 16 MiB.
pub const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// Stores texts that are too long for an event, under the BLAKE3 hash of their content.
pub trait TextStore: Send + Sync + 'static {
    /// Stores a text durably and returns its hash. A text that is already stored is not written again.
    ///
    /// # Errors
    /// [`LogError::TextOversized`] above [`MAX_TEXT_BYTES`], [`LogError::Io`] if it cannot be written.
    fn put(&self, text: &str) -> Result<[u8; 32], LogError>;

    /// Returns the text with this hash; `None` if it was never stored or was removed.
    ///
    /// # Errors
    /// [`LogError::TextDamaged`] if the content does not match the hash, [`LogError::Io`] if it cannot be read.
    fn get(&self, hash: [u8; 32]) -> Result<Option<String>, LogError>;

    /// Removes every text for whose hash `keep` returns false, and the temporary files of interrupted writes. Returns
    /// the number of removed texts.
    ///
    /// Must not be called while texts are being stored, since it removes their temporary files.
    ///
    /// # Errors
    /// The first [`LogError::Io`] if texts cannot be removed; the other texts are removed nevertheless.
    fn sweep(&self, keep: &dyn Fn([u8; 32]) -> bool) -> Result<u64, LogError>;

    /// Removes the text with this hash. Returns false if there is none.
    ///
    /// # Errors
    /// [`LogError::Io`] if it cannot be removed.
    fn remove(&self, hash: [u8; 32]) -> Result<bool, LogError>;
}

/// Returns the BLAKE3 hash of a text.
///
/// # Errors
/// [`LogError::TextOversized`] if it is longer than [`MAX_TEXT_BYTES`].
fn checked_hash(text: &str) -> Result<[u8; 32], LogError> {
    if MAX_TEXT_BYTES < text.len() {
        return Err(LogError::TextOversized { bytes: text.len() });
    }
    Ok(*blake3::hash(text.as_bytes()).as_bytes())
}
