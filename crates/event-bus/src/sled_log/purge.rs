//! Removing payloads for good: hashes take their places, every event stays where it is, and the chain still holds.
//!
//! The new journal and the new index are written beside the old ones. Giving the new index its second name is the
//! point of no return: before it an interrupted purge is undone when the log is opened, after it it is carried on.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use event_core::Recorded;

use super::{SledLog, index_check::build};
use crate::{
    LogError,
    files::{self, Files, Mode},
    index::{Failure, INDEX, Index},
    journal::{self, Cursor, End, JOURNAL, Offsets, Readable},
};

/// The new journal and the new index while they are written.
const NEW_JOURNAL: &str = "journal.purging";
const NEW_INDEX: &str = "index.purging";
/// The new index once both are complete.
const PURGED_INDEX: &str = "index.purged";

/// Bytes written at once.
const CHUNK: usize = 128 * 1024;

/// What a purge removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurgeOutcome {
    /// Events that lost their payload.
    pub events: u64,
    /// Bytes of payload that are gone.
    pub bytes: u64,
    /// Copies that repairs kept aside, which may hold the same payloads. They are left alone.
    pub old_copies: Vec<PathBuf>,
}

impl SledLog {
    /// Removes the payloads of the selected events from the journal and the index, and opens the log again. What is
    /// saved under names is dropped, as it may have been made from them; places without a state are kept.
    ///
    /// Costs as much as reading and writing the whole log. A crash leaves the log as it was or as it should be. What
    /// the disk does with blocks no file uses any more is not in the log's hands.
    ///
    /// # Errors
    /// [`LogError`] when something cannot be written; the log is then as it was, or is finished by the next opening.
    pub fn purge(self, selected: impl FnMut(&Recorded) -> bool) -> Result<(Self, PurgeOutcome), LogError> {
        use crate::EventLog as _;
        self.close()?;
        let (root, files) = (self.root.clone(), Arc::clone(&self.files));
        let old_copies = old_copies(&root, &*files)?;
        let (journal, purged) = self.write_journal_without(selected)?;
        let purged = PurgeOutcome { old_copies, ..purged };
        if purged.events != 0 {
            self.write_index_of(&journal)?;
            let complete = || {
                files.rename(&root.join(NEW_INDEX), &root.join(PURGED_INDEX))?;
                files.sync_dir(&root)
            };
            complete().map_err(LogError::io("rename", root.join(NEW_INDEX)))?;
        }
        // sled lets go of the old index; opening the log carries the purge on, or clears away what it did not need.
        drop(self);
        let (log, _) = Self::open_with(&root, files)?;
        Ok((log, purged))
    }

    fn write_journal_without(
        &self,
        mut selected: impl FnMut(&Recorded) -> bool,
    ) -> Result<(Readable, PurgeOutcome), LogError> {
        let path = self.root.join(NEW_JOURNAL);
        let wrote = |error| LogError::io("write", &path)(error);
        let old = self.visible().readable.clone();
        let file = self.files.open(&path, Mode::Replace).map_err(LogError::io("create", &path))?;
        let mut cursor = Cursor::new(&*old.file, End::START.offset, old.end.offset);
        let (mut pending, mut written) = (journal::header().to_vec(), 0);
        let mut offsets = Offsets::default();
        let (mut end, mut purged) = (End::START, PurgeOutcome::default());
        while end.position < old.end.position {
            let step = cursor.next().map_err(LogError::io("read", &old.path))?;
            let frame = step.at(end.position.next(), &old.path)?;
            offsets.note(frame.position(), end.offset);
            let before = pending.len();
            let event = frame.event();
            if frame.purged().is_none() && !event.event.payload.is_empty() && selected(&event) {
                frame.purge(&mut pending);
                purged.events += 1;
                purged.bytes += event.event.payload.len() as u64;
            } else {
                pending.extend_from_slice(frame.bytes());
            }
            let length = (pending.len() - before) as u64;
            end = End::after(&frame, end.offset + length);
            if CHUNK <= pending.len() || end.position == old.end.position {
                files::write_full(&*file, written, &pending).map_err(wrote)?;
                written += pending.len() as u64;
                pending.clear();
            }
        }
        file.sync_data().map_err(LogError::io("sync", &path))?;
        Ok((Readable { path, file, end, offsets }, purged))
    }

    fn write_index_of(&self, journal: &Readable) -> Result<(), LogError> {
        let path = self.root.join(NEW_INDEX);
        let failed = |failure: Failure| LogError::Stopped { path: path.clone(), cause: failure.to_string().into() };
        let index = Index::open(&path, &*self.files).map_err(LogError::io("create", &path))?.map_err(failed)?;
        build(&index, journal, End::START.position)?.map_err(failed)?;
        index.take_places(&self.index).map_err(failed)
    }
}

/// Carries on a purge whose new files are complete, and clears away what one that was interrupted earlier has left.
pub(crate) fn finish(root: &Path, files: &dyn Files) -> Result<(), LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let is_there = |name: &str| names.iter().any(|there| there == name);
    let [new_journal, new_index, purged_index] = [NEW_JOURNAL, NEW_INDEX, PURGED_INDEX].map(|name| root.join(name));
    let finish = || {
        if is_there(PURGED_INDEX) {
            // The name says that both are complete; it must outlast what is done because of it.
            files.sync_dir(root)?;
            if is_there(NEW_JOURNAL) {
                files.rename(&new_journal, &root.join(JOURNAL))?;
                files.sync_dir(root)?;
            }
            files::remove_tree(files, &root.join(INDEX))?;
            files.rename(&purged_index, &root.join(INDEX))?;
        } else if is_there(NEW_JOURNAL) || is_there(NEW_INDEX) {
            files::remove_tree(files, &new_journal)?;
            files::remove_tree(files, &new_index)?;
        } else {
            return Ok(());
        }
        files.sync_dir(root)
    };
    finish().map_err(LogError::io("finish the purge of", root))
}

/// What repairs have kept aside.
fn old_copies(root: &Path, files: &dyn Files) -> Result<Vec<PathBuf>, LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let old = names.into_iter().filter(|name| name.to_string_lossy().contains(".damaged-"));
    Ok(old.map(|name| root.join(name)).collect())
}
