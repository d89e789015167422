//! The files under the log, as a seam: the operating system's, or ones a test looks into.

mod failing;
mod recording;
mod system;

use std::{
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

pub use failing::{FailingFiles, Fault, FaultKind, Operation};
pub use recording::{Change, Disk, Image, RecordingFiles, Survival};
pub use system::SystemFiles;

/// How a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// To read a file that exists.
    Read,
    /// To read and write a file that exists.
    Write,
    /// To read and write a file that may not exist yet.
    Create,
    /// To read and write an empty file, whatever was there before.
    Replace,
}

/// Directories and names. Everything the log does to the disk outside sled goes through here.
pub trait Files: fmt::Debug + Send + Sync + 'static {
    /// Creates one directory for this user alone; false when it exists.
    ///
    /// # Errors
    /// As the operating system has it, on every call of this trait.
    fn create_dir(&self, path: &Path) -> io::Result<bool>;

    /// Opens a file; one that is created is for this user alone.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>>;

    /// Gives a file or directory another name, replacing a file that has it.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// The names in a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Makes the names in a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file.
pub trait File: fmt::Debug + Send + Sync + 'static {
    /// Reads at an offset, as far as one call goes; 0 at the end.
    ///
    /// # Errors
    /// As the operating system has it, on every call of this trait.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes at an offset, as far as one call goes.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Bytes in the file.
    fn length(&self) -> io::Result<u64>;

    /// Cuts the file to a length.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Makes content and length durable.
    fn sync_data(&self) -> io::Result<()>;

    /// Takes the file's lock until the file is closed; false when another process has it.
    fn try_lock(&self) -> io::Result<bool>;
}

/// Fills `into` from an offset, or as much of it as the file has.
pub(crate) fn read_full(file: &dyn File, offset: u64, into: &mut [u8]) -> io::Result<usize> {
    let mut read = 0;
    while read < into.len() {
        match file.read_at(offset + read as u64, &mut into[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(read)
}

/// Writes all of `bytes` at an offset.
pub(crate) fn write_full(file: &dyn File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    let mut written = 0;
    while written < bytes.len() {
        match file.write_at(offset + written as u64, &bytes[written..]) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => written += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// All of a file that has at most `limit` bytes, or `None` when there is no such file.
pub(crate) fn read_small(files: &dyn Files, path: &Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let file = match files.open(path, Mode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let length = usize::try_from(file.length()?).unwrap_or(usize::MAX);
    if limit < length {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("{length} bytes, at most {limit} expected")));
    }
    let mut bytes = vec![0; length];
    let read = read_full(&*file, 0, &mut bytes)?;
    bytes.truncate(read);
    Ok(Some(bytes))
}

/// Puts a file in place as a whole: after a crash there is the old one or the new one.
pub(crate) fn replace(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new = path.with_file_name(name);
    let file = files.open(&new, Mode::Replace)?;
    write_full(&*file, 0, bytes)?;
    file.sync_data()?;
    files.rename(&new, path)?;
    files.sync_dir(parent(path))
}

/// Creates a directory and those above it, durably.
pub(crate) fn ensure_dir(files: &dyn Files, path: &Path) -> io::Result<()> {
    let created = match files.create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.parent().is_some() => {
            ensure_dir(files, parent(path))?;
            files.create_dir(path)?
        }
        other => other?,
    };
    if created { files.sync_dir(parent(path)) } else { Ok(()) }
}

/// Removes a file, or a directory with everything in it; there may be nothing to remove.
pub(crate) fn remove_tree(files: &dyn Files, path: &Path) -> io::Result<()> {
    let names = match files.list(path) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return files.remove(path),
        Err(error) => return Err(error),
    };
    names.iter().try_for_each(|name| remove_tree(files, &path.join(name)))?;
    files.remove_dir(path)
}

/// Whether a name exists in a directory.
pub(crate) fn exists(files: &dyn Files, path: &Path) -> io::Result<bool> {
    Ok(files.list(parent(path))?.iter().any(|name| Some(name.as_os_str()) == path.file_name()))
}

/// Moves a damaged file or directory out of the way, to the first free `NAME.damaged-N`, and says where it went.
pub(crate) fn move_aside(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    files.rename(path, &aside)?;
    files.sync_dir(parent(path))?;
    Ok(aside)
}

/// Keeps a copy of a small file under the name [`move_aside`] would give it.
pub(crate) fn copy_aside(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    replace(files, &aside, bytes)?;
    Ok(aside)
}

fn free_name(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let taken = files.list(parent(path))?;
    // One of them is free: there are more candidates than names.
    let mut candidates = (0..=taken.len()).map(|number| format!("{name}.damaged-{}", number + 1));
    let free = candidates.find(|candidate| !taken.iter().any(|taken| taken == candidate.as_str()));
    Ok(path.with_file_name(free.unwrap_or_default()))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        // A relative name stands in the directory the process works in.
        _ => Path::new("."),
    }
}
