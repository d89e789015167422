//! [`Stamp`], with which a change of a file is noticed without reading it.

use std::{
    fs::Metadata,
    os::unix::fs::MetadataExt as _,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

/// The age from which the times of a file identify its content. The clock of the kernel for these times advances in steps
/// of up to 10 ms, so two changes within a step have equal times.
pub const SETTLED: Duration = Duration::from_millis(100);

/// Identity, length and times of a file. A file that has [settled](Self::is_settled) and has an equal stamp has equal
/// content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// The device of the file system.
    device: u64,
    /// The inode number, which identifies the file on its device.
    inode: u64,
    /// The length in bytes.
    length: u64,
    /// Seconds and nanoseconds of the last modification.
    modified: (i64, i64),
    /// Seconds and nanoseconds of the last change of content or metadata. Programs cannot set it.
    changed: (i64, i64),
}

impl Stamp {
    /// Creates the stamp of a file.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns device and inode, which identify a file whatever its path.
    pub fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Returns the time of the last modification; `None` before 1970.
    pub fn modified(&self) -> Option<SystemTime> {
        time(self.modified)
    }

    /// Returns whether the file was changed at least 100 ms before `now`, so that an equal stamp implies equal content.
    /// `false` for a change in the future, as after a correction of the clock.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        self.age(now).is_some_and(|age| SETTLED <= age)
    }

    /// Returns the time from the last change of content or metadata until `now`; `None` if the change is in the future or
    /// before 1970.
    pub fn age(&self, now: SystemTime) -> Option<Duration> {
        time(self.changed).and_then(|changed| now.duration_since(changed).ok())
    }
}

/// Converts seconds and nanoseconds since 1970; `None` for a time before that.
fn time((seconds, nanoseconds): (i64, i64)) -> Option<SystemTime> {
    let since_1970 = Duration::new(u64::try_from(seconds).ok()?, u32::try_from(nanoseconds).ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since_1970)
}
