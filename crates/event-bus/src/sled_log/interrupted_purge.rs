//! The files of a purge that is being written, and the completion of an interrupted purge when the log is opened.

use std::path::Path;

use crate::{
    LogError,
    files::{self, Files},
    index::INDEX,
    journal::JOURNAL,
};

/// Name of the new journal while it is written.
pub(super) const NEW_JOURNAL: &str = "journal.purging";
/// Name of the new index while it is written.
pub(super) const NEW_INDEX: &str = "index.purging";
/// Name of the new index when new journal and new index are complete.
pub(super) const PURGED_INDEX: &str = "index.purged";

/// Completes a purge of payloads that a crash interrupted, if its new journal and index were complete. Otherwise
/// removes its files. Does nothing if there was none. `root` is the directory of the log.
pub(crate) fn complete(root: &Path, files: &dyn Files) -> Result<(), LogError> {
    let names = files.list(root).map_err(LogError::io("list", root))?;
    let exists = |name: &str| names.iter().any(|existing| existing == name);
    let [new_journal, new_index, purged_index] = [NEW_JOURNAL, NEW_INDEX, PURGED_INDEX].map(|name| root.join(name));
    let complete = || {
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
    complete().map_err(LogError::io("finish the purge of", root))
}
