//! [`IdIndex`], a map from event id to position, built from the journal when the log is opened.
//!
//! The key is 4 of the 16 bytes of an id; the caller compares the complete id with that of the event. The latest ids are
//! in a table in memory. Older ones are in sorted files without a name, with a filter of ten bits for each in memory, by
//! which the files are not read for ids that are new. A process that ends leaves no such file, and none is read when the
//! log is opened, so they need no recovery.
//!
//! The map is not stored in sled: ids are random, and random keys cost more there than the rest of an append (measured:
//! 12 µs of processor time and 500 B per event).

mod filter;
mod run;
mod table;

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroU32,
    path::{Path, PathBuf},
};

use event_core::{EventId, Position};

use run::{Entry, Run};
use table::Table;

/// Number of ids in memory at which they are moved to a file. In the table they take about 620 KB.
const MAX_IN_MEMORY: usize = 64 * 1024;

/// Map from event ids to positions. A lookup may also return positions of other ids with the same first 4 bytes.
#[derive(Debug, Clone)]
pub(crate) struct IdIndex {
    /// The directory on whose file system the files without a name are created.
    directory: PathBuf,
    /// Positions of the latest ids by the key that [`short_key`] returns for an id.
    latest: Table,
    /// Latest ids that do not fit into the table: their key is taken or too close to others, or their position exceeds 32
    /// bits.
    overflow: BTreeMap<EventId, Position>,
    /// Positions of earlier ids. Each file has at least twice as many entries as the next.
    runs: Vec<Run>,
    /// Number of entries in `latest` at which they are moved to a file.
    next_run: usize,
    /// Number of entries in `latest` that are moved to a file.
    max_in_memory: usize,
}

impl IdIndex {
    /// Creates an empty map, whose files are created in `directory` when they are needed.
    pub(crate) fn new(directory: &Path) -> Self {
        Self::with_max_in_memory(directory, MAX_IN_MEMORY)
    }

    /// Creates an empty map that moves ids to a file when `max_in_memory` of them are in memory.
    fn with_max_in_memory(directory: &Path, max_in_memory: usize) -> Self {
        Self {
            directory: directory.to_owned(),
            latest: Table::default(),
            overflow: BTreeMap::new(),
            runs: Vec::new(),
            next_run: max_in_memory,
            max_in_memory,
        }
    }

    /// Adds an event id with its position in the log. Each id must be added only once. If a file cannot be written, as on
    /// a full disk, the ids stay in memory, and the next try is made after as many more.
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        let number = u32::try_from(position.0).ok().and_then(NonZeroU32::new);
        if !number.is_some_and(|number| self.latest.insert(short_key(id), number)) {
            self.overflow.insert(id, position);
        }
        if self.next_run <= self.latest.len() {
            if let Err(error) = self.move_to_file() {
                tracing::warn!(%error, "the ids of events stay in memory");
            }
            self.next_run = self.latest.len() + self.max_in_memory;
        }
    }

    /// Returns the positions in the log at which an event with this id may be; none if the id was not added. The events
    /// there may have other ids with the same key, so the caller must compare the ids.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(crate) fn candidates(&self, id: EventId) -> io::Result<Vec<Position>> {
        let key = short_key(id);
        let in_table = self.latest.get(key).map(|number| Position(u64::from(number.get())));
        // An empty vector needs no memory, and most lookups are for new ids.
        let mut positions: Vec<Position> = in_table.into_iter().chain(self.overflow.get(&id).copied()).collect();
        for run in &self.runs {
            run.find(key, &mut positions)?;
        }
        Ok(positions)
    }

    /// Moves the ids in memory to a file, and merges files so that each has at least twice as many entries as the next.
    fn move_to_file(&mut self) -> io::Result<()> {
        let to_short_position = |position: &Position| u32::try_from(position.0).ok().and_then(NonZeroU32::new);
        let mut overflow: Vec<Entry> = self
            .overflow
            .iter()
            .filter_map(|(id, position)| Some((short_key(*id), to_short_position(position)?)))
            .collect();
        overflow.sort_unstable();
        let entries = run::merge(self.latest.iter().map(Ok), overflow.into_iter().map(Ok));
        let mut newest = Run::write(&self.directory, self.latest.len() + self.overflow.len(), entries)?;
        let mut runs = self.runs.clone();
        while let Some(previous) = runs.pop_if(|previous| previous.len() < 2 * newest.len()) {
            let entries = run::merge(previous.entries()?, newest.entries()?);
            newest = Run::write(&self.directory, previous.len() + newest.len(), entries)?;
        }
        runs.push(newest);
        self.runs = runs;
        self.latest = Table::default();
        self.overflow.retain(|_, position| to_short_position(position).is_none());
        Ok(())
    }
}

/// Hashes the first 4 bytes of an id to its key in the table, so that counters and time stamps as ids are distributed
/// evenly. Each step is a bijection, so distinct inputs have distinct keys. The constants are those of the finaliser of
/// `MurmurHash3`.
fn short_key(id: EventId) -> u32 {
    let key = id.0.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    let key = (key ^ key >> 16).wrapping_mul(0x85eb_ca6b);
    let key = (key ^ key >> 13).wrapping_mul(0xc2b2_ae35);
    key ^ key >> 16
}

#[cfg(test)]
mod tests;
