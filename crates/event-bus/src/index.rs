//! The index of the event log: a second copy of the journal's frames, found by position, and the checkpoints and state
//! entries of projections, in the embedded database sled. Only this module and its submodules name sled.
//!
//! sled's `flush` does not sync its file, so each flush is followed by a sync (decision D16). The content of sled is
//! used only where it agrees with the journal, and panics of sled are caught here.
//!
//! A *frame* is an encoded event, and a *pack* is a database value with several consecutive frames.

mod checkpoints;
mod entries;
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
    frame::{self, Frame, FrameError},
};

/// Name of sled's directory in the log's directory.
pub(crate) const INDEX: &str = "index";

/// Key prefix of frames. All keys share one tree, so that one sled batch can contain frames and checkpoints.
const FRAME_PREFIX: u8 = b'e';

/// Maximum size of a value in bytes, unless a single frame exceeds it. A value is a pack: several consecutive frames
/// under the key of the first. Fewer keys cost less, but from 16 KiB on sled stores a value in a separate file that it
/// never syncs.
const MAX_PACK_BYTES: usize = 4 * 1024;

/// Number of times that each pack is read after it is added, so that sled evicts its page. sled evicts from a shard of
/// its cache (256 shards) after 64 accesses to it, whatever the cache capacity, and a page that is written and never
/// read has half as many: without these reads sled uses 35 MB.
const EVICTION_READS: usize = 4;

/// An error or panic of the index's database, or damage in the index. Contains the message.
#[derive(Debug, Clone)]
pub(crate) struct IndexFailure {
    /// The cause, for the message.
    pub(crate) cause: String,
    /// Whether the cause can disappear without a repair, such as a full disk or too many open files.
    is_transient: bool,
}

impl IndexFailure {
    /// Creates the failure of an operation that would fail again if repeated.
    pub(crate) const fn new(cause: String) -> Self {
        Self { cause, is_transient: false }
    }

    /// Whether the cause can disappear without a repair, such as a full disk or too many open files. The index is then not
    /// damaged, and usable when it is opened again.
    pub(crate) const fn is_transient(&self) -> bool {
        self.is_transient
    }
}

impl fmt::Display for IndexFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the index failed: {}", self.cause)
    }
}

/// The index of an event log, open for reading and writing. After the first failure every call fails.
pub(crate) struct Index {
    /// The sled database; `None` only in `drop`, which catches a panic of closing sled.
    store: Option<sled::Db>,
    /// sled's file, to sync after each flush.
    file: Arc<dyn File>,
    /// Whether a call has failed; sled is then not called again.
    failed: AtomicBool,
    /// File for the message of a failure that requires a rebuild of the index; empty if there was none.
    failure_file: Arc<dyn File>,
    /// Content of `failure_file` when the index was opened; `None` if it was empty.
    rebuild_reason: Option<String>,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("failed", &self.failed).finish_non_exhaustive()
    }
}

impl Index {
    /// Returns the position and the hash chain value of the last event in the index; `None` if the index has no events.
    /// Fails if the last pack is damaged.
    pub(crate) fn last_frame(&self) -> Result<Option<(Position, Chain)>, IndexFailure> {
        let last_pack = self.with_sled(|store| store.scan_prefix([FRAME_PREFIX]).next_back().transpose())?;
        let Some((_, pack)) = last_pack else { return Ok(None) };
        let mut last = None;
        for frame in decode_all(&pack) {
            let frame = frame.map_err(|_| IndexFailure::new("its last record is damaged".to_owned()))?;
            last = Some((frame.position(), frame.chain()));
        }
        Ok(last)
    }

    /// Adds the encoded events in `bytes`, which must be consecutive, to the index. They are durable after the next
    /// [`Index::barrier`].
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn add_frames(&self, bytes: &[u8]) -> Result<(), IndexFailure> {
        let mut batch = sled::Batch::default();
        let mut pack_keys = Vec::new();
        for (first, pack) in packs_of(bytes)? {
            batch.insert(&pack_key(first), pack);
            pack_keys.push(pack_key(first));
        }
        self.with_sled(|store| {
            store.apply_batch(batch)?;
            (0..EVICTION_READS).flat_map(|_| &pack_keys).try_for_each(|pack_key| store.get(pack_key).map(drop))
        })
    }

    /// Makes all previous writes to the index durable: flushes sled, then syncs its file.
    ///
    /// # Errors
    /// [`IndexFailure`] if sled fails.
    pub(crate) fn barrier(&self) -> Result<(), IndexFailure> {
        self.with_sled(sled::Tree::flush)?;
        self.file.sync_data().map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            let is_transient = opening::is_transient(&error);
            let failure = IndexFailure { cause: format!("cannot sync its file: {error}"), is_transient };
            // After a failed sync the system may drop dirty pages without reporting it again.
            if !is_transient {
                self.require_rebuild(&failure);
            }
            failure
        })
    }

    /// Calls `visit` with every encoded event of the index, in the order of positions. If one cannot be decoded, fails
    /// and marks the index for a rebuild.
    pub(crate) fn for_each_frame(&self, mut visit: impl FnMut(&Frame<'_>)) -> Result<(), IndexFailure> {
        let is_decodable = self.with_sled(|store| {
            for pack in store.scan_prefix([FRAME_PREFIX]).values() {
                for frame in decode_all(&pack?) {
                    let Ok(frame) = frame else { return Ok(false) };
                    visit(&frame);
                }
            }
            Ok(true)
        })?;
        if is_decodable {
            return Ok(());
        }
        let failure = IndexFailure::new("a record in it is damaged".to_owned());
        self.require_rebuild(&failure);
        Err(failure)
    }

    /// Returns the encoded event at a position; `None` if it is missing or damaged in the index. Fails if sled fails.
    pub(crate) fn read_frame(&self, position: Position) -> Result<Option<Vec<u8>>, IndexFailure> {
        let pack = self
            .with_sled(|store| store.range(pack_key(Position::ORIGIN)..=pack_key(position)).next_back().transpose())?;
        Ok(pack.and_then(|(_, pack)| {
            let mut frames = decode_all(&pack).map_while(Result::ok);
            frames.find(|frame| frame.position() == position).map(|frame| frame.bytes().to_vec())
        }))
    }

    /// Returns the failure because of which the index must be rebuilt, recorded before it was opened; `None` if there
    /// was none.
    pub(crate) fn rebuild_reason(&self) -> Option<&str> {
        self.rebuild_reason.as_deref()
    }

    /// Writes a failure to the failure file, so that the index is rebuilt when the log is next opened. An error of this
    /// write is logged and not returned.
    fn require_rebuild(&self, failure: &IndexFailure) {
        let write = || {
            let message = failure.to_string();
            let length = message.len().min(opening::MAX_FAILURE_BYTES);
            files::write_full(&*self.failure_file, 0, &message.as_bytes()[..length])?;
            self.failure_file.sync_data()
        };
        if let Err(error) = write() {
            tracing::warn!(%failure, %error, "the failure of the index could not be noted; it may fail again");
        }
    }

    /// Runs an operation on sled and returns its result. A failure is an error or panic of sled; after one, this and
    /// all later calls fail without running their operation. Unless the failure is transient, it also marks the index
    /// for a rebuild.
    fn with_sled<T>(&self, operation: impl FnOnce(&sled::Tree) -> sled::Result<T>) -> Result<T, IndexFailure> {
        let Some(store) = self.store.as_ref().filter(|_| !self.failed.load(Ordering::Relaxed)) else {
            return Err(IndexFailure::new("it is not used after a failure".to_owned()));
        };
        let mut is_transient = false;
        let checked_operation =
            || operation(store).inspect_err(|error| is_transient = opening::transient_error(error).is_some());
        catch_failure(checked_operation).map_err(|failure| {
            self.failed.store(true, Ordering::Relaxed);
            if is_transient {
                return IndexFailure { is_transient, ..failure };
            }
            self.require_rebuild(&failure);
            failure
        })
    }
}

/// Closes sled. A panic of sled is logged.
impl Drop for Index {
    fn drop(&mut self) {
        let store = self.store.take();
        if let Err(failure) = catch_failure(|| {
            drop(store);
            Ok(())
        }) {
            tracing::warn!(%failure, "closing the index failed; it is checked when the log is opened again");
        }
    }
}

/// Runs an operation on sled, and converts an error or a panic into an [`IndexFailure`].
fn catch_failure<T>(operation: impl FnOnce() -> sled::Result<T>) -> Result<T, IndexFailure> {
    match catch_unwind(AssertUnwindSafe(operation)) {
        Ok(outcome) => outcome.map_err(|error| IndexFailure::new(error.to_string())),
        Err(panic) => {
            let text = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("no message");
            Err(IndexFailure::new(format!("sled panicked: {text}")))
        }
    }
}

/// Returns an iterator over the journal frames that are stored one after the other in `bytes`. It ends after the first
/// that cannot be decoded.
fn decode_all(bytes: &[u8]) -> impl Iterator<Item = Result<Frame<'_>, FrameError>> {
    let mut remaining = Some(bytes).filter(|bytes| !bytes.is_empty());
    std::iter::from_fn(move || {
        let bytes = remaining.take()?;
        let frame = frame::decode(bytes);
        if let Ok(frame) = &frame {
            remaining = Some(&bytes[frame.bytes().len()..]).filter(|bytes| !bytes.is_empty());
        }
        Some(frame)
    })
}

/// Splits consecutive frames into database values (packs) of at most [`MAX_PACK_BYTES`] bytes, each with the position
/// of its first frame. A larger frame is a pack of its own. Fails if a frame cannot be decoded.
fn packs_of(bytes: &[u8]) -> Result<Vec<(Position, &[u8])>, IndexFailure> {
    let mut packs = Vec::new();
    // Position of the first frame of the current pack, and offset of its first byte.
    let mut pack: Option<(Position, usize)> = None;
    let mut offset = 0;
    for frame in decode_all(bytes) {
        let frame = frame.map_err(|_| IndexFailure::new("a frame to be added is damaged".to_owned()))?;
        let end = offset + frame.bytes().len();
        let (first, start) = *pack.get_or_insert((frame.position(), offset));
        if MAX_PACK_BYTES < end - start && start < offset {
            packs.push((first, &bytes[start..offset]));
            pack = Some((frame.position(), offset));
        }
        offset = end;
    }
    packs.extend(pack.map(|(first, start)| (first, &bytes[start..offset])));
    Ok(packs)
}

/// Returns the key of the pack that starts with the frame at position `first`.
fn pack_key(first: Position) -> [u8; 9] {
    let mut pack_key = [FRAME_PREFIX; 9];
    pack_key[1..].copy_from_slice(&first.to_key());
    pack_key
}
