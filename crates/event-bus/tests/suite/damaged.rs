//! Copies of a log to damage, and the offsets of the frames in its journal.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::{copy, in_memory};

/// Length of the journal's header in bytes.
pub(crate) const HEADER: usize = 16;

/// A copy of a log to damage.
pub(crate) struct Case {
    directory: TempDir,
}

impl Case {
    pub(crate) fn of(original: &Path) -> Self {
        let directory = in_memory();
        copy(original, directory.path());
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path().join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> &Self {
        fs::write(self.path().join(name), bytes).unwrap();
        self
    }

    pub(crate) fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> &Self {
        let mut bytes = self.read(name);
        change(&mut bytes);
        self.write(name, &bytes)
    }

    pub(crate) fn make_directory(&self, name: &str) -> &Self {
        fs::create_dir(self.path().join(name)).unwrap();
        self
    }

    /// Removes files and directories. Without `HEAD` and `index` no other file confirms the journal.
    pub(crate) fn forget(&self, names: &[&str]) -> &Self {
        for name in names {
            let path = self.path().join(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        self
    }

    /// Replaces files and directories by those of another log.
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

/// Returns the offset of each frame, and the journal's end.
pub(crate) fn begins(journal: &[u8]) -> Vec<usize> {
    let mut begins = vec![HEADER];
    while let Some(length) = journal.get(begins[begins.len() - 1]..).and_then(|rest| rest.first_chunk()) {
        begins.push(begins[begins.len() - 1] + 8 + u32::from_le_bytes(*length) as usize);
    }
    begins
}
