//! Finds session files below a folder.

use std::{
    cmp::Ordering,
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use event_core::Timestamp;

/// A session file that [`discover`] found, with its size and the first time in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Path of the file.
    pub path: PathBuf,
    /// Size in bytes.
    pub bytes: u64,
    /// First time in the file; `None` if its first MiB contains none.
    pub first: Option<Timestamp>,
}

impl SessionFile {
    /// Compares two files by first time, then by path, so that copied history follows its original. Files without a
    /// time are last.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        (self.first.is_none(), self.first, &self.path).cmp(&(other.first.is_none(), other.first, &other.path))
    }
}

/// An error of finding session files: a folder or file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{}`", path.display())]
pub struct DiscoverError {
    /// Path of the folder or file.
    pub path: PathBuf,
    /// Error of the operating system.
    pub source: io::Error,
}

/// Number of bytes at the start of a file that are searched for a time.
const MAX_SEARCHED_BYTES: u64 = 1024 * 1024;

/// Properties of a file format by which [`discover`] finds and sorts its session files.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Returns whether a file is a session file, by its name.
    pub is_session: fn(&str) -> bool,
    /// Returns the time of a line; `None` if it has none.
    pub time_of: fn(&str) -> Option<Timestamp>,
}

/// Returns all session files below a folder, or the single file at `path` with any name.
///
/// Sorted by first time, then by path, so that copied history follows its original. Files without a time are last.
/// Links to folders are not followed.
///
/// # Errors
/// [`DiscoverError`] for the first folder or file that cannot be read.
pub fn discover(path: &Path, search: Search) -> Result<Vec<SessionFile>, DiscoverError> {
    let mut files = Vec::new();
    let metadata = fs::metadata(path).map_err(|source| DiscoverError { path: path.to_owned(), source })?;
    if metadata.is_dir() {
        collect_files(path, search, &mut files)?;
    } else {
        files.push(read_entry(path.to_owned(), metadata.len(), search)?);
    }
    files.sort_by(SessionFile::compare);
    Ok(files)
}

/// Adds the session files below a folder to `files`, recursively.
fn collect_files(folder: &Path, search: Search, files: &mut Vec<SessionFile>) -> Result<(), DiscoverError> {
    let error = |source| DiscoverError { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(error)?;
        if kind.is_dir() {
            collect_files(&path, search, files)?;
        } else if entry.file_name().to_str().is_some_and(search.is_session) {
            let metadata = fs::metadata(&path).map_err(|source| DiscoverError { path: path.clone(), source })?;
            if metadata.is_file() {
                files.push(read_entry(path, metadata.len(), search)?);
            }
        }
    }
    Ok(())
}

/// Reads the first time in a session file of `bytes` bytes, and returns the file's path, size and first time.
fn read_entry(path: PathBuf, bytes: u64, search: Search) -> Result<SessionFile, DiscoverError> {
    match first_time(&path, search) {
        Ok(first) => Ok(SessionFile { path, bytes, first }),
        Err(source) => Err(DiscoverError { path, source }),
    }
}

/// Returns the first time in the first MiB of a session file; `None` if it has none.
fn first_time(path: &Path, search: Search) -> io::Result<Option<Timestamp>> {
    let mut beginning = BufReader::new(fs::File::open(path)?.take(MAX_SEARCHED_BYTES));
    let mut line = Vec::new();
    while 0 < beginning.read_until(b'\n', &mut line)? {
        let time = std::str::from_utf8(&line).ok().and_then(search.time_of);
        if time.is_some() {
            return Ok(time);
        }
        line.clear();
    }
    Ok(None)
}
