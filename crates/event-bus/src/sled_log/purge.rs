//! Purges payloads of events: replaces them by their hashes. All events keep their positions, and the hash chain
//! remains valid.
//!
//! The new journal and the new index are written beside the old ones. The rename of the new index to its final
//! temporary name is the point of no return: an interrupted purge is undone before it and completed after it, when the
//! log is opened.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use event_core::{NewEvent, Recorded, Timestamp};

use super::{
    SledLog,
    index_fill::add_events_after,
    interrupted_purge::{NEW_INDEX, NEW_JOURNAL, PURGED_INDEX},
};
use crate::{
    LogError,
    files::{self, Files, Mode},
    frame,
    index::{Index, IndexFailure},
    journal::{self, Cursor, FrameBoundary, Offsets, ReadableJournal},
};

/// Minimum number of bytes written at once, except for the last write.
const WRITE_BYTES: usize = 128 * 1024;

/// Result of purging payloads from a log: the number of events and bytes, and the files that may still contain
/// payloads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeOutcome {
    /// Number of events whose payload was removed.
    pub events: u64,
    /// Number of removed payload bytes.
    pub bytes: u64,
    /// Files that earlier repairs have moved aside, which may contain the same payloads. They are not changed.
    pub old_copies: Vec<PathBuf>,
}

impl SledLog {
    /// Removes the payloads of the events for which `selected` returns true from journal and index, and opens the log
    /// again. Checkpoints with a state are removed, since the state may contain purged content. Checkpoints without a
    /// state, such as positions of reactors, are copied.
    ///
    /// Reads and rewrites the complete log. After a crash the log is either unchanged or completely purged. The log
    /// does not control when the disk erases freed blocks.
    ///
    /// # Errors
    /// [`LogError`] if a file cannot be read or written. The log is then unchanged, or the purge is completed when the
    /// log is next opened.
    pub fn purge(self, selected: impl FnMut(&Recorded) -> bool) -> Result<(Self, PurgeOutcome), LogError> {
        self.purge_and_record(selected, Timestamp(0), &[])
    }

    /// Purges as [`SledLog::purge`] does, and appends `events` to the log, recorded at `at`, in the same step: after a
    /// crash the log has the payloads, or these events. Appends nothing if no payload is selected. The ids of the events
    /// must be new.
    ///
    /// # Errors
    /// Those of [`SledLog::purge`].
    pub fn purge_and_record(
        self,
        selected: impl FnMut(&Recorded) -> bool,
        at: Timestamp,
        events: &[NewEvent],
    ) -> Result<(Self, PurgeOutcome), LogError> {
        use crate::EventLog as _;
        self.close()?;
        let (root, files) = (self.root.clone(), Arc::clone(&self.files));
        let old_copies = old_copies(&root, &*files)?;
        let (journal, outcome) = self.write_purged_journal(selected, at, events)?;
        let outcome = PurgeOutcome { old_copies, ..outcome };
        if outcome.events != 0 {
            self.write_purged_index(&journal)?;
            let complete = || {
                files.rename(&root.join(NEW_INDEX), &root.join(PURGED_INDEX))?;
                files.sync_dir(&root)
            };
            complete().map_err(LogError::io("rename", root.join(NEW_INDEX)))?;
        }
        // Closing releases sled's files; opening the log completes the purge, or removes unneeded files.
        drop(self);
        let (log, _) = Self::open_with(&root, files)?;
        Ok((log, outcome))
    }

    /// Writes and syncs a new journal without the payloads of the events for which `selected` returns true. Returns it
    /// with the numbers of purged events and bytes. Events that were purged before or have an empty payload are not
    /// passed to `selected`. `events` follow at the end, recorded at `at`.
    fn write_purged_journal(
        &self,
        mut selected: impl FnMut(&Recorded) -> bool,
        at: Timestamp,
        events: &[NewEvent],
    ) -> Result<(ReadableJournal, PurgeOutcome), LogError> {
        let path = self.root.join(NEW_JOURNAL);
        let write_error = |error| LogError::io("write", &path)(error);
        let old_journal = self.visible().readable.clone();
        let file = self.files.open(&path, Mode::Replace).map_err(LogError::io("create", &path))?;
        let mut cursor = Cursor::new(&*old_journal.file, FrameBoundary::START.offset, old_journal.end.offset);
        let (mut unwritten, mut file_length) = (journal::encode_header().to_vec(), 0);
        let mut offsets = Offsets::default();
        let (mut end, mut outcome) = (FrameBoundary::START, PurgeOutcome::default());
        while end.position < old_journal.end.position {
            let step = cursor.next().map_err(LogError::io("read", &old_journal.path))?;
            let frame = step.frame_at(end.position.next(), &old_journal.path)?;
            offsets.add(frame.position(), end.offset);
            let frame_start = unwritten.len();
            let event = frame.to_recorded();
            if frame.purged().is_none() && !event.event.payload.is_empty() && selected(&event) {
                frame.write_purged(&mut unwritten);
                outcome.events += 1;
                outcome.bytes += event.event.payload.len() as u64;
            } else {
                unwritten.extend_from_slice(frame.bytes());
            }
            let length = (unwritten.len() - frame_start) as u64;
            end = FrameBoundary::after(&frame, end.offset + length);
            if WRITE_BYTES <= unwritten.len() || end.position == old_journal.end.position {
                files::write_full(&*file, file_length, &unwritten).map_err(write_error)?;
                file_length += unwritten.len() as u64;
                unwritten.clear();
            }
        }
        for event in events {
            let (position, recorded_at) = (end.position.next(), end.recorded_at.max(at));
            let recorded = Recorded::new(position, recorded_at, event.clone());
            offsets.add(position, end.offset);
            // Each event is a batch and a barrier of its own.
            let chain = frame::encode(&mut unwritten, &recorded, 0, false, end.chain);
            end = FrameBoundary {
                position,
                chain,
                recorded_at,
                offset: end.offset + frame::recorded_size(&recorded) as u64,
            };
        }
        files::write_full(&*file, file_length, &unwritten).map_err(write_error)?;
        file.sync_data().map_err(LogError::io("sync", &path))?;
        Ok((ReadableJournal { path, file, end, offsets }, outcome))
    }

    /// Builds the index of the purged journal, and copies the checkpoints without state to it.
    fn write_purged_index(&self, journal: &ReadableJournal) -> Result<(), LogError> {
        let path = self.root.join(NEW_INDEX);
        let index_error =
            |failure: IndexFailure| LogError::Stopped { path: path.clone(), cause: failure.to_string().into() };
        let index = Index::open(&path, &*self.files).map_err(LogError::io("create", &path))?.map_err(index_error)?;
        add_events_after(&index, journal, FrameBoundary::START.position)?.map_err(index_error)?;
        index.copy_positions(&self.index).map_err(index_error)
    }
}

/// Returns the paths of the files in the log's directory that earlier repairs have moved aside.
fn old_copies(root: &Path, files: &dyn Files) -> Result<Vec<PathBuf>, LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let old = names.into_iter().filter(|name| name.to_string_lossy().contains(".damaged-"));
    Ok(old.map(|name| root.join(name)).collect())
}
