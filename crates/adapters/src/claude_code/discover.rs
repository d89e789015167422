//! Finding session files.

use std::{
    fs,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use event_core::Timestamp;

use super::line::Line;

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

/// All `*.jsonl` files below a folder, or the one file that `path` names, by first time and then by name, so that
/// history that was copied comes after its original. Files without a time come last. Links to folders are not
/// followed.
///
/// # Errors
/// [`DiscoverError`] for the first folder or file that cannot be read.
pub fn discover(path: &Path) -> Result<Vec<SessionFile>, DiscoverError> {
    let mut files = Vec::new();
    let metadata = fs::metadata(path).map_err(|source| DiscoverError { path: path.to_owned(), source })?;
    if metadata.is_dir() {
        walk(path, &mut files)?;
    } else {
        files.push(look_at(path.to_owned(), metadata.len())?);
    }
    files.sort_by(|a, b| (a.first.is_none(), a.first, &a.path).cmp(&(b.first.is_none(), b.first, &b.path)));
    Ok(files)
}

fn walk(folder: &Path, files: &mut Vec<SessionFile>) -> Result<(), DiscoverError> {
    let error = |source| DiscoverError { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(error)? {
        let entry = entry.map_err(error)?;
        let path = entry.path();
        let kind = entry.file_type().map_err(error)?;
        if kind.is_dir() {
            walk(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            let metadata = fs::metadata(&path).map_err(|source| DiscoverError { path: path.clone(), source })?;
            if metadata.is_file() {
                files.push(look_at(path, metadata.len())?);
            }
        }
    }
    Ok(())
}

fn look_at(path: PathBuf, bytes: u64) -> Result<SessionFile, DiscoverError> {
    match first_time(&path) {
        Ok(first) => Ok(SessionFile { path, bytes, first }),
        Err(source) => Err(DiscoverError { path, source }),
    }
}

fn first_time(path: &Path) -> io::Result<Option<Timestamp>> {
    let mut beginning = BufReader::new(fs::File::open(path)?.take(BEGINNING));
    let mut line = Vec::new();
    while 0 < beginning.read_until(b'\n', &mut line)? {
        let time = std::str::from_utf8(&line).ok().and_then(|text| serde_json::from_str::<Line<'_>>(text).ok()?.at());
        if time.is_some() {
            return Ok(time);
        }
        line.clear();
    }
    Ok(None)
}
