//! The `HEAD` file: a recent end of the log, stored outside journal and index so that the loss of later events is
//! detected.
//!
//! It is plain text:
//!
//! ```text
//! turnwise log head 1
//! position 1204
//! chain 5f0c…
//! journal 433408
//! check 8d21ab44
//! ```

use std::path::Path;

use event_core::Position;

use crate::{
    LogError,
    chain::Chain,
    files::{self, Files},
    journal::FrameBoundary,
};

/// Name of the `HEAD` file in the log's directory.
pub(crate) const HEAD: &str = "HEAD";

/// First line of a `HEAD` file: its purpose and format version.
const FIRST_LINE: &str = "turnwise log head 1";

/// Maximum size of a `HEAD` file that is read, in bytes; a larger one is damaged. A valid file has about 150.
pub(crate) const MAX_HEAD_BYTES: usize = 1_024;

/// Content of the `HEAD` file: the end of the log when the file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Position of the last event.
    pub(crate) position: Position,
    /// Chain value of that event.
    pub(crate) chain: Chain,
    /// Length of the journal up to the end of that event, in bytes.
    pub(crate) journal_length: u64,
}

/// Result of reading the `HEAD` file, which contains a recent end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadFile {
    /// The file does not exist.
    Missing,
    /// The format or the checksum is wrong, or the file is too large.
    Damaged,
    /// The content of a valid file.
    Valid(Head),
}

impl From<FrameBoundary> for Head {
    fn from(end: FrameBoundary) -> Self {
        Self { position: end.position, chain: end.chain, journal_length: end.offset }
    }
}

/// Reads the `HEAD` file of the log in the directory `log`. A damaged file is not an error.
///
/// # Errors
/// [`LogError::Io`] if an existing file cannot be read.
pub(crate) fn read_head(files: &dyn Files, log: &Path) -> Result<HeadFile, LogError> {
    let path = log.join(HEAD);
    match files::read_small(files, &path, MAX_HEAD_BYTES) {
        Ok(None) => Ok(HeadFile::Missing),
        Ok(Some(bytes)) => Ok(parse_head(&bytes).map_or(HeadFile::Damaged, HeadFile::Valid)),
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Ok(HeadFile::Damaged),
        Err(error) => Err(LogError::io("read", path)(error)),
    }
}

/// Replaces the `HEAD` file of the log in the directory `log`, atomically and durably.
///
/// # Errors
/// The error of the file system.
pub(crate) fn write_head(files: &dyn Files, log: &Path, head: Head) -> std::io::Result<()> {
    files::replace(files, &log.join(HEAD), encode_head(head).as_bytes())
}

/// Encodes the content of a `HEAD` file as text. The last line is the CRC-32 of the lines before it.
fn encode_head(head: Head) -> String {
    let Head { position, chain, journal_length } = head;
    let body = format!("{FIRST_LINE}\nposition {position}\nchain {chain}\njournal {journal_length}\n");
    let check = crc32fast::hash(body.as_bytes());
    format!("{body}check {check:08x}\n")
}

/// Parses the content of a `HEAD` file; `None` if the format or the checksum does not match.
fn parse_head(bytes: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|line| *line == FIRST_LINE)?;
    let position = Position(lines.next()?.strip_prefix("position ")?.parse().ok()?);
    let chain = lines.next()?.strip_prefix("chain ")?.parse().ok()?;
    let journal_length = lines.next()?.strip_prefix("journal ")?.parse().ok()?;
    let head = Head { position, chain, journal_length };
    // Comparing with the encoded form verifies the checksum and rejects trailing content.
    (encode_head(head) == text).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_file_reads_back_and_no_changed_bit_does() {
        let head = Head { position: Position(1_204), chain: Chain([0x5f; 32]), journal_length: 433_408 };
        let text = encode_head(head);
        insta::assert_snapshot!(text);
        assert_eq!(parse_head(text.as_bytes()), Some(head));
        for bit in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(parse_head(&bytes), None, "bit {bit}");
        }
    }
}
