//! Scans a journal for its complete batches, and for frames behind the first damage.

use std::io;

use event_core::{Position, Timestamp};

use super::{AHEAD, Cursor, HEADER, Offsets, Step};
use crate::{chain::Chain, files::File, frame::Frame};

/// A point between two frames, with the values that the next frame must continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    /// Position of the frame before it.
    pub(crate) position: Position,
    /// Hash chain of that frame.
    pub(crate) chain: Chain,
    /// Recording time of that frame.
    pub(crate) recorded_at: Timestamp,
    /// Offset in the file.
    pub(crate) offset: u64,
}

impl End {
    /// The point before the first frame.
    pub(crate) const START: Self =
        Self { position: Position::ORIGIN, chain: Chain::ORIGIN, recorded_at: Timestamp(0), offset: HEADER as u64 };

    /// Returns why a frame does not continue the journal here; `None` if it does.
    pub(crate) fn refuses(&self, frame: &Frame<'_>) -> Option<&'static str> {
        if frame.position() != self.position.next() {
            Some("the position is not the next one")
        } else if frame.recorded_at() < self.recorded_at {
            Some("the time runs backwards")
        } else if frame.chain() != frame.chain_after(self.chain) {
            Some("the hash chain is broken")
        } else {
            None
        }
    }

    /// Returns the point after a frame that ends at `offset`.
    pub(crate) fn after(frame: &Frame<'_>, offset: u64) -> Self {
        Self { position: frame.position(), chain: frame.chain(), recorded_at: frame.recorded_at(), offset }
    }
}

/// Result of scanning a journal: the end of its complete batches, and why the scan ended.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// The end of the last complete batch.
    pub(crate) whole: End,
    /// The offset where the scan ended; after `whole` if the last batch is incomplete.
    pub(crate) reached: u64,
    /// Offsets of frames in complete batches.
    pub(crate) offsets: Offsets,
    /// Why the scan ended before the end of the file; `None` if it reached it.
    pub(crate) flaw: Option<Break>,
}

impl Scan {
    /// Returns whether only preallocated space follows the last complete batch.
    pub(crate) fn ends_in_room(&self, behind: &Survivors) -> bool {
        !behind.anything && self.reached == self.whole.offset
    }
}

/// Reason why a scan ended before the end of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    /// An incomplete write, as a crash leaves it.
    Torn(&'static str),
    /// A valid frame that does not continue the journal, which a crash cannot cause.
    Foreign(&'static str),
}

impl Break {
    /// Returns the description of the reason.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Torn(what) | Self::Foreign(what) => what,
        }
    }
}

/// Scans the frames from `from` up to the offset `until` and calls `visit` with each.
pub(crate) fn scan(
    file: &dyn File,
    from: End,
    mut offsets: Offsets,
    until: u64,
    mut visit: impl FnMut(&Frame<'_>),
) -> io::Result<Scan> {
    let mut cursor = Cursor::new(file, from.offset, until);
    let (mut end, mut whole) = (from, from);
    let flaw = loop {
        let offset = cursor.offset();
        match cursor.next()? {
            Step::Frame(frame) => {
                if let Some(what) = end.refuses(&frame) {
                    break Some(Break::Foreign(what));
                }
                visit(&frame);
                offsets.note(frame.position(), offset);
                end = End::after(&frame, offset + frame.bytes().len() as u64);
                if !frame.goes_on() {
                    whole = end;
                }
            }
            Step::Flaw(what) => break Some(Break::Torn(what)),
            Step::End if whole == end => break None,
            Step::End => break Some(Break::Torn("the file ends within a batch")),
        }
    };
    offsets.cut(whole.position);
    Ok(Scan { whole, reached: end.offset, offsets, flaw })
}

/// Scans a journal that another process may be writing. Also returns the valid frames behind its end.
///
/// Frames behind a flaw may have been written between two reads; the scan is then repeated from the last complete batch.
pub(crate) fn scan_beside_a_writer(
    file: &dyn File,
    from: End,
    offsets: Offsets,
    until: u64,
    mut visit: impl FnMut(&Frame<'_>),
) -> io::Result<(Scan, Survivors)> {
    let mut found = scan(file, from, offsets, until, &mut visit)?;
    loop {
        if found.flaw.is_none() {
            return Ok((found, Survivors::default()));
        }
        let behind = survivors(file, found.reached, until)?;
        if behind.count == 0 {
            return Ok((found, behind));
        }
        let before = found.whole;
        found = scan(file, before, found.offsets, until, &mut visit)?;
        if found.whole == before {
            return Ok((found, behind));
        }
    }
}

/// Valid frames behind a flaw, which show whether the flaw is damage or an incomplete write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Survivors {
    /// The number of valid frames.
    pub(crate) count: u64,
    /// The latest first position of a barrier among them. All events before it were synced when they were written.
    pub(crate) synced_before: Position,
    /// Whether there is any byte other than preallocated space.
    pub(crate) anything: bool,
}

/// Searches for valid frames from an offset on, byte by byte.
pub(crate) fn survivors(file: &dyn File, offset: u64, until: u64) -> io::Result<Survivors> {
    let mut cursor = Cursor::new(file, offset, until);
    let mut found = Survivors::default();
    loop {
        match cursor.next()? {
            Step::Frame(frame) => {
                let begin = Position(frame.position().0.saturating_sub(u64::from(frame.place())));
                found.count += 1;
                found.synced_before = found.synced_before.max(begin);
                found.anything = true;
            }
            Step::Flaw(_) => found.anything |= cursor.skip() != AHEAD,
            Step::End => return Ok(found),
        }
    }
}
