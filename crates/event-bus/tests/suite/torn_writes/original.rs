//! [`Original`], the log that is copied and damaged: its events, the offsets of their frames, and the other files.

use std::path::Path;

use event_bus::{EventLog as _, Expected, SledLog};
use event_core::{Checkpoint, NewEvent, Position, Recorded, Timestamp};
use tempfile::TempDir;

use crate::damaged::{Case, HEADER, begins};
use crate::support::{all, in_memory, new_event};

/// Sizes of the batches of one barrier, repeated.
const BARRIERS: [&[u64]; 6] = [&[5], &[1], &[3, 2], &[1, 1, 1], &[2, 4, 1], &[2]];

/// Name of the checkpoint in the log.
pub(crate) const STATE: &str = "a state";

/// Which other files confirm the end of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Witnesses {
    /// `HEAD` and the index, as written when the log was closed.
    Both,
    /// `HEAD` alone.
    Head,
    /// The index alone.
    Index,
    /// No other file.
    Neither,
    /// `HEAD` and index as they were before the last barrier, which was therefore never acknowledged.
    Earlier,
}

impl Witnesses {
    /// All combinations of files.
    pub(crate) const ALL: [Self; 5] = [Self::Neither, Self::Both, Self::Earlier, Self::Head, Self::Index];

    /// Returns whether there is a `HEAD` file.
    pub(crate) fn have_head(self) -> bool {
        !matches!(self, Self::Index | Self::Neither)
    }

    /// Returns whether there is an index.
    pub(crate) fn have_index(self) -> bool {
        !matches!(self, Self::Head | Self::Neither)
    }
}

/// Location of a frame in the journal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Offset of its end.
    pub(crate) end: usize,
    /// Whether the next frame belongs to the same batch.
    pub(crate) goes_on: bool,
}

/// An intact log, and the same log before its last barrier.
pub(crate) struct Original {
    /// Directory of the log.
    directory: TempDir,
    /// Directory of the log before its last barrier.
    earlier: TempDir,
    /// Events of the log.
    pub(crate) events: Vec<Recorded>,
    /// Bytes of the journal.
    pub(crate) journal: Vec<u8>,
    /// Locations of the frames, in the order of positions.
    pub(crate) frames: Vec<Place>,
    /// Last position before the last barrier.
    pub(crate) earlier_head: u64,
}

impl Original {
    /// Creates a log with `barriers` barriers and closes it properly.
    pub(crate) fn of(barriers: usize) -> Self {
        let (directory, earlier) = (in_memory(), in_memory());
        let events = write(directory.path(), barriers);
        let earlier_head = write(earlier.path(), barriers - 1).len() as u64;
        let journal = std::fs::read(directory.path().join("journal")).unwrap();
        let begins = begins(&journal);
        let place = |bounds: &[usize]| Place {
            start: bounds[0],
            end: bounds[1],
            // Flag 2: the batch continues in the next frame.
            goes_on: journal[bounds[0] + 8] & 2 != 0,
        };
        let frames: Vec<_> = begins.windows(2).map(place).collect();
        assert_eq!((frames.len(), begins[0], begins[frames.len()]), (events.len(), HEADER, journal.len()));
        Self { directory, earlier, events, journal, frames, earlier_head }
    }

    /// Returns the bytes of the frame with this index, from 0.
    pub(crate) fn frame(&self, index: usize) -> &[u8] {
        &self.journal[self.frames[index].start..self.frames[index].end]
    }

    /// Returns the path of sled's snapshot in the log's directory.
    pub(crate) fn snapshot(&self) -> String {
        let names = std::fs::read_dir(self.directory.path().join("index")).unwrap();
        let mut names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        format!("index/{}", names.find(|name| name.starts_with("snap.")).unwrap())
    }

    /// Returns the position of the last event.
    pub(crate) fn head(&self) -> u64 {
        self.events.len() as u64
    }

    /// Returns the offset of the last barrier in the journal.
    pub(crate) fn last_barrier(&self) -> usize {
        self.frames[usize::try_from(self.earlier_head).unwrap()].start
    }

    /// Returns the position in `HEAD`; 0 if there is no such file.
    pub(crate) fn promised(&self, witnesses: Witnesses) -> u64 {
        match witnesses {
            Witnesses::Both | Witnesses::Head => self.head(),
            Witnesses::Earlier => self.earlier_head,
            Witnesses::Index | Witnesses::Neither => 0,
        }
    }

    /// Returns the last position in the index; 0 if there is none.
    pub(crate) fn indexed(&self, witnesses: Witnesses) -> u64 {
        match witnesses {
            Witnesses::Both | Witnesses::Index => self.head(),
            Witnesses::Earlier => self.earlier_head,
            Witnesses::Head | Witnesses::Neither => 0,
        }
    }

    /// Creates a copy to damage, with the given other files.
    pub(crate) fn copy(&self, witnesses: Witnesses) -> Case {
        let case = Case::of(self.directory.path());
        match witnesses {
            Witnesses::Both => &case,
            Witnesses::Head => case.forget(&["index"]),
            Witnesses::Index => case.forget(&["HEAD"]),
            Witnesses::Neither => case.forget(&["HEAD", "index"]),
            Witnesses::Earlier => case.take(self.earlier.path(), &["HEAD", "index"]),
        };
        case
    }
}

/// Returns the checkpoint that is saved after barrier number `barrier`.
pub(crate) fn state(barrier: usize) -> Checkpoint {
    Checkpoint { version: 1, position: Position(barrier as u64), state: vec![7; 6_000] }
}

/// Writes a log with `barriers` barriers and some checkpoints, and closes it. Returns its events.
fn write(directory: &Path, barriers: usize) -> Vec<Recorded> {
    let (log, _) = SledLog::open(directory).unwrap();
    let mut numbers = 1..;
    for (barrier, batches) in BARRIERS.iter().cycle().take(barriers).enumerate() {
        for length in *batches {
            let batch: Vec<NewEvent> = numbers.by_ref().take(usize::try_from(*length).unwrap()).map(sized).collect();
            log.append(Expected::Any, Timestamp(barrier as u64 * 10), &batch).unwrap();
        }
        log.sync().unwrap();
        if barrier % 8 == 3 {
            log.save_checkpoint(STATE, &state(3)).unwrap();
        }
    }
    let events = all(&log);
    drop(log);
    // Opening makes sled write its snapshot.
    assert_eq!(SledLog::open(directory).unwrap().1, []);
    events
}

/// Creates event number `number`. Some have payloads of several sectors, some of maximum length.
fn sized(number: u64) -> NewEvent {
    let mut event = new_event(number);
    let more = match number % 24 {
        9 => 1_700,
        21 => 4 * 1_024 - event.payload.len() as u64,
        _ => 0,
    };
    let more = (0..more).map(|index| (index * number).to_le_bytes()[0]);
    event.payload = event.payload.iter().copied().chain(more).collect();
    event
}
