//! [`Cursor`], which reads consecutive frames of the journal through a buffer.

use std::{io, path::Path};

use event_core::Position;

use crate::{
    LogError,
    files::{self, File},
    frame::{self, Frame, FrameError, MAX_FRAME},
};

/// Size of the first read in bytes. Each later read doubles in size, so that reading a single event reads little.
const MIN_READ_BYTES: usize = 16 * 1024;
/// Size of the largest read in bytes.
const MAX_READ_BYTES: usize = 256 * 1024;

/// Result of reading at one offset of the journal: a frame (an encoded event), invalid bytes, or the end.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A frame with a valid checksum. Its chain is not verified.
    Frame(Frame<'a>),
    /// Bytes that are not a frame; contains the reason, for messages.
    Invalid(&'static str),
    /// The end of the readable range.
    End,
}

impl<'a> Step<'a> {
    /// Returns the frame if its event has the position `expected`. Otherwise fails with [`LogError::Damaged`] for that
    /// position of the file at `path`.
    pub(crate) fn frame_at(self, expected: Position, path: &Path) -> Result<Frame<'a>, LogError> {
        let detail = match self {
            Step::Frame(frame) if frame.position() == expected => return Ok(frame),
            Step::Frame(frame) => format!("found position {} instead", frame.position()),
            Step::Invalid(reason) => reason.to_owned(),
            Step::End => "the file ends there".to_owned(),
        };
        Err(LogError::Damaged { path: path.to_owned(), position: expected, detail })
    }
}

/// Reads and decodes the events of a byte range of the journal, one after the other, through a buffer.
#[derive(Debug)]
pub(crate) struct Cursor<'f> {
    /// The journal.
    file: &'f dyn File,
    /// Offset in the file at which reading stops.
    end_offset: u64,
    /// Buffered part of the file.
    window: Vec<u8>,
    /// Offset of `window` in the file.
    window_offset: u64,
    /// Index in `window` of the next byte to decode.
    next: usize,
    /// Size of the next read in bytes.
    read_size: usize,
}

impl<'f> Cursor<'f> {
    /// Creates a cursor for the bytes of the journal from `offset` to `end_offset`, exclusive. `offset` must be the
    /// start of a frame, unless the caller searches for one. Reads nothing yet.
    pub(crate) fn new(file: &'f dyn File, offset: u64, end_offset: u64) -> Self {
        Self { file, end_offset, window: Vec::new(), window_offset: offset, next: 0, read_size: MIN_READ_BYTES }
    }

    /// Returns the offset in the file of the next frame.
    pub(crate) const fn offset(&self) -> u64 {
        self.window_offset + self.next as u64
    }

    /// Decodes the next event of the journal and advances behind it. If the bytes are invalid, the cursor does not
    /// advance; see [`Cursor::skip_byte`]. Fails if the file cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Step<'_>> {
        self.fill()?;
        let unread = &self.window[self.next..];
        if unread.is_empty() {
            return Ok(Step::End);
        }
        Ok(match frame::decode(unread) {
            Ok(frame) => {
                self.next += frame.bytes().len();
                Step::Frame(frame)
            }
            Err(FrameError::Incomplete) => Step::Invalid("the file ends within a record"),
            Err(FrameError::Invalid(reason)) => Step::Invalid(reason),
        })
    }

    /// Skips `count` events of the journal by the length fields of their frames, without verifying them. Stops early at
    /// an invalid length, which [`Cursor::next`] then reports.
    ///
    /// # Errors
    /// The error of the file system.
    pub(crate) fn skip_frames(&mut self, count: u64) -> io::Result<()> {
        for _ in 0..count {
            self.fill()?;
            match frame::peek_length(&self.window[self.next..]) {
                Some(length) => self.next += length,
                None => break,
            }
        }
        Ok(())
    }

    /// Skips one byte, to search for a frame after invalid bytes, and returns that byte. Call it only after
    /// [`Cursor::next`] has returned [`Step::Invalid`].
    pub(crate) fn skip_byte(&mut self) -> u8 {
        self.next += 1;
        self.window[self.next - 1]
    }

    /// Reads more of the file, unless the buffer contains a complete frame or all bytes up to the end of the range.
    ///
    /// # Errors
    /// The error of the file system.
    fn fill(&mut self) -> io::Result<()> {
        let buffered_bytes = self.window.len() - self.next;
        let unread_bytes = self.end_offset.saturating_sub(self.window_offset + self.window.len() as u64);
        if MAX_FRAME <= buffered_bytes || unread_bytes == 0 {
            return Ok(());
        }
        self.window_offset += self.next as u64;
        self.window.drain(..self.next);
        self.next = 0;
        let requested_bytes = usize::try_from(unread_bytes).unwrap_or(self.read_size).min(self.read_size);
        self.read_size = (self.read_size * 2).min(MAX_READ_BYTES);
        self.window.resize(buffered_bytes + requested_bytes, 0);
        let read_bytes = files::read_full(
            self.file,
            self.window_offset + buffered_bytes as u64,
            &mut self.window[buffered_bytes..],
        )?;
        self.window.truncate(buffered_bytes + read_bytes);
        if read_bytes < requested_bytes {
            // The file ends before `end_offset`.
            self.end_offset = self.window_offset + self.window.len() as u64;
        }
        Ok(())
    }
}
