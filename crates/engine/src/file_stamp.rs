//! [`Stamp`], with which a change of a file is noticed without reading it.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::Path,
    time::{Duration, SystemTime},
};

/// The age from which a file's times identify its content. The kernel's clock for these times advances in steps of up to
/// 10 ms, so two changes within a step have equal times.
const SETTLED: Duration = Duration::from_millis(50);

/// Identity, length and times of a file. A file with an equal stamp has equal content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    length: u64,
    /// Seconds and nanoseconds of the last modification.
    modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of content or metadata. Programs cannot set it.
    changed: (i64, i64),
}

impl Stamp {
    /// Reads the stamp of a file; `None` if it cannot be read, or if the file was changed within the last 50 ms or in the
    /// future. Takes a few microseconds on a local file system.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        let since_epoch = Duration::new(changed.0.try_into().ok()?, changed.1.try_into().ok()?);
        let age = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH + since_epoch).ok()?;
        (SETTLED <= age).then(|| Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed,
        })
    }
}
