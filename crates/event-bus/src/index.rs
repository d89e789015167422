//! The index: a second copy of the frames by position, and checkpoints, in sled. The only module that names sled.
//!
//! sled's `flush` is not a barrier (decision D16), so each one is followed by a sync of its file. The content of sled is used
//! only where it agrees with the journal, and panics of sled are caught here.

mod checkpoints;
mod opening;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use event_core::Position;

use crate::{
    chain::Chain,
    files::{self, File},
    frame::{self, Flaw, Frame},
};

/// The name of sled's directory in the log's directory.
pub(crate) const INDEX: &str = "index";

/// Key prefix of frames. All keys share one tree, so one sled batch can cover frames and checkpoints.
const FACTS: u8 = b'e';

/// The largest value of frames under one key, in bytes, unless a single frame exceeds it. Fewer keys cost less, but from
/// 16 KiB on sled stores a value in a separate file that it never syncs.
const PACK: usize = 4 * 1024;

/// Reads of each pack after it is added, so that sled evicts its page. sled evicts from a shard of its cache (256 shards)
/// after 64 accesses to it, whatever the cache capacity, and a page that is written and never read has half as many: without
/// these reads it keeps 35 MB.
const LOOKS: usize = 4;

/// Message of a failure of the index, either an error or a panic of sled.
#[derive(Debug, Clone)]
pub(crate) struct Failure(pub(crate) String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the index failed: {}", self.0)
    }
}

/// The index of an open log. After the first failure sled is not called again.
pub(crate) struct Index {
    /// `None` only while dropping, where a panic of sled is caught.
    store: Option<sled::Db>,
    /// sled's file, to sync after each flush.
    file: Arc<dyn File>,
    /// Set by the first failure, after which sled is not called again.
    failed: AtomicBool,
    /// A file that holds the failure because of which the index must be rebuilt; otherwise empty.
    verdict: Arc<dyn File>,
    /// The content of `verdict` when the index was opened; `None` if it was empty.
    distrusted: Option<String>,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Index {
    /// Returns position and chain of the last frame; `None` if the index is empty.
    pub(crate) fn last(&self) -> Result<Option<(Position, Chain)>, Failure> {
        let last = self.call(|store| store.scan_prefix([FACTS]).next_back().transpose())?;
        let Some((_, pack)) = last else { return Ok(None) };
        let mut found = None;
        for frame in unpack(&pack) {
            let frame = frame.map_err(|_| Failure("its last record is damaged".to_owned()))?;
            found = Some((frame.position(), frame.chain()));
        }
        Ok(found)
    }

    /// Adds the consecutive frames in `bytes`. They are durable after the next [`Index::barrier`].
    pub(crate) fn add(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut batch = sled::Batch::default();
        let mut pack: Option<(Position, usize)> = None;
        let mut packs = Vec::new();
        let mut at = 0;
        for frame in unpack(bytes) {
            let frame = frame.map_err(|_| Failure("a frame to be added is damaged".to_owned()))?;
            let end = at + frame.bytes().len();
            let (first, start) = *pack.get_or_insert((frame.position(), at));
            if PACK < end - start && start < at {
                batch.insert(&key(first), &bytes[start..at]);
                packs.push(first);
                pack = Some((frame.position(), at));
            }
            at = end;
        }
        if let Some((first, start)) = pack {
            batch.insert(&key(first), &bytes[start..at]);
            packs.push(first);
        }
        self.call(|store| {
            store.apply_batch(batch)?;
            (0..LOOKS).flat_map(|_| &packs).try_for_each(|first| store.get(key(*first)).map(drop))
        })
    }

    /// Makes all previous writes durable: flushes sled, then syncs its file.
    pub(crate) fn barrier(&self) -> Result<(), Failure> {
        self.call(sled::Tree::flush)?;
        self.file.sync_data().map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            let failure = Failure(format!("cannot sync its file: {error}"));
            // After a failed sync the system may drop dirty pages without reporting it again.
            if !opening::is_passing(&error) {
                self.distrust(&failure);
            }
            failure
        })
    }

    /// Calls `visit` with every frame, in the order of positions.
    pub(crate) fn walk(&self, mut visit: impl FnMut(&Frame<'_>)) -> Result<(), Failure> {
        let sound = self.call(|store| {
            for pack in store.scan_prefix([FACTS]).values() {
                for frame in unpack(&pack?) {
                    let Ok(frame) = frame else { return Ok(false) };
                    visit(&frame);
                }
            }
            Ok(true)
        })?;
        let damaged = || Failure("a record in it is damaged".to_owned());
        if sound { Ok(()) } else { Err(damaged()).inspect_err(|failure| self.distrust(failure)) }
    }

    /// Returns the encoded frame at a position; `None` if it is missing or damaged.
    pub(crate) fn frame(&self, position: Position) -> Result<Option<Vec<u8>>, Failure> {
        let pack = self.call(|store| store.range(key(Position::ORIGIN)..=key(position)).next_back().transpose())?;
        Ok(pack.and_then(|(_, pack)| {
            let mut frames = unpack(&pack).map_while(Result::ok);
            frames.find(|frame| frame.position() == position).map(|frame| frame.bytes().to_vec())
        }))
    }

    /// Returns the failure because of which the index must be rebuilt, as recorded before it was opened; `None` if
    /// there is none.
    pub(crate) fn distrusted(&self) -> Option<&str> {
        self.distrusted.as_deref()
    }

    /// Records a failure so that the index is rebuilt when the log is opened next.
    fn distrust(&self, failure: &Failure) {
        let write = || {
            let words = failure.to_string();
            files::write_full(&*self.verdict, 0, &words.as_bytes()[..words.len().min(opening::MOST_WORDS)])?;
            self.verdict.sync_data()
        };
        if let Err(error) = write() {
            tracing::warn!(%failure, %error, "the failure of the index could not be noted; it may fail again");
        }
    }

    /// Runs an operation on sled unless an earlier one failed. A failure that is not transient marks the index for rebuild.
    fn call<T>(&self, work: impl FnOnce(&sled::Tree) -> sled::Result<T>) -> Result<T, Failure> {
        let Some(store) = self.store.as_ref().filter(|_| !self.failed.load(Ordering::Relaxed)) else {
            return Err(Failure("it is not used after a failure".to_owned()));
        };
        let mut passing = false;
        guard(|| work(store).inspect_err(|error| passing = opening::refusal_of(error).is_some())).inspect_err(
            |failure| {
                self.failed.store(true, Ordering::Relaxed);
                if !passing {
                    self.distrust(failure);
                }
            },
        )
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

/// Runs an operation on sled and converts its errors and panics into a [`Failure`].
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

/// Iterates over the consecutive frames in `bytes`, up to the first that cannot be decoded.
fn unpack(bytes: &[u8]) -> impl Iterator<Item = Result<Frame<'_>, Flaw>> {
    let mut rest = Some(bytes).filter(|bytes| !bytes.is_empty());
    std::iter::from_fn(move || {
        let bytes = rest.take()?;
        let frame = frame::read(bytes);
        if let Ok(frame) = &frame {
            rest = Some(&bytes[frame.bytes().len()..]).filter(|bytes| !bytes.is_empty());
        }
        Some(frame)
    })
}

/// Returns the key of the frames that start at a position.
fn key(first: Position) -> [u8; 9] {
    let mut key = [FACTS; 9];
    key[1..].copy_from_slice(&first.to_key());
    key
}
