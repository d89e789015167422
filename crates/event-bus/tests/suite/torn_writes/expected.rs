//! The required outcome for a damaged journal, computed from its bytes without the code under test.

use std::collections::BTreeSet;

use super::original::{Original, Witnesses};
use crate::damaged::HEADER;

/// Required result of opening a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The log opens with the first `events` events; `behind` bytes after them are not events.
    Whole { events: u64, behind: usize },
    /// Opening fails with the error that the event at this position is damaged.
    Damaged(u64),
}

/// Required outcomes of opening for writing and for reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    /// Result of opening for writing.
    pub(crate) opening: Verdict,
    /// Result of opening for reading.
    pub(crate) reading: Verdict,
}

/// Comparison of a damaged journal with the original one.
struct Walk {
    /// Number of unchanged events in complete batches.
    whole: u64,
    /// Offset of their end in bytes.
    whole_at: usize,
    /// Whether there is a valid frame at the first offset that differs, which a crash cannot cause.
    foreign: bool,
    /// The largest first position of a barrier among the valid frames from that offset on; `None` if there are none.
    survivor: Option<u64>,
}

impl Expected {
    /// Computes the required results for a journal beside the given other files.
    pub(crate) fn of(original: &Original, journal: &[u8], witnesses: Witnesses) -> Self {
        let first = Verdict::Damaged(1);
        let header = journal.starts_with(&original.journal[..HEADER]);
        if journal.len() <= HEADER && !header {
            // An unfinished header of a new log, unless another file proves that there were events. A reader rejects
            // the header.
            let fresh = Verdict::Whole { events: 0, behind: journal.len() };
            return Self { opening: if witnesses == Witnesses::Neither { fresh } else { first }, reading: first };
        }
        if !header {
            return Self { opening: first, reading: first };
        }
        let walk = Walk::over(original, journal);
        let whole = Verdict::Whole { events: walk.whole, behind: journal.len() - walk.whole_at };
        let damaged = Verdict::Damaged(walk.whole + 1);
        let (promised, indexed) = (original.promised(witnesses), original.indexed(witnesses));
        // Frames behind the damage may belong to the barrier that a crash interrupted, but only an intact index can
        // prove that this barrier was not acknowledged.
        let synced = walk.survivor.is_some_and(|begin| walk.whole + 1 < begin);
        let proof = if witnesses.have_index() { synced } else { walk.survivor.is_some() };
        Self {
            opening: if walk.whole < promised.max(indexed) || walk.foreign || proof { damaged } else { whole },
            reading: if walk.whole < promised || synced { damaged } else { whole },
        }
    }
}

impl Walk {
    /// Compares a journal with the original frame by frame, up to the first difference.
    fn over(original: &Original, journal: &[u8]) -> Self {
        let (mut at, mut whole, mut whole_at) = (HEADER, 0, HEADER);
        for (index, place) in original.frames.iter().enumerate() {
            if !journal[at..].starts_with(original.frame(index)) {
                break;
            }
            at += place.end - place.start;
            if !place.goes_on {
                (whole, whole_at) = (index as u64 + 1, at);
            }
        }
        let begins = valid_frames(journal, at).map(|(_, frame)| position(frame) - u64::from(frame[9]));
        Self { whole, whole_at, foreign: frame_at(journal, at).is_some(), survivor: begins.max() }
    }
}

/// Returns the positions of the original frames that the journal contains unchanged, at any offset.
pub(crate) fn standing(original: &Original, journal: &[u8]) -> BTreeSet<u64> {
    let same = |frame: &[u8]| {
        let index = usize::try_from(position(frame)).unwrap() - 1;
        original.frames.get(index).is_some_and(|_| original.frame(index) == frame)
    };
    valid_frames(journal, 0).filter(|(_, frame)| same(frame)).map(|(_, frame)| position(frame)).collect()
}

/// Returns the largest position of any valid frame in the journal, unchanged or not; 0 if there is none.
pub(crate) fn last_claimed(journal: &[u8]) -> u64 {
    valid_frames(journal, 0).map(|(_, frame)| position(frame)).max().unwrap_or_default()
}

/// Searches a journal from an offset on, byte by byte, for frames with a valid checksum. Returns each with its offset.
fn valid_frames(journal: &[u8], from: usize) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = from;
    std::iter::from_fn(move || {
        while at < journal.len() {
            if let Some(frame) = frame_at(journal, at) {
                let found = (at, frame);
                at += frame.len();
                return Some(found);
            }
            at += 1;
        }
        None
    })
}

/// Returns the frame at an offset; `None` if its length or checksum is invalid.
fn frame_at(journal: &[u8], at: usize) -> Option<&[u8]> {
    let rest = &journal[at..];
    let length = u32::from_le_bytes(*rest.first_chunk()?) as usize;
    let frame = rest.get(..length.checked_add(8)?).filter(|frame| 100 < frame.len())?;
    (frame[4..8] == checksum(frame)).then_some(frame)
}

/// Computes the checksum of a frame.
pub(crate) fn checksum(frame: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&frame[..4]);
    hasher.update(&frame[8..]);
    hasher.finalize().to_le_bytes()
}

/// Returns the position of the event in a frame.
fn position(frame: &[u8]) -> u64 {
    u64::from_le_bytes(*frame[10..].first_chunk().unwrap())
}
