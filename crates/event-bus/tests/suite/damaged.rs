//! [`Case`], a copy of a log to damage, and the offsets of the frames in a journal.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::{copy, in_memory};

/// Length of the journal's header in bytes.
pub(crate) const HEADER: usize = 16;

/// A copy of a log to damage, removed when this value is dropped. Names are relative to the log's directory.
pub(crate) struct Case {
    /// Directory of the copy.
    directory: TempDir,
}

impl Case {
    /// Copies the log in the directory `original`.
    pub(crate) fn of(original: &Path) -> Self {
        let directory = in_memory();
        copy(original, directory.path());
        Self { directory }
    }

    /// Returns the directory of the copy.
    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the content of a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    /// Replaces the content of a file.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> &Self {
        fs::write(self.path().join(name), bytes).unwrap();
        self
    }

    /// Replaces the content of a file by the result of `change`.
    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> &Self {
        let mut bytes = self.read(name);
        change(&mut bytes);
        self.write(name, &bytes)
    }

    /// Creates an empty directory.
    pub(crate) fn make_directory(&self, name: &str) -> &Self {
        fs::create_dir(self.path().join(name)).unwrap();
        self
    }

    /// Removes files and directories. Without `HEAD` and `index`, no other file confirms the journal.
    pub(crate) fn forget(&self, names: &[&str]) -> &Self {
        for name in names {
            let path = self.path().join(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        self
    }

    /// Replaces files and directories by those of the log in the directory `other`.
    pub(crate) fn take(&self, other: &Path, names: &[&str]) -> &Self {
        self.forget(names);
        for name in names {
            let (from, to) = (other.join(name), self.path().join(name));
            if from.is_dir() {
                copy(&from, &to);
            } else {
                fs::copy(from, to).unwrap();
            }
        }
        self
    }
}

/// Returns the offset of each frame in the bytes of a journal, then the offset of the end of the last.
pub(crate) fn begins(journal: &[u8]) -> Vec<usize> {
    let mut begins = vec![HEADER];
    while let Some(length) = journal.get(begins[begins.len() - 1]..).and_then(|rest| rest.first_chunk()) {
        begins.push(begins[begins.len() - 1] + 8 + u32::from_le_bytes(*length) as usize);
    }
    begins
}
