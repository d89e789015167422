//! [`Stamp`], with which a change of a file is noticed without reading it.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// The age from which a file is settled: its writer has finished, and its times identify its content. The kernel's clock for
/// these times advances in steps of up to 10 ms, so two changes within a step have equal times.
const SETTLED: Duration = Duration::from_millis(100);

/// The longest time to wait for a file to settle.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Waits until a file has not been written for 100 ms, so that it is not read while a program writes it. Returns at once
/// for an older or missing file, and after 2 s in any case.
pub fn wait_until_settled(path: &Path) {
    let deadline = Instant::now() + LONGEST_WAIT;
    while FileAge::of(path) == FileAge::Recent && Instant::now() < deadline {
        thread::sleep(SETTLED / 10);
    }
}

/// Identity, length and times of a file. A settled file with an equal stamp has equal content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
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

/// The age of a file's last change, by which the engine decides whether its content is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileAge {
    /// At least 100 ms ago: its content is complete, and the stamp identifies it.
    Settled(Stamp),
    /// Within the last 100 ms: it may still be written.
    Recent,
    /// In the future, as after a change of the system's clock, or unknown.
    Unknown,
}

impl FileAge {
    /// Reads the times of a file. Takes a few microseconds on a local file system.
    pub(crate) fn of(path: &Path) -> Self {
        let Ok(metadata) = fs::metadata(path) else { return Self::Unknown };
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        let (Ok(seconds), Ok(nanoseconds)) = (u64::try_from(changed.0), u32::try_from(changed.1)) else {
            return Self::Unknown;
        };
        let changed_at = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        match SystemTime::now().duration_since(changed_at) {
            Ok(age) if SETTLED <= age => Self::Settled(Stamp {
                device: metadata.dev(),
                inode: metadata.ino(),
                length: metadata.len(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed,
            }),
            Ok(_) => Self::Recent,
            Err(_) => Self::Unknown,
        }
    }

    /// The stamp of a settled file; `None` for any other.
    pub(crate) const fn stamp(self) -> Option<Stamp> {
        match self {
            Self::Settled(stamp) => Some(stamp),
            Self::Recent | Self::Unknown => None,
        }
    }
}
