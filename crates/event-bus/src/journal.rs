//! The journal: one append-only file that contains every event as a *frame* (its encoded form), and is the
//! authoritative record of the log. This module has the file header and the readable part; submodules read, index and
//! scan the frames.

mod cursor;
mod offsets;
mod scan;

use std::{io, path::PathBuf, sync::Arc};

use event_core::{EventId, Position, Recorded};

pub(crate) use cursor::{Cursor, Step};
pub(crate) use offsets::Offsets;
pub(crate) use scan::{
    FrameBoundary, Scan, StopReason, TrailingFrames, find_trailing_frames, scan, scan_beside_a_writer,
};

use crate::{
    LogError,
    chain::Chain,
    files::{self, File},
};

/// Name of the journal in the log's directory.
pub(crate) const JOURNAL: &str = "journal";

/// Size of the file header, in bytes: 8 magic, 2 format version, 2 reserved, 4 CRC-32 of these twelve.
pub(crate) const HEADER_BYTES: usize = 16;

/// Byte that fills preallocated space behind the last frame. Four of them are not a valid frame length, and a lost
/// write reads as something else.
pub(crate) const PADDING: u8 = b'~';

/// Format version that this program reads and writes.
const FORMAT: u16 = 1;

/// Magic bytes at the start of the file. Their line end is changed by a copy in text mode, which is thereby detected.
const MAGIC: [u8; 8] = *b"twlog\r\n\0";

/// Result of reading the file header of a journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// A header of the format version that this program reads.
    Valid,
    /// The file is shorter than a header.
    Short,
    /// The magic bytes or the checksum do not match.
    Damaged,
    /// A valid header with another format version, given here.
    OtherVersion(u16),
}

/// Encodes the file header of a journal in this program's format version.
pub(crate) fn encode_header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(&MAGIC);
    header[8..10].copy_from_slice(&FORMAT.to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]).to_le_bytes();
    header[12..].copy_from_slice(&checksum);
    header
}

/// Reads and verifies the file header of a journal. Fails only if the file cannot be read.
pub(crate) fn read_header(file: &dyn File) -> io::Result<Header> {
    let mut bytes = [0; HEADER_BYTES];
    if files::read_full(file, 0, &mut bytes)? < HEADER_BYTES {
        return Ok(Header::Short);
    }
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    let is_intact = bytes[..8] == MAGIC && bytes[12..] == crc32fast::hash(&bytes[..12]).to_le_bytes();
    Ok(match (is_intact, version) {
        (false, _) => Header::Damaged,
        (true, FORMAT) => Header::Valid,
        (true, other) => Header::OtherVersion(other),
    })
}

/// Returns an error unless a journal's file header is valid. `path` is the file, for the message.
///
/// # Errors
/// [`LogError::Damaged`] at position 1 for a short or damaged header, [`LogError::Format`] for another format version.
pub(crate) fn check_header(header: Header, path: PathBuf) -> Result<(), LogError> {
    let header_error =
        |path, detail: &str| LogError::Damaged { path, position: Position(1), detail: detail.to_owned() };
    match header {
        Header::Valid => Ok(()),
        Header::Short => Err(header_error(path, "the file ends within its header")),
        Header::Damaged => Err(header_error(path, "the header is not that of a journal")),
        Header::OtherVersion(found) => Err(LogError::Format { path, found, known: FORMAT }),
    }
}

/// The part of a journal that can be read: the complete batches of events up to `end`.
#[derive(Debug, Clone)]
pub(crate) struct ReadableJournal {
    /// The file, for messages.
    pub(crate) path: PathBuf,
    /// The open file.
    pub(crate) file: Arc<dyn File>,
    /// End of the last complete batch.
    pub(crate) end: FrameBoundary,
    /// Offsets of the frames before `end`.
    pub(crate) offsets: Offsets,
}

impl ReadableJournal {
    /// Returns the place in the journal at which to read the events after `after`, up to the present end. It remains
    /// valid while the journal grows.
    pub(crate) fn read_start(&self, after: Position) -> ReadStart {
        let (offset, skipped_frames) = self.offsets.nearest_before(after.next());
        ReadStart {
            path: self.path.clone(),
            file: Arc::clone(&self.file),
            offset,
            skipped_frames,
            end_offset: self.end.offset,
            after,
            head: self.end.position,
        }
    }
}

/// A place in the journal from which events are read: an offset at or before the frame that follows `after`. Reading
/// ends at the event `head`.
#[derive(Debug, Clone)]
pub(crate) struct ReadStart {
    /// Path of the file, for messages.
    path: PathBuf,
    /// The open file.
    file: Arc<dyn File>,
    /// Offset of an indexed frame, in bytes.
    offset: u64,
    /// Number of frames from `offset` to the frame that follows `after`.
    skipped_frames: u64,
    /// Offset of the end of the readable part, in bytes.
    end_offset: u64,
    /// Position before the first event to read.
    after: Position,
    /// Position of the last readable event.
    head: Position,
}

impl ReadStart {
    /// Returns a cursor at the frame that follows `after`. Skips the frames before it without verifying them.
    fn cursor(&self) -> Result<Cursor<'_>, LogError> {
        let mut cursor = Cursor::new(&*self.file, self.offset, self.end_offset);
        cursor.skip_frames(self.skipped_frames).map_err(LogError::io("read", &self.path))?;
        Ok(cursor)
    }

    /// Reads the events after `after` from the journal, at most `limit`; none if `after` is at or beyond the end.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if a frame is invalid or has another position than expected, [`LogError::Io`] if the file
    /// cannot be read.
    pub(crate) fn read_events(self, limit: usize) -> Result<Vec<Recorded>, LogError> {
        let available = usize::try_from(self.head.0.saturating_sub(self.after.0)).unwrap_or(usize::MAX);
        let count = limit.min(available);
        let mut events = Vec::with_capacity(count);
        if count == 0 {
            return Ok(events);
        }
        let mut cursor = self.cursor()?;
        let mut position = self.after;
        while events.len() < count {
            position = position.next();
            let step = cursor.next().map_err(LogError::io("read", &self.path))?;
            events.push(step.frame_at(position, &self.path)?.to_recorded());
        }
        Ok(events)
    }

    /// Returns the hash chain value of the first event after `after`; `None` if there is none.
    ///
    /// # Errors
    /// Those of [`ReadStart::read_events`].
    pub(crate) fn read_chain(self) -> Result<Option<Chain>, LogError> {
        if self.head <= self.after {
            return Ok(None);
        }
        let mut cursor = self.cursor()?;
        let step = cursor.next().map_err(LogError::io("read", &self.path))?;
        Ok(Some(step.frame_at(self.after.next(), &self.path)?.chain()))
    }

    /// Searches the journal for the event with this id and returns its position; `None` if it is not after `after`.
    /// Decodes every frame, which is slow in a long journal.
    ///
    /// # Errors
    /// Those of [`ReadStart::read_events`].
    pub(crate) fn find_id(self, id: EventId) -> Result<Option<Position>, LogError> {
        let mut cursor = self.cursor()?;
        let mut position = self.after;
        while position < self.head {
            position = position.next();
            let step = cursor.next().map_err(LogError::io("read", &self.path))?;
            if step.frame_at(position, &self.path)?.id() == id {
                return Ok(Some(position));
            }
        }
        Ok(None)
    }
}
