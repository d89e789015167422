//! [`FileAge`], by which the engine decides whether a file is complete and whether it has changed.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

use skill_files::{SETTLED, Stamp};

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
        let stamp = Stamp::from_metadata(&metadata);
        match stamp.age(SystemTime::now()) {
            Some(age) if SETTLED <= age => Self::Settled(stamp),
            Some(_) => Self::Recent,
            None => Self::Unknown,
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
