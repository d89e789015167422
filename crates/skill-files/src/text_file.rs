//! Reads text files of limited length.

use std::{fs::File, io::Read as _, path::Path};

use skills::{Finding, FindingCode};

/// The maximum length of a trigger table or an AGENTS.md in bytes: 1 MiB.
pub const MAX_TEXT_BYTES: u64 = 1024 * 1024;

/// Reads a text file; `shown` is its path in findings. A byte order mark is removed.
///
/// # Errors
/// A finding if the path does not lead to a regular file of at most [`MAX_TEXT_BYTES`] in UTF-8.
pub fn read_text_file(path: &Path, shown: &str) -> Result<String, Finding> {
    let unreadable = |error: &std::io::Error| {
        Finding::of_file(shown, FindingCode::Unreadable, format!("the file cannot be read: {error}"))
    };
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if !metadata.is_file() {
        return Err(Finding::of_file(shown, FindingCode::NotAFile, "the path does not lead to a regular file"));
    }
    let bytes = read_limited(path, MAX_TEXT_BYTES).map_err(|error| unreadable(&error))?.ok_or_else(|| {
        let message = format!("the file has {} bytes, the most is {MAX_TEXT_BYTES}", metadata.len());
        Finding::of_file(shown, FindingCode::FileTooLarge, message)
    })?;
    skills::decode_text(&bytes, shown).map(str::to_owned)
}

/// Reads a file; `None` if it is longer than `limit` bytes, even if it grows while it is read.
///
/// # Errors
/// As [`File::open`] and [`std::io::Read::read_to_end`].
pub(crate) fn read_limited(path: &Path, limit: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit).then_some(bytes))
}
