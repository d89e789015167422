//! Reads frames one after the other through a window on the file.

use std::{io, path::Path};

use event_core::Position;

use crate::{
    LogError,
    files::{self, File},
    frame::{self, Flaw, Frame, MAX_FRAME},
};

/// Bytes read at once, at first and at most: a look at one event reads little, a walk reads much.
const SMALL: usize = 16 * 1024;
const LARGE: usize = 256 * 1024;

/// What stands at a place in the journal.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    Frame(Frame<'a>),
    /// Bytes that are no frame, and why.
    Flaw(&'static str),
    End,
}

impl<'a> Step<'a> {
    /// The frame, which must be that of a position.
    pub(crate) fn at(self, position: Position, path: &Path) -> Result<Frame<'a>, LogError> {
        let detail = match self {
            Step::Frame(frame) if frame.position() == position => return Ok(frame),
            Step::Frame(frame) => format!("position {} stands there", frame.position()),
            Step::Flaw(what) => what.to_owned(),
            Step::End => "the file ends there".to_owned(),
        };
        Err(LogError::Damaged { path: path.to_owned(), position, detail })
    }
}

#[derive(Debug)]
pub(crate) struct Cursor<'f> {
    file: &'f dyn File,
    /// Where reading stops, whatever the file holds beyond.
    until: u64,
    window: Vec<u8>,
    /// The window's place in the file.
    window_at: u64,
    /// The next byte within the window.
    next: usize,
    /// Bytes to read the next time.
    ask: usize,
}

impl<'f> Cursor<'f> {
    pub(crate) fn new(file: &'f dyn File, offset: u64, until: u64) -> Self {
        Self { file, until, window: Vec::new(), window_at: offset, next: 0, ask: SMALL }
    }

    /// Where the next step stands in the file.
    pub(crate) const fn offset(&self) -> u64 {
        self.window_at + self.next as u64
    }

    /// The next frame. A flaw stays where it is until it is skipped.
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

    /// Goes past frames by their lengths alone. Where a length cannot be right it stays, and the next step tells.
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

    /// Goes one byte on, to look for a frame behind a flaw, and says which byte that was.
    pub(crate) fn skip(&mut self) -> u8 {
        self.next += 1;
        self.window[self.next - 1]
    }

    /// Makes sure that the window holds a whole frame, or all that is left.
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
            // The file is shorter than expected; there is nothing more to ask for.
            self.until = self.window_at + self.window.len() as u64;
        }
        Ok(())
    }
}
