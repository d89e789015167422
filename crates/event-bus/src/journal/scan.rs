//! Scans a journal for its complete batches, and for valid frames after the first damage.

use std::io;

use event_core::{Position, Timestamp};

use super::{Cursor, HEADER_BYTES, Offsets, PADDING, Step};
use crate::{chain::Chain, files::File, frame::Frame};

/// A point between two frames of the journal, with the values that the next frame must continue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameBoundary {
    /// Position of the preceding event; [`Position::ORIGIN`] before the first frame.
    pub(crate) position: Position,
    /// Chain value of the preceding event.
    pub(crate) chain: Chain,
    /// Time at which the preceding event was recorded.
    pub(crate) recorded_at: Timestamp,
    /// Offset of the point in the file, in bytes.
    pub(crate) offset: u64,
}

impl FrameBoundary {
    /// The point before the first frame, after the file header.
    pub(crate) const START: Self = Self {
        position: Position::ORIGIN,
        chain: Chain::ORIGIN,
        recorded_at: Timestamp(0),
        offset: HEADER_BYTES as u64,
    };

    /// Returns the reason why `frame` cannot follow here in the journal: wrong position, time or hash chain value.
    /// `None` if it can.
    pub(crate) fn mismatch(&self, frame: &Frame<'_>) -> Option<&'static str> {
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

    /// Returns the point after `frame`, which ends at `offset` in the file.
    pub(crate) fn after(frame: &Frame<'_>, offset: u64) -> Self {
        Self { position: frame.position(), chain: frame.chain(), recorded_at: frame.recorded_at(), offset }
    }
}

/// Result of scanning a journal for complete batches of events.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    /// End of the last complete batch.
    pub(crate) complete_end: FrameBoundary,
    /// Offset at which the scan ended; after `complete_end` if the last batch is incomplete.
    pub(crate) reached_offset: u64,
    /// Offsets of the frames in complete batches.
    pub(crate) offsets: Offsets,
    /// Reason why the scan ended before the end of the file or within a batch; `None` if it did neither.
    pub(crate) stop: Option<StopReason>,
}

impl Scan {
    /// Returns whether only preallocated space follows the last complete batch of the journal. `trailing` is the result
    /// of [`find_trailing_frames`] after this scan.
    pub(crate) fn ends_in_padding(&self, trailing: &TrailingFrames) -> bool {
        !trailing.has_data && self.reached_offset == self.complete_end.offset
    }
}

/// Reason why a scan of the journal ended early, with a description for the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// An incomplete write, as a crash may leave it.
    Torn(&'static str),
    /// A valid frame that does not continue the journal. A crash cannot cause this.
    Foreign(&'static str),
}

impl StopReason {
    /// Returns the description of the reason, for the user.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Torn(description) | Self::Foreign(description) => description,
        }
    }
}

/// Verifies the journal's frames from `start` to the offset `end_offset`, and calls `visit` with each valid one. Stops
/// at the first frame that is invalid or does not continue its predecessor. `visit` is also called for frames of an
/// incomplete batch at the end. `offsets` contains the frames before `start`. Fails only if the file cannot be read.
pub(crate) fn scan(
    file: &dyn File,
    start: FrameBoundary,
    mut offsets: Offsets,
    end_offset: u64,
    mut visit: impl FnMut(&Frame<'_>),
) -> io::Result<Scan> {
    let mut cursor = Cursor::new(file, start.offset, end_offset);
    let (mut end, mut complete_end) = (start, start);
    let stop = loop {
        let offset = cursor.offset();
        match cursor.next()? {
            Step::Frame(frame) => {
                if let Some(mismatch) = end.mismatch(&frame) {
                    break Some(StopReason::Foreign(mismatch));
                }
                visit(&frame);
                offsets.add(frame.position(), offset);
                end = FrameBoundary::after(&frame, offset + frame.bytes().len() as u64);
                if !frame.batch_continues() {
                    complete_end = end;
                }
            }
            Step::Invalid(reason) => break Some(StopReason::Torn(reason)),
            Step::End if complete_end == end => break None,
            Step::End => break Some(StopReason::Torn("the file ends within a batch")),
        }
    };
    offsets.truncate_after(complete_end.position);
    Ok(Scan { complete_end, reached_offset: end.offset, offsets, stop })
}

/// Does the same as [`scan`] for a journal that another process may be writing. Also returns the valid frames after the
/// end of the scan.
///
/// The writer may have completed bytes that were invalid when they were read. If valid frames follow them, the scan is
/// therefore repeated from the last complete batch, until it makes no progress. `visit` is then called again for frames
/// of an incomplete batch.
pub(crate) fn scan_beside_a_writer(
    file: &dyn File,
    start: FrameBoundary,
    offsets: Offsets,
    end_offset: u64,
    mut visit: impl FnMut(&Frame<'_>),
) -> io::Result<(Scan, TrailingFrames)> {
    let mut scan_result = scan(file, start, offsets, end_offset, &mut visit)?;
    loop {
        if scan_result.stop.is_none() {
            return Ok((scan_result, TrailingFrames::default()));
        }
        let trailing = find_trailing_frames(file, scan_result.reached_offset, end_offset)?;
        if trailing.count == 0 {
            return Ok((scan_result, trailing));
        }
        let previous_end = scan_result.complete_end;
        scan_result = scan(file, previous_end, scan_result.offsets, end_offset, &mut visit)?;
        if scan_result.complete_end == previous_end {
            return Ok((scan_result, trailing));
        }
    }
}

/// The valid frames of a journal after the offset at which a scan ended. They show that the journal is damaged there,
/// unless they belong to one interrupted write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct TrailingFrames {
    /// Number of valid frames.
    pub(crate) count: u64,
    /// The largest first position of a barrier among them. All events before it were synced before that barrier was
    /// written.
    pub(crate) synced_before: Position,
    /// Whether any byte other than preallocated space follows.
    pub(crate) has_data: bool,
}

/// Searches the bytes of a journal from `offset` to `end_offset` for valid frames, byte by byte. Does not verify their
/// positions or hash chain.
///
/// # Errors
/// The error of the file system.
pub(crate) fn find_trailing_frames(file: &dyn File, offset: u64, end_offset: u64) -> io::Result<TrailingFrames> {
    let mut cursor = Cursor::new(file, offset, end_offset);
    let mut trailing = TrailingFrames::default();
    loop {
        match cursor.next()? {
            Step::Frame(frame) => {
                let barrier_start = Position(frame.position().0.saturating_sub(u64::from(frame.barrier_index())));
                trailing.count += 1;
                trailing.synced_before = trailing.synced_before.max(barrier_start);
                trailing.has_data = true;
            }
            Step::Invalid(_) => trailing.has_data |= cursor.skip_byte() != PADDING,
            Step::End => return Ok(trailing),
        }
    }
}
