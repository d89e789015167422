//! Finding session files.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use event_core::Timestamp;

/// A session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The first time in it; `None` when its beginning holds none.
    pub first: Option<Timestamp>,
}

/// A folder or file that cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[error("cannot read `{}`", path.display())]
pub struct DiscoverError {
    /// The folder or file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// How much of a file is searched for its first time, in bytes.
const BEGINNING: u64 = 1024 * 1024;

/// What tells the session files of a format from other files.
#[derive(Debug, Clone, Copy)]
pub struct Search {
    /// Whether a file below the folder is a session file, by its name.
    pub is_session: fn(&str) -> bool,
    /// The time of a line, when it has one.
    pub time_of: fn(&str) -> Option<Timestamp>,
}

/// All session files below a folder, or the one file that `path` names whatever its name, by first time and then by
/// name, so that history that was copied comes after its original. Files without a time come last. Links to folders
/// are not followed.
///
/// # Errors
/// [`DiscoverError`] for the first folder or file that cannot be read.
pub fn discover(path: &Path, search: Search) -> Result<Vec<SessionFile>, DiscoverError> {
    let mut files = Vec::new();
    let metadata = fs::metadata(path).map_err(|source| DiscoverError { path: path.to_owned(), source })?;
    if metadata.is_dir() {
        walk(path, search, &mut files)?;
    } else {
        files.push(look_at(path.to_owned(), metadata.len(), search)?);
    }
    files.sort_by(|a, b| (a.first.is_none(), a.first, &a.path).cmp(&(b.first.is_none(), b.first, &b.path)));
    Ok(files)
}

fn walk(folder: &Path, search: Search, files: &mut Vec<SessionFile>) -> Result<(), DiscoverError> {
    let error = |source| DiscoverError { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(error)?;
        if kind.is_dir() {
            walk(&path, search, files)?;
        } else if entry.file_name().to_str().is_some_and(search.is_session) {
            let metadata = fs::metadata(&path).map_err(|source| DiscoverError { path: path.clone(), source })?;
            if metadata.is_file() {
                files.push(look_at(path, metadata.len(), search)?);
            }
        }
    }
    Ok(())
}

fn look_at(path: PathBuf, bytes: u64, search: Search) -> Result<SessionFile, DiscoverError> {
    match first_time(&path, search) {
        Ok(first) => Ok(SessionFile { path, bytes, first }),
        Err(source) => Err(DiscoverError { path, source }),
    }
}

fn first_time(path: &Path, search: Search) -> io::Result<Option<Timestamp>> {
    let mut beginning = BufReader::new(fs::File::open(path)?.take(BEGINNING));
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
