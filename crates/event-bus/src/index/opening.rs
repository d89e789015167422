//! Opens sled and separates transient errors of the system from a damaged index.

use std::{
    io::{self, ErrorKind},
    path::Path,
    sync::atomic::AtomicBool,
    thread::sleep,
    time::{Duration, Instant},
};

use super::{Failure, Index, guard};
use crate::files::{self, Files, Mode};

/// The file that holds the reason for a rebuild of the index. It is inside the index directory, so it is moved aside with it.
const VERDICT: &str = "verdict";

/// The longest failure message that is stored, in bytes.
pub(super) const MOST_WORDS: usize = 4 * 1024;

/// sled's cache capacity, in bytes; sled treats it as a hint. Small, since events are read from the journal: sled is read only
/// to verify the log and to load checkpoints.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// How long to wait for sled's lock. sled's threads release it shortly after sled is closed; other processes are excluded by
/// the log's own lock.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);

impl Index {
    /// Opens or creates the index in a directory. Does not verify its content.
    ///
    /// The outer error is transient, such as a full disk, and does not mean that the index is damaged; the inner one does.
    pub(crate) fn open(directory: &Path, files: &dyn Files) -> io::Result<Result<Self, Failure>> {
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
        let verdict = files.open(&directory.join(VERDICT), Mode::Create)?;
        let distrusted = match files::read_small(files, &directory.join(VERDICT), MOST_WORDS) {
            Ok(words) => {
                words.filter(|words| !words.is_empty()).map(|words| String::from_utf8_lossy(&words).into_owned())
            }
            Err(error) if error.kind() == ErrorKind::FileTooLarge => Some("its verdict is damaged".to_owned()),
            Err(error) => return Err(error),
        };
        for directory in directory.ancestors().take(2) {
            files.sync_dir(directory)?;
        }
        let failed = AtomicBool::new(false);
        Ok(Ok(Self { store: Some(store), file, failed, verdict, distrusted }))
    }
}

/// Opens sled's database, and waits for its lock. Outer and inner error as for [`Index::open`].
fn open_store(directory: &Path) -> io::Result<Result<sled::Db, Failure>> {
    let config = sled::Config::new().path(directory).flush_every_ms(None).cache_capacity(CACHE_BYTES);
    let begun = Instant::now();
    loop {
        let mut refusal = None;
        match guard(|| config.open().inspect_err(|error| refusal = refusal_of(error))) {
            Err(failure) if is_of_a_lock(&failure) => {
                if RELEASED_WITHIN <= begun.elapsed() {
                    // A held lock does not mean that the index is damaged.
                    return Err(io::Error::new(ErrorKind::WouldBlock, failure.to_string()));
                }
                sleep(RELEASED_WITHIN / 1_000);
            }
            outcome => return refusal.map_or(Ok(outcome), Err),
        }
    }
}

/// Returns whether a failure means that sled's lock is held.
fn is_of_a_lock(failure: &Failure) -> bool {
    failure.0.contains("could not acquire lock")
}

/// Returns a transient error of the system, which does not require a rebuild; `None` for any other error.
pub(super) fn refusal_of(error: &sled::Error) -> Option<io::Error> {
    let sled::Error::Io(error) = error else { return None };
    is_passing(error).then(|| match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    })
}

/// Returns whether an error is transient: it disappears with its cause, such as a full disk.
pub(super) fn is_passing(error: &io::Error) -> bool {
    use ErrorKind::{OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    /// `ENFILE` and `EMFILE`, which have no [`ErrorKind`].
    const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];
    let passing =
        matches!(error.kind(), OutOfMemory | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull);
    passing || error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number))
}
