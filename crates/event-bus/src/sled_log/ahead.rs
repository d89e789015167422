//! Preallocates space behind the journal's end, so that most barriers do not change the length of the file.
//!
//! A sync that changes the length of a file also commits the file system's own journal, and takes half as long again
//! (measured: 70 instead of 45 µs for 2 kB). The preallocated bytes are not a valid frame, so readers stop there.

use std::io;

use crate::{
    files::{self, File},
    journal::PADDING,
};

/// Preallocated space behind the journal's end, as used by the writer.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Number of bytes to preallocate at once; 0 for none.
    room: usize,
    /// Offset of the end of the preallocated space, if it is after the journal's end.
    until: u64,
}

impl Ahead {
    /// Creates the state for `room` bytes of preallocation, 0 for none.
    pub(super) const fn of(room: usize) -> Self {
        Self { room, until: 0 }
    }

    /// Writes frames at the journal's end, and preallocates new space behind them if the previous one is used up.
    ///
    /// # Errors
    /// [`io::Error`] if the frames cannot be written. If space cannot be preallocated, preallocation is switched off.
    pub(super) fn write(&mut self, file: &dyn File, offset: u64, frames: &[u8]) -> io::Result<()> {
        files::write_full(file, offset, frames)?;
        let end = offset + frames.len() as u64;
        if self.room != 0 && self.until < end {
            match files::write_full(file, end, &vec![PADDING; self.room]) {
                Ok(()) => self.until = end + self.room as u64,
                Err(error) => {
                    tracing::warn!(%error, "the journal is no longer written ahead");
                    *self = Self::default();
                }
            }
        }
        Ok(())
    }

    /// Truncates the space behind the journal's end. If that fails, opening the log truncates it.
    pub(super) fn cut(&mut self, file: &dyn File, end: u64) {
        if std::mem::take(&mut self.until) <= end {
            return;
        }
        if let Err(error) = file.truncate(end) {
            tracing::warn!(%error, "room stays behind the journal's end until the log is opened again");
        }
    }
}
