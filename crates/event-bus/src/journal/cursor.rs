//! Reads consecutive frames through a buffered window on the file.

use std::{io, path::Path};

use event_core::Position;

use crate::{
    LogError,
    files::{self, File},
    frame::{self, Flaw, Frame, MAX_FRAME},
};

/// The size of the first and of the largest read, in bytes. Reads double in between, so that reading one event stays cheap.
const SMALL: usize = 16 * 1024;
const LARGE: usize = 256 * 1024;

/// Result of reading at one offset of the journal: a frame, a flaw, or the end.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    /// A valid frame.
    Frame(Frame<'a>),
    /// The bytes cannot be decoded as a frame, for the given reason.
    Flaw(&'static str),
    /// The end of the file.
    End,
}

impl<'a> Step<'a> {
    /// Returns the frame if it has the expected position, or [`LogError::Damaged`].
    pub(crate) fn at(self, position: Position, path: &Path) -> Result<Frame<'a>, LogError> {
        let detail = match self {
            Step::Frame(frame) if frame.position() == position => return Ok(frame),
            Step::Frame(frame) => format!("found position {} instead", frame.position()),
            Step::Flaw(what) => what.to_owned(),
            Step::End => "the file ends there".to_owned(),
        };
        Err(LogError::Damaged { path: path.to_owned(), position, detail })
    }
}

/// Reads the frames of a journal in order, from an offset on.
#[derive(Debug)]
pub(crate) struct Cursor<'f> {
    /// The journal.
    file: &'f dyn File,
    /// The offset at which reading stops.
    until: u64,
    /// Bytes read from the file.
    window: Vec<u8>,
    /// The offset of the window in the file.
    window_at: u64,
    /// The index of the next byte within the window.
    next: usize,
    /// The size of the next read, in bytes.
    ask: usize,
}

impl<'f> Cursor<'f> {
    pub(crate) fn new(file: &'f dyn File, offset: u64, until: u64) -> Self {
        Self { file, until, window: Vec::new(), window_at: offset, next: 0, ask: SMALL }
    }

    /// Returns the offset of the next step in the file.
    pub(crate) const fn offset(&self) -> u64 {
        self.window_at + self.next as u64
    }

    /// Reads the next frame. On a flaw the cursor does not advance; see [`Cursor::skip`].
    pub(crate) fn next(&mut self) -> io::Result<Step<'_>> {
        self.fill()?;
        let rest = &self.window[self.next..];
        if rest.is_empty() {
            return Ok(Step::End);
        }
        Ok(match frame::read(rest) {
            Ok(frame) => {
                self.next += frame.bytes().len();
                Step::Frame(frame)
            }
            Err(Flaw::Incomplete) => Step::Flaw("the file ends within a record"),
            Err(Flaw::Invalid(what)) => Step::Flaw(what),
        })
    }

    /// Skips frames by their length fields alone. Stops at an invalid length, which [`Cursor::next`] then reports.
    pub(crate) fn pass(&mut self, frames: u64) -> io::Result<()> {
        for _ in 0..frames {
            self.fill()?;
            match frame::length(&self.window[self.next..]) {
                Some(length) => self.next += length,
                None => break,
            }
        }
        Ok(())
    }

    /// Skips one byte, to search for a frame behind a flaw, and returns that byte.
    pub(crate) fn skip(&mut self) -> u8 {
        self.next += 1;
        self.window[self.next - 1]
    }

    /// Fills the window so that it holds a whole frame or everything that is left.
    fn fill(&mut self) -> io::Result<()> {
        let held = self.window.len() - self.next;
        let unread = self.until.saturating_sub(self.window_at + self.window.len() as u64);
        if MAX_FRAME <= held || unread == 0 {
            return Ok(());
        }
        self.window_at += self.next as u64;
        self.window.drain(..self.next);
        self.next = 0;
        let more = usize::try_from(unread).unwrap_or(self.ask).min(self.ask);
        self.ask = (self.ask * 2).min(LARGE);
        self.window.resize(held + more, 0);
        let read = files::read_full(self.file, self.window_at + held as u64, &mut self.window[held..])?;
        self.window.truncate(held + read);
        if read < more {
            // The file is shorter than expected.
            self.until = self.window_at + self.window.len() as u64;
        }
        Ok(())
    }
}
