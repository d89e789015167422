//! The `HEAD` file: a recent end of the log, stored outside journal and index so that a lost tail is detected.
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
    journal::End,
};

/// The name of the file in the log's directory.
pub(crate) const HEAD: &str = "HEAD";

const TITLE: &str = "turnwise log head 1";

/// The largest file that is read, in bytes; a `HEAD` file has about 150.
pub(crate) const MAX_BYTES: usize = 1_024;

/// Content of the `HEAD` file: a recent end of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    /// Position of the last event.
    pub(crate) position: Position,
    /// Hash chain after that event.
    pub(crate) chain: Chain,
    /// Length of the journal up to that position, in bytes.
    pub(crate) journal: u64,
}

/// Result of reading the `HEAD` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// The file does not exist.
    Missing,
    /// The file cannot be parsed.
    Damaged,
    /// The content of the file.
    Head(Head),
}

impl From<End> for Head {
    fn from(end: End) -> Self {
        Self { position: end.position, chain: end.chain, journal: end.offset }
    }
}

/// Reads the `HEAD` file of the log in a directory.
pub(crate) fn read(files: &dyn Files, log: &Path) -> Result<Found, LogError> {
    let path = log.join(HEAD);
    match files::read_small(files, &path, MAX_BYTES) {
        Ok(None) => Ok(Found::Missing),
        Ok(Some(bytes)) => Ok(parse(&bytes).map_or(Found::Damaged, Found::Head)),
        Err(error) if error.kind() == std::io::ErrorKind::FileTooLarge => Ok(Found::Damaged),
        Err(error) => Err(LogError::io("read", path)(error)),
    }
}

/// Replaces the file atomically and durably.
pub(crate) fn write(files: &dyn Files, log: &Path, head: Head) -> std::io::Result<()> {
    files::replace(files, &log.join(HEAD), print(head).as_bytes())
}

/// Encodes the content of the file, with its checksum.
fn print(head: Head) -> String {
    let body = format!("{TITLE}\nposition {}\nchain {:?}\njournal {}\n", head.position, head.chain, head.journal);
    let check = crc32fast::hash(body.as_bytes());
    format!("{body}check {check:08x}\n")
}

/// Parses the content of the `HEAD` file and verifies its checksum; `None` if it is damaged.
fn parse(bytes: &[u8]) -> Option<Head> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines();
    lines.next().filter(|title| *title == TITLE)?;
    let position = Position(lines.next()?.strip_prefix("position ")?.parse().ok()?);
    let digits = lines.next()?.strip_prefix("chain ")?;
    let journal = lines.next()?.strip_prefix("journal ")?.parse().ok()?;
    let mut chain = [0; 32];
    for (index, byte) in chain.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    let head = Head { position, chain: Chain(chain), journal };
    // Comparing with the printed form verifies the checksum and rejects trailing content.
    (print(head) == text).then_some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_file_reads_back_and_no_changed_bit_does() {
        let head = Head { position: Position(1_204), chain: Chain([0x5f; 32]), journal: 433_408 };
        let text = print(head);
        insta::assert_snapshot!(text);
        assert_eq!(parse(text.as_bytes()), Some(head));
        for bit in 0..text.len() * 8 {
            let mut bytes = text.clone().into_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(parse(&bytes), None, "bit {bit}");
        }
    }
}
