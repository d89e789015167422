//! [`Preallocation`]: space behind the journal's end, so that most barriers do not change the length of the file.
//!
//! A sync that changes the length of a file also commits the file system's own journal, and takes half as long again
//! (measured: 70 instead of 45 µs for 2 kB). The preallocated bytes are not a valid frame, so readers stop there.

use std::io;

use crate::{
    files::{self, File},
    journal::PADDING,
};

/// The space that is preallocated behind the end of the journal file.
#[derive(Debug, Default)]
pub(super) struct Preallocation {
    /// Number of bytes to preallocate at once; 0 for no preallocation.
    chunk_bytes: usize,
    /// Offset of the end of the preallocated space; not after the journal's end if there is none.
    end_offset: u64,
}

impl Preallocation {
    /// Creates the state before the first write. `chunk_bytes` bytes are preallocated whenever the previous ones are
    /// used up; 0 for no preallocation.
    pub(super) const fn new(chunk_bytes: usize) -> Self {
        Self { chunk_bytes, end_offset: 0 }
    }

    /// Writes encoded events at `offset`, the end of the journal, and preallocates new space behind them if the
    /// previous space is used up. Does not sync. If space cannot be preallocated, preallocation is switched off and a
    /// warning is logged.
    ///
    /// # Errors
    /// [`io::Error`] if the events cannot be written.
    pub(super) fn write_frames(&mut self, file: &dyn File, offset: u64, frames: &[u8]) -> io::Result<()> {
        files::write_full(file, offset, frames)?;
        let end = offset + frames.len() as u64;
        if self.chunk_bytes != 0 && self.end_offset < end {
            match files::write_full(file, end, &vec![PADDING; self.chunk_bytes]) {
                Ok(()) => self.end_offset = end + self.chunk_bytes as u64,
                Err(error) => {
                    tracing::warn!(%error, "the journal is no longer written ahead");
                    *self = Self::default();
                    // The part that was written takes the room of events.
                    file.truncate(end)?;
                }
            }
        }
        Ok(())
    }

    /// Records that the journal was truncated at its end, so that no space is preallocated.
    pub(super) const fn forget(&mut self) {
        self.end_offset = 0;
    }

    /// Truncates preallocated space behind `end`, the end of the journal. An error is only logged, since opening the
    /// log truncates the space too.
    pub(super) fn truncate(&mut self, file: &dyn File, end: u64) {
        if std::mem::take(&mut self.end_offset) <= end {
            return;
        }
        if let Err(error) = file.truncate(end) {
            tracing::warn!(%error, "room stays behind the journal's end until the log is opened again");
        }
    }
}
