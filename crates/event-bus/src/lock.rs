//! The lock file, which excludes a second writer of a log and contains the name of the process that holds the lock.

use std::{path::Path, sync::Arc};

use crate::{
    LogError,
    files::{self, File, Files, Mode},
};

/// Name of the lock file in the log's directory.
const LOCK_FILE: &str = "lock";

/// Maximum size of a lock file that is read, in bytes; a file has about 40.
const MAX_LOCK_BYTES: usize = 512;

/// The exclusive lock of an event log's directory. It is released when this value is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct LogLock(#[expect(dead_code, reason = "the lock lives as long as the open file")] Arc<dyn File>);

/// Acquires the lock of the log in the directory `log`, and writes process id and host name into the lock file.
///
/// # Errors
/// [`LogError::InUse`] if another process holds the lock, [`LogError::Io`] if the lock file cannot be opened or
/// written.
pub(crate) fn acquire(files: &dyn Files, log: &Path) -> Result<LogLock, LogError> {
    let path = log.join(LOCK_FILE);
    let file = files.open(&path, Mode::Create).map_err(LogError::io("open", &path))?;
    if !file.try_lock().map_err(LogError::io("lock", &path))? {
        let content = files::read_small(files, &path, MAX_LOCK_BYTES).unwrap_or_default().unwrap_or_default();
        let content = String::from_utf8_lossy(&content);
        let owner = if content.trim().is_empty() { "another process" } else { content.trim() };
        return Err(LogError::InUse { path: log.to_owned(), by: owner.to_owned() });
    }
    let owner = format!("process {}{}\n", std::process::id(), on_host());
    file.truncate(0).map_err(LogError::io("write", &path))?;
    files::write_full(&*file, 0, owner.as_bytes()).map_err(LogError::io("write", &path))?;
    Ok(LogLock(file))
}

/// Returns ` on HOST` with the name of this host, which is written into the lock file because a log on a shared disk
/// may be locked by another host. Empty if the name is unknown.
fn on_host() -> String {
    let uname = rustix::system::uname();
    let name = uname.nodename().to_string_lossy();
    if name.is_empty() { String::new() } else { format!(" on {name}") }
}
