//! The second copy: facts by id and position, and checkpoints, in sled. The one module that names sled.
//!
//! sled's own `flush` is no barrier (decision D16), so each one is followed by a sync of its file. What sled holds is
//! trusted only as far as it agrees with the journal, and its panics end here.

mod checkpoints;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use event_core::{EventId, Position};

use crate::{
    files::{File, Files, Mode},
    frame::{self, Chain},
};

/// The name of sled's directory in the log's directory.
pub(crate) const INDEX: &str = "index";

/// What sled may keep in memory, in bytes. It treats this as a hint.
const CACHE_BYTES: u64 = 64 * 1024 * 1024;

/// Key prefixes: one tree holds everything, so that one batch covers it.
const FACT: u8 = b'e';
const ID: u8 = b'i';

/// What went wrong inside the index, in words.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the index failed: {}", self.0)
    }
}

/// A fact to be added: its id, its place and its frame.
pub(crate) type Entry<'a> = (EventId, Position, &'a [u8]);

/// A sum over ids and their positions that does not depend on the order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Census {
    pub(crate) count: u64,
    sum: u128,
}

impl Census {
    pub(crate) fn add(&mut self, id: EventId, position: Position) {
        // The odd factor spreads the position over all bits, so that two swapped positions show.
        let place = u128::from(position.0).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let id = u128::from_le_bytes(id.0);
        self.count += 1;
        self.sum = self.sum.wrapping_add((id ^ place).wrapping_mul(place | 1));
    }
}

pub(crate) struct Index {
    /// Taken only on drop, to catch what sled may do then.
    store: Option<sled::Db>,
    /// sled's file, for the barrier sled does not make.
    file: Arc<dyn File>,
    /// Set by the first failure; sled is not called again after it.
    failed: AtomicBool,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Index {
    /// Opens or creates the index in a directory. Says nothing about whether its content is right.
    pub(crate) fn open(directory: &Path, files: &dyn Files) -> Result<Self, Failure> {
        let config = sled::Config::new().path(directory).flush_every_ms(None).cache_capacity(CACHE_BYTES);
        let store = guard(|| config.open())?;
        let failure = |error: std::io::Error| Failure(error.to_string());
        let file = files.open(&directory.join("db"), Mode::Write).map_err(failure)?;
        let index = Self { store: Some(store), file, failed: AtomicBool::new(false) };
        for directory in directory.ancestors().take(2) {
            files.sync_dir(directory).map_err(failure)?;
        }
        Ok(index)
    }

    /// The last fact's place and chain.
    pub(crate) fn last(&self) -> Result<Option<(Position, Chain)>, Failure> {
        let last = self.call(|store| store.scan_prefix([FACT]).next_back().transpose())?;
        let Some((key, bytes)) = last else { return Ok(None) };
        let position = key.get(1..).and_then(|key| <[u8; 8]>::try_from(key).ok()).map(Position::from_key);
        match (position, frame::read(&bytes)) {
            (Some(position), Ok(frame)) if frame.position() == position => Ok(Some((position, frame.chain()))),
            _ => Err(Failure("its last record is damaged".to_owned())),
        }
    }

    /// Counts the ids it knows, reading every one.
    pub(crate) fn census(&self) -> Result<Census, Failure> {
        self.call(|store| {
            let mut census = Census::default();
            for entry in store.scan_prefix([ID]) {
                let (key, value) = entry?;
                let id = key.get(1..).and_then(|id| <[u8; 16]>::try_from(id).ok()).unwrap_or_default();
                census.add(EventId(id), position(&value).unwrap_or_default());
            }
            Ok(census)
        })
    }

    /// Adds facts. They are durable after the next [`Index::barrier`].
    pub(crate) fn add<'a>(&self, entries: impl Iterator<Item = Entry<'a>>) -> Result<(), Failure> {
        let mut batch = sled::Batch::default();
        for (id, position, frame) in entries {
            batch.insert(&fact_key(position), frame);
            batch.insert(&id_key(id), &position.to_key());
        }
        self.call(|store| store.apply_batch(batch))
    }

    /// Makes everything before it durable: sled's flush, then the sync that sled leaves out.
    pub(crate) fn barrier(&self) -> Result<(), Failure> {
        self.call(sled::Tree::flush)?;
        self.file.sync_data().map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            Failure(format!("cannot sync its file: {error}"))
        })
    }

    /// Where the fact with an id stands.
    pub(crate) fn find(&self, id: EventId) -> Result<Option<Position>, Failure> {
        let value = self.call(|store| store.get(id_key(id)))?;
        value
            .map(|value| position(&value).ok_or_else(|| Failure(format!("the place of `{id}` is damaged"))))
            .transpose()
    }

    /// The frame of the fact at a position, whether or not it is sound.
    pub(crate) fn frame(&self, position: Position) -> Result<Option<Vec<u8>>, Failure> {
        let value = self.call(|store| store.get(fact_key(position)))?;
        Ok(value.map(|bytes| bytes.to_vec()))
    }

    /// Whether sled has failed and is not asked any more.
    pub(crate) fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Calls sled, unless it has failed before.
    fn call<T>(&self, work: impl FnOnce(&sled::Tree) -> sled::Result<T>) -> Result<T, Failure> {
        let Some(store) = self.store.as_ref().filter(|_| !self.has_failed()) else {
            return Err(Failure("it is not used after a failure".to_owned()));
        };
        guard(|| work(store)).inspect_err(|_| self.failed.store(true, Ordering::Relaxed))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        let store = self.store.take();
        if let Err(failure) = guard(|| {
            drop(store);
            Ok(())
        }) {
            tracing::warn!(%failure, "closing the index failed; it is checked when the log is opened again");
        }
    }
}

/// Runs sled so that neither an error nor a panic of it goes further.
fn guard<T>(work: impl FnOnce() -> sled::Result<T>) -> Result<T, Failure> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome.map_err(|error| Failure(error.to_string())),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(Failure(format!("sled panicked: {text}")))
        }
    }
}

fn fact_key(position: Position) -> [u8; 9] {
    let mut key = [FACT; 9];
    key[1..].copy_from_slice(&position.to_key());
    key
}

fn id_key(id: EventId) -> [u8; 17] {
    let mut key = [ID; 17];
    key[1..].copy_from_slice(&id.0);
    key
}

fn position(value: &[u8]) -> Option<Position> {
    <[u8; 8]>::try_from(value).ok().map(Position::from_key)
}
