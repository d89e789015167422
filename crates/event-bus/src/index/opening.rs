//! Opens the index, and distinguishes transient errors of the system, such as a full disk, from a damaged index.

use std::{
    io::{self, ErrorKind},
    path::Path,
    sync::atomic::AtomicBool,
    thread::sleep,
    time::{Duration, Instant},
};

use super::{Index, IndexFailure, catch_failure};
use crate::files::{self, Files, Mode};

/// Name of the file with the failure that requires a rebuild. It is in the directory of the index, so it is moved aside
/// with a damaged index.
const FAILURE_FILE: &str = "verdict";

/// Maximum length of a stored failure message, in bytes; the rest is cut.
pub(super) const MAX_FAILURE_BYTES: usize = 4 * 1024;

/// Capacity of sled's cache in bytes, which sled treats as a hint. Small, since events are read from the journal: sled
/// is read only to verify the log and to load checkpoints.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum wait for sled's lock. sled's threads release it shortly after sled is closed; other processes are excluded
/// by the log's own lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

impl Index {
    /// Opens or creates the index of a log in a directory. Reads the reason for a rebuild, if one was stored, but does
    /// not verify the content.
    ///
    /// # Errors
    /// The outer error is a transient error of the system, such as a full disk: the index is not damaged. The inner
    /// error means that the index is damaged and must be rebuilt.
    pub(crate) fn open(directory: &Path, files: &dyn Files) -> io::Result<Result<Self, IndexFailure>> {
        check_regular_files(directory)?;
        let store = match open_store(directory)? {
            Ok(store) => store,
            Err(failure) => return Ok(Err(failure)),
        };
        let open = |name| files.open(&directory.join(name), Mode::Write);
        let file = open("db")?;
        // sled never syncs its settings file, and cannot be opened without it.
        for file in [&open("conf")?, &file] {
            file.sync_data()?;
        }
        let failure_file = files.open(&directory.join(FAILURE_FILE), Mode::Create)?;
        let rebuild_reason = match files::read_small(files, &directory.join(FAILURE_FILE), MAX_FAILURE_BYTES) {
            Ok(message) => message
                .filter(|message| !message.is_empty())
                .map(|message| String::from_utf8_lossy(&message).into_owned()),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => Some("its verdict is damaged".to_owned()),
            Err(error) => return Err(error),
        };
        for directory in directory.ancestors().take(2) {
            files.sync_dir(directory)?;
        }
        let failed = AtomicBool::new(false);
        Ok(Ok(Self { store: Some(store), file, failed, failure_file, rebuild_reason }))
    }
}

/// Checks that a directory contains only files and directories, since sled would wait for a FIFO.
fn check_regular_files(directory: &Path) -> io::Result<()> {
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        // A file in place of the directory is damage, which is handled when sled opens it.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let path = entry?.path();
        let metadata = std::fs::metadata(&path)?;
        if !metadata.is_file() && !metadata.is_dir() {
            let message = format!("`{}` is not a regular file", path.display());
            return Err(io::Error::new(ErrorKind::InvalidInput, message));
        }
    }
    Ok(())
}

/// Opens or creates sled's database in a directory. Waits at most [`LOCK_TIMEOUT`] for its lock.
///
/// # Errors
/// Those of [`Index::open`]; `WouldBlock` if the lock is still held.
fn open_store(directory: &Path) -> io::Result<Result<sled::Db, IndexFailure>> {
    let config = sled::Config::new().path(directory).flush_every_ms(None).cache_capacity(CACHE_BYTES);
    let start = Instant::now();
    loop {
        let mut transient = None;
        match catch_failure(|| config.open().inspect_err(|error| transient = transient_error(error))) {
            Err(failure) if is_lock_failure(&failure) => {
                if LOCK_TIMEOUT <= start.elapsed() {
                    // A held lock does not mean that the index is damaged.
                    return Err(io::Error::new(ErrorKind::WouldBlock, failure.to_string()));
                }
                sleep(LOCK_TIMEOUT / 1_000);
            }
            outcome => return transient.map_or(Ok(outcome), Err),
        }
    }
}

/// Returns whether sled could not be opened because its lock is held.
fn is_lock_failure(failure: &IndexFailure) -> bool {
    failure.cause.contains("could not acquire lock")
}

/// Returns the I/O error that caused an error of sled, if it is transient, such as a full disk; `None` for any other
/// error, which requires a rebuild of the index.
pub(super) fn transient_error(error: &sled::Error) -> Option<io::Error> {
    let sled::Error::Io(error) = error else { return None };
    is_transient(error).then(|| match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    })
}

/// Returns whether an I/O error can disappear without a repair, such as a full disk, missing permissions or too many
/// open files. Such an error does not mean that a file is damaged.
pub(super) fn is_transient(error: &io::Error) -> bool {
    use ErrorKind::{OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    /// The error numbers `ENFILE` and `EMFILE`, which have no [`ErrorKind`].
    const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];
    let is_transient_kind =
        matches!(error.kind(), OutOfMemory | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull);
    is_transient_kind || error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number))
}
