//! Opens sled, and tells an index that is of no use from a system that refuses at the moment.

use std::{
    io::{self, ErrorKind},
    path::Path,
    sync::atomic::AtomicBool,
    thread::sleep,
    time::{Duration, Instant},
};

use super::{Failure, Index, guard};
use crate::files::{self, Files, Mode};

/// The file that says why the index must be built again. It goes with the index when that is moved aside.
const VERDICT: &str = "verdict";

/// The most that is kept of what a failure says, in bytes.
pub(super) const MOST_WORDS: usize = 4 * 1024;

/// What sled may keep in memory, in bytes. It treats this as a hint. Little: events are read from the journal, never from
/// sled, but for a log that is checked or a state that is loaded.
const CACHE_BYTES: u64 = 4 * 1024 * 1024;

/// How long sled's threads may hold the lock on its file after it was closed. They end soon after, not before; other
/// processes are kept out by the log's own lock.
const RELEASED_WITHIN: Duration = Duration::from_secs(2);

impl Index {
    /// Opens or creates the index in a directory. Says nothing about whether its content is right.
    ///
    /// The outer error is a refusal of the system, such as a full disk: the index may be as good as ever.
    pub(crate) fn open(directory: &Path, files: &dyn Files) -> io::Result<Result<Self, Failure>> {
        let store = match open_store(directory)? {
            Ok(store) => store,
            Err(failure) => return Ok(Err(failure)),
        };
        let open = |name| files.open(&directory.join(name), Mode::Write);
        let file = open("db")?;
        // sled never syncs its settings, and without them it does not open again.
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

fn open_store(directory: &Path) -> io::Result<Result<sled::Db, Failure>> {
    let config = sled::Config::new().path(directory).flush_every_ms(None).cache_capacity(CACHE_BYTES);
    let begun = Instant::now();
    loop {
        let mut refusal = None;
        match guard(|| config.open().inspect_err(|error| refusal = refusal_of(error))) {
            Err(failure) if is_of_a_lock(&failure) => {
                if RELEASED_WITHIN <= begun.elapsed() {
                    // That says nothing about what is in it.
                    return Err(io::Error::new(ErrorKind::WouldBlock, failure.to_string()));
                }
                sleep(RELEASED_WITHIN / 1_000);
            }
            outcome => return refusal.map_or(Ok(outcome), Err),
        }
    }
}

fn is_of_a_lock(failure: &Failure) -> bool {
    failure.0.contains("could not acquire lock")
}

/// An error that says nothing about the index: it goes away with its cause, and nothing has to be built again.
pub(super) fn refusal_of(error: &sled::Error) -> Option<io::Error> {
    let sled::Error::Io(error) = error else { return None };
    is_passing(error).then(|| match error.raw_os_error() {
        Some(number) => io::Error::from_raw_os_error(number),
        None => io::Error::new(error.kind(), error.to_string()),
    })
}

/// Whether an error goes away with its cause.
pub(super) fn is_passing(error: &io::Error) -> bool {
    use ErrorKind::{OutOfMemory, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    /// `ENFILE` and `EMFILE`, which have no kind.
    const TOO_MANY_OPEN_FILES: [i32; 2] = [23, 24];
    let passing =
        matches!(error.kind(), OutOfMemory | PermissionDenied | QuotaExceeded | ReadOnlyFilesystem | StorageFull);
    passing || error.raw_os_error().is_some_and(|number| TOO_MANY_OPEN_FILES.contains(&number))
}
