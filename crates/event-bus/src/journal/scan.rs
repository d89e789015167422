//! Walks a journal from a known place: what is whole, and what stands behind it.

use std::io;

use event_core::{Position, Timestamp};

use super::{AHEAD, Cursor, HEADER, Offsets, Step};
use crate::{chain::Chain, files::File, frame::Frame};

/// A place between two frames, and what the next frame must continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) position: Position,
    pub(crate) chain: Chain,
    pub(crate) recorded_at: Timestamp,
    pub(crate) offset: u64,
}

impl End {
    /// Before the first frame.
    pub(crate) const START: Self =
        Self { position: Position::ORIGIN, chain: Chain::ORIGIN, recorded_at: Timestamp(0), offset: HEADER as u64 };

    /// Why a frame does not continue the journal, or nothing.
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

    /// Behind a frame that ends at an offset.
    pub(crate) fn after(frame: &Frame<'_>, offset: u64) -> Self {
        Self { position: frame.position(), chain: frame.chain(), recorded_at: frame.recorded_at(), offset }
    }
}

/// What a walk found.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// Behind the last frame that ends a batch: up to here everything is whole.
    pub(crate) whole: End,
    /// Where the walk ended: behind `whole` by the frames of a batch that is not.
    pub(crate) reached: u64,
    /// Known places of whole frames.
    pub(crate) offsets: Offsets,
    /// Why the walk ended before the end of the file, if it did.
    pub(crate) flaw: Option<Break>,
}

impl Scan {
    /// Whether nothing but room that was written ahead stands behind what is whole.
    pub(crate) fn ends_in_room(&self, behind: &Survivors) -> bool {
        !behind.anything && self.reached == self.whole.offset
    }
}

/// What ends a walk early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Break {
    /// Bytes such as a write that never ended leaves.
    Torn(&'static str),
    /// A valid frame that does not belong there: no crash leaves that.
    Foreign(&'static str),
}

impl Break {
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Self::Torn(what) | Self::Foreign(what) => what,
        }
    }
}

/// Walks the frames from `from` to `until`, showing each to `visit`.
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

/// [`scan`] of a journal that another process may write, and what stands behind its end.
///
/// Frames behind a flaw may be of a writer that went on between the two looks. The walk then goes on as well.
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

/// Valid frames behind a flaw.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Survivors {
    /// How many there are.
    pub(crate) count: u64,
    /// The latest beginning of a barrier among them: everything before it had been synced when they were written.
    pub(crate) synced_before: Position,
    /// Whether there is any byte other than those written ahead, be it of a frame or not.
    pub(crate) anything: bool,
}

/// Looks for valid frames from an offset on, byte by byte.
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
