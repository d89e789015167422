//! The journal: one append-only file of frames. It is the authoritative record; all other files are derived from it.

mod cursor;
mod offsets;
mod scan;

use std::{io, path::PathBuf, sync::Arc};

use event_core::{EventId, Position, Recorded};

pub(crate) use cursor::{Cursor, Step};
pub(crate) use offsets::Offsets;
pub(crate) use scan::{Break, End, Scan, scan, scan_beside_a_writer, survivors};

use crate::{
    LogError,
    chain::Chain,
    files::{self, File},
};

/// The name of the journal in the log's directory.
pub(crate) const JOURNAL: &str = "journal";

/// Size of the file header, in bytes: 8 magic, 2 format version, 2 reserved, 4 CRC-32 of these twelve.
pub(crate) const HEADER: usize = 16;

/// The byte that fills preallocated space behind the last frame. Four of them are not a valid frame length, and a lost write
/// reads as something else.
pub(crate) const AHEAD: u8 = b'~';

/// The format version that this program reads and writes.
const FORMAT: u16 = 1;

/// The magic bytes. The line end in them detects a copy made in text mode.
const MAGIC: [u8; 8] = *b"twlog\r\n\0";

/// Result of reading the file header of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// The header is valid.
    Whole,
    /// The file is shorter than a header.
    Short,
    /// The magic bytes or the checksum are wrong.
    Damaged,
    /// The header has another format version.
    Other(u16),
}

/// Encodes the file header.
pub(crate) fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&FORMAT.to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]).to_le_bytes();
    header[12..].copy_from_slice(&checksum);
    header
}

/// Reads and verifies the file header.
pub(crate) fn read_header(file: &dyn File) -> io::Result<Header> {
    let mut bytes = [0; HEADER];
    if files::read_full(file, 0, &mut bytes)? < HEADER {
        return Ok(Header::Short);
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    let sound = bytes[..8] == MAGIC && bytes[12..] == crc32fast::hash(&bytes[..12]).to_le_bytes();
    Ok(match (sound, version) {
        (false, _) => Header::Damaged,
        (true, FORMAT) => Header::Whole,
        (true, other) => Header::Other(other),
    })
}

/// Converts a header that cannot be read into the error for it.
pub(crate) fn check_header(header: Header, path: PathBuf) -> Result<(), LogError> {
    let damaged = |path, detail: &str| LogError::Damaged { path, position: Position(1), detail: detail.to_owned() };
    match header {
        Header::Whole => Ok(()),
        Header::Short => Err(damaged(path, "the file ends within its header")),
        Header::Damaged => Err(damaged(path, "the header is not that of a journal")),
        Header::Other(found) => Err(LogError::Format { path, found, known: FORMAT }),
    }
}

/// The readable part of a journal: complete frames up to `end`.
#[derive(Debug, Clone)]
pub(crate) struct Readable {
    /// Path of the journal, for errors.
    pub(crate) path: PathBuf,
    /// The journal.
    pub(crate) file: Arc<dyn File>,
    /// End of the last complete batch.
    pub(crate) end: End,
    /// Index of the frames.
    pub(crate) offsets: Offsets,
}

/// A read position: an offset at or before the first frame after `after`.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    /// Path of the journal, for errors.
    path: PathBuf,
    /// The journal.
    file: Arc<dyn File>,
    /// Offset at which reading starts.
    offset: u64,
    /// Number of frames to skip between the offset and the first frame after `after`.
    passed: u64,
    /// Offset at which reading ends.
    until: u64,
    /// Position after which events are returned.
    after: Position,
    /// Position of the last readable event.
    head: Position,
}

impl Readable {
    /// Returns a read position for the events after `after`. It stays valid while the journal grows.
    pub(crate) fn start(&self, after: Position) -> Start {
        let file = Arc::clone(&self.file);
        let (offset, passed) = self.offsets.before(after.next());
        Start { path: self.path.clone(), file, offset, passed, until: self.end.offset, after, head: self.end.position }
    }
}

impl Start {
    /// Reads at most `limit` events after the position. An invalid frame is [`LogError::Damaged`].
    pub(crate) fn read(self, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let left = usize::try_from(self.head.0.saturating_sub(self.after.0)).unwrap_or(usize::MAX);
        let wanted = limit.min(left);
        let mut events = Vec::with_capacity(wanted);
        let mut expected = self.after.next();
        if wanted == 0 {
            return Ok(events);
        }
        let mut cursor = Cursor::new(&*self.file, self.offset, self.until);
        cursor.pass(self.passed).map_err(LogError::io("read", &self.path))?;
        while events.len() < wanted {
            let step = cursor.next().map_err(LogError::io("read", &self.path))?;
            events.push(step.at(expected, &self.path)?.event());
            expected = expected.next();
        }
        Ok(events)
    }

    /// Reads the chain of the event after the position; `None` if there is no such event.
    pub(crate) fn chain(self) -> Result<Option<Chain>, LogError> {
        if self.head <= self.after {
            return Ok(None);
        }
        let mut cursor = Cursor::new(&*self.file, self.offset, self.until);
        cursor.pass(self.passed).map_err(LogError::io("read", &self.path))?;
        let step = cursor.next().map_err(LogError::io("read", &self.path))?;
        Ok(Some(step.at(self.after.next(), &self.path)?.chain()))
    }

    /// Finds the position of an event by its id. Reads every frame after the position.
    pub(crate) fn find(self, id: EventId) -> Result<Option<Position>, LogError> {
        let mut cursor = Cursor::new(&*self.file, self.offset, self.until);
        let mut last = self.after;
        loop {
            let detail = match cursor.next().map_err(LogError::io("read", &self.path))? {
                Step::Frame(frame) if frame.id() == id => return Ok(Some(frame.position())),
                Step::Frame(frame) => {
                    last = frame.position();
                    continue;
                }
                Step::End => return Ok(None),
                Step::Flaw(what) => what.to_owned(),
            };
            return Err(LogError::Damaged { path: self.path, position: last.next(), detail });
        }
    }
}
