//! Purges payloads: replaces them by their hashes. All events keep their positions, and the hash chain remains valid.
//!
//! The new journal and the new index are written beside the old ones. The rename of the new index to its final
//! temporary name is the point of no return: an interrupted purge is undone before it and completed after it, when the
//! log is opened.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use event_core::Recorded;

use super::{SledLog, index_check::add_events_after};
use crate::{
    LogError,
    files::{self, Files, Mode},
    index::{INDEX, Index, IndexFailure},
    journal::{self, Cursor, FrameBoundary, JOURNAL, Offsets, ReadableJournal},
};

/// Name of the new journal while it is written.
const NEW_JOURNAL: &str = "journal.purging";
/// Name of the new index while it is written.
const NEW_INDEX: &str = "index.purging";
/// Name of the new index when new journal and new index are complete.
const PURGED_INDEX: &str = "index.purged";

/// Minimum number of bytes written at once, except for the last write.
const WRITE_BYTES: usize = 128 * 1024;

/// Result of a purge.
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
    /// again. Checkpoints with a state are removed, since the state may contain purged content; those without a state,
    /// such as positions of reactors, are copied.
    ///
    /// Reads and rewrites the complete log. After a crash the log is either unchanged or completely purged. The log
    /// does not control when the disk erases freed blocks.
    ///
    /// # Errors
    /// [`LogError`] if a file cannot be read or written. The log is then unchanged, or the purge is completed at the
    /// next opening.
    pub fn purge(self, selected: impl FnMut(&Recorded) -> bool) -> Result<(Self, PurgeOutcome), LogError> {
        use crate::EventLog as _;
        self.close()?;
        let (root, files) = (self.root.clone(), Arc::clone(&self.files));
        let old_copies = old_copies(&root, &*files)?;
        let (journal, purged) = self.write_purged_journal(selected)?;
        let purged = PurgeOutcome { old_copies, ..purged };
        if purged.events != 0 {
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
        Ok((log, purged))
    }

    /// Writes the new journal without the payloads of the selected events, and syncs it. Returns it with the numbers of
    /// purged events and bytes. Events that were purged before or have an empty payload are not selected.
    fn write_purged_journal(
        &self,
        mut selected: impl FnMut(&Recorded) -> bool,
    ) -> Result<(ReadableJournal, PurgeOutcome), LogError> {
        let path = self.root.join(NEW_JOURNAL);
        let write_error = |error| LogError::io("write", &path)(error);
        let old = self.visible().readable.clone();
        let file = self.files.open(&path, Mode::Replace).map_err(LogError::io("create", &path))?;
        let mut cursor = Cursor::new(&*old.file, FrameBoundary::START.offset, old.end.offset);
        let (mut pending, mut written) = (journal::encode_header().to_vec(), 0);
        let mut offsets = Offsets::default();
        let (mut end, mut purged) = (FrameBoundary::START, PurgeOutcome::default());
        while end.position < old.end.position {
            let step = cursor.next().map_err(LogError::io("read", &old.path))?;
            let frame = step.frame_at(end.position.next(), &old.path)?;
            offsets.add(frame.position(), end.offset);
            let before = pending.len();
            let event = frame.to_recorded();
            if frame.purged().is_none() && !event.event.payload.is_empty() && selected(&event) {
                frame.write_purged(&mut pending);
                purged.events += 1;
                purged.bytes += event.event.payload.len() as u64;
            } else {
                pending.extend_from_slice(frame.bytes());
            }
            let length = (pending.len() - before) as u64;
            end = FrameBoundary::after(&frame, end.offset + length);
            if WRITE_BYTES <= pending.len() || end.position == old.end.position {
                files::write_full(&*file, written, &pending).map_err(write_error)?;
                written += pending.len() as u64;
                pending.clear();
            }
        }
        file.sync_data().map_err(LogError::io("sync", &path))?;
        Ok((ReadableJournal { path, file, end, offsets }, purged))
    }

    /// Builds the new index from the new journal, and copies the checkpoints without state.
    fn write_purged_index(&self, journal: &ReadableJournal) -> Result<(), LogError> {
        let path = self.root.join(NEW_INDEX);
        let index_error =
            |failure: IndexFailure| LogError::Stopped { path: path.clone(), cause: failure.to_string().into() };
        let index = Index::open(&path, &*self.files).map_err(LogError::io("create", &path))?.map_err(index_error)?;
        add_events_after(&index, journal, FrameBoundary::START.position)?.map_err(index_error)?;
        index.copy_positions(&self.index).map_err(index_error)
    }
}

/// Completes an interrupted purge if its new journal and index were complete, otherwise removes its files. Does nothing
/// if there was none.
pub(crate) fn complete_interrupted(root: &Path, files: &dyn Files) -> Result<(), LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let exists = |name: &str| names.iter().any(|existing| existing == name);
    let [new_journal, new_index, purged_index] = [NEW_JOURNAL, NEW_INDEX, PURGED_INDEX].map(|name| root.join(name));
    let complete_interrupted = || {
        if exists(PURGED_INDEX) {
            // This name means that both files are complete, so it must be durable before they are used.
            files.sync_dir(root)?;
            if exists(NEW_JOURNAL) {
                files.rename(&new_journal, &root.join(JOURNAL))?;
                files.sync_dir(root)?;
            }
            files::remove_tree(files, &root.join(INDEX))?;
            files.rename(&purged_index, &root.join(INDEX))?;
        } else if exists(NEW_JOURNAL) || exists(NEW_INDEX) {
            files::remove_tree(files, &new_journal)?;
            files::remove_tree(files, &new_index)?;
        } else {
            return Ok(());
        }
        files.sync_dir(root)
    };
    complete_interrupted().map_err(LogError::io("finish the purge of", root))
}

/// Returns the paths of the files that repairs have moved aside.
fn old_copies(root: &Path, files: &dyn Files) -> Result<Vec<PathBuf>, LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let old = names.into_iter().filter(|name| name.to_string_lossy().contains(".damaged-"));
    Ok(old.map(|name| root.join(name)).collect())
}
