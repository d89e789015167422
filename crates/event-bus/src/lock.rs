//! The lock file that excludes a second writer and names the process that holds it.

use std::{path::Path, sync::Arc};

use crate::{
    LogError,
    files::{self, File, Files, Mode},
};

const LOCK: &str = "lock";

/// The largest content that is read, in bytes.
const MAX_BYTES: usize = 512;

/// A held lock, which is released when it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "the lock lives as long as the open file")] Arc<dyn File>);

/// Acquires the lock of the log in a directory.
///
/// # Errors
/// [`LogError::InUse`] if another process holds it, [`LogError::Io`].
pub(crate) fn take(files: &dyn Files, log: &Path) -> Result<Lock, LogError> {
    let path = log.join(LOCK);
    let file = files.open(&path, Mode::Create).map_err(LogError::io("open", &path))?;
    if !file.try_lock().map_err(LogError::io("lock", &path))? {
        let text = files::read_small(files, &path, MAX_BYTES).unwrap_or_default().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let by = if text.trim().is_empty() { "another process" } else { text.trim() };
        return Err(LogError::InUse { path: log.to_owned(), by: by.to_owned() });
    }
    let owner = format!("process {}{}\n", std::process::id(), host());
    file.truncate(0).map_err(LogError::io("write", &path))?;
    files::write_full(&*file, 0, owner.as_bytes()).map_err(LogError::io("write", &path))?;
    Ok(Lock(file))
}

/// Returns ` on HOST` for logs on shared disks; empty if the host name is unknown.
fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { String::new() } else { format!(" on {}", name.trim()) }
}
