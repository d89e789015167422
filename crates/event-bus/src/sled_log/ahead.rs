//! Room written behind the journal's end, so that most barriers leave the length of the file alone.
//!
//! A sync that changes the length of a file commits the file system's own journal as well, and takes half as long again
//! (measured: 70 instead of 45 µs for 2 kB). What stands in the room is no frame: whoever reads stops there.

use std::io;

use crate::{
    files::{self, File},
    journal::AHEAD,
};

#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Bytes to write at once, 0 for none.
    room: usize,
    /// Where the room ends, if there is any behind the journal's end.
    until: u64,
}

impl Ahead {
    pub(super) const fn of(room: usize) -> Self {
        Self { room, until: 0 }
    }

    /// Writes frames at the journal's end, and new room behind them if what there was is used up.
    ///
    /// # Errors
    /// When the frames cannot be written. Room that cannot be is done without from then on.
    pub(super) fn write(&mut self, file: &dyn File, offset: u64, frames: &[u8]) -> io::Result<()> {
        files::write_full(file, offset, frames)?;
        let end = offset + frames.len() as u64;
        if self.room != 0 && self.until < end {
            match files::write_full(file, end, &vec![AHEAD; self.room]) {
                Ok(()) => self.until = end + self.room as u64,
                Err(error) => {
                    tracing::warn!(%error, "the journal is no longer written ahead");
                    *self = Self::default();
                }
            }
        }
        Ok(())
    }

    /// Cuts the room behind the journal's end. Should that fail, opening the log cuts it.
    pub(super) fn cut(&mut self, file: &dyn File, end: u64) {
        if std::mem::take(&mut self.until) <= end {
            return;
        }
        if let Err(error) = file.truncate(end) {
            tracing::warn!(%error, "room stays behind the journal's end until the log is opened again");
        }
    }
}
