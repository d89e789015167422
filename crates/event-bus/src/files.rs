//! The file system interface of the log ([`Files`], [`File`]), implemented by the operating system and by test disks
//! that inject faults or record changes, and helpers for atomic replacement and removal.

#[cfg(feature = "test-disks")]
mod failing;
#[cfg(feature = "test-disks")]
mod recording;
mod system;

use std::{
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

#[cfg(feature = "test-disks")]
pub use failing::{FailingFiles, Fault, FaultKind, Operation};
#[cfg(feature = "test-disks")]
pub use recording::{Change, Disk, Image, RecordingFiles, Survival};
pub use system::SystemFiles;

/// The access mode with which [`Files::open`] opens a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Read an existing file.
    Read,
    /// Read and write an existing file.
    Write,
    /// Read and write a file; create it if it is missing.
    Create,
    /// Read and write a file; create it if it is missing, and truncate it to zero bytes otherwise.
    Replace,
}

/// Operations on directories and file names. The log accesses its files through this trait alone, except in sled and for
/// the files without a name that have the ids of events.
pub trait Files: fmt::Debug + Send + Sync + 'static {
    /// Creates one directory with mode 0700; its parent must exist. Returns false if the directory exists.
    ///
    /// # Errors
    /// The error of the operating system, as in every method of this trait.
    fn create_dir(&self, path: &Path) -> io::Result<bool>;

    /// Opens a file. A file that is created has mode 0600. Fails with `NotFound` if the file does not exist and `mode`
    /// does not create it.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>>;

    /// Renames a file or directory; replaces a file that has the new name. Durable after [`Files::sync_dir`].
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file. Durable after [`Files::sync_dir`].
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory. Durable after [`Files::sync_dir`] of its parent.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Returns the names of the entries of a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Makes the entries of a directory durable: created, renamed and removed names.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Files`] implementation, with reads and writes at explicit offsets.
pub trait File: fmt::Debug + Send + Sync + 'static {
    /// Reads bytes at an offset into a buffer. Returns their number, which may be less than the buffer has room for; 0
    /// at the end of the file.
    ///
    /// # Errors
    /// The error of the operating system, as in every method of this trait.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes bytes at an offset. Returns the number of written bytes, which may be less than `bytes` has.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Returns the length of the file in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Truncates or extends the file to `length` bytes.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Makes the content and the length of the file durable.
    fn sync_data(&self) -> io::Result<()>;

    /// Acquires the exclusive lock of the file, held until the file is closed. Returns false if another process holds
    /// it.
    fn try_lock(&self) -> io::Result<bool>;
}

/// Reads from a file at an offset until `into` is full or the file ends, repeating short and interrupted reads. Returns
/// the number of bytes read.
///
/// # Errors
/// The error of the file system.
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

/// Writes all of `bytes` to a file at an offset, repeating partial and interrupted writes. Fails with `WriteZero` if a
/// write writes nothing.
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

/// Reads a file of at most `limit` bytes; `None` if it does not exist. Fails with `FileTooLarge` if it is larger.
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

/// Replaces the content of a file atomically and durably: writes and syncs `NAME.new`, renames it to `NAME`, and syncs
/// the directory.
///
/// # Errors
/// The error of the file system.
pub(crate) fn replace(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let new_path = path.with_file_name(name);
    let file = files.open(&new_path, Mode::Replace)?;
    write_full(&*file, 0, bytes)?;
    file.sync_data()?;
    files.rename(&new_path, path)?;
    files.sync_dir(parent(path))
}

/// Creates a directory and its missing parents, durably. Does nothing if it exists.
///
/// # Errors
/// The error of the file system.
pub(crate) fn ensure_dir(files: &dyn Files, path: &Path) -> io::Result<()> {
    let is_new = match files.create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path.parent().is_some() => {
            ensure_dir(files, parent(path))?;
            files.create_dir(path)?
        }
        other => other?,
    };
    if is_new { files.sync_dir(parent(path)) } else { Ok(()) }
}

/// Removes a file, or a directory with all its content. Does nothing if it does not exist. The removal is not synced to
/// disk.
///
/// # Errors
/// The error of the file system.
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

/// Returns whether the parent directory of `path` has an entry of that name. Fails if the directory cannot be listed.
pub(crate) fn exists(files: &dyn Files, path: &Path) -> io::Result<bool> {
    Ok(files.list(parent(path))?.iter().any(|name| Some(name.as_os_str()) == path.file_name()))
}

/// Renames a damaged file or directory to the first free name `NAME.damaged-N` (`N` from 1), durably. Returns the new
/// path.
///
/// # Errors
/// The error of the file system.
pub(crate) fn move_aside(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    files.rename(path, &aside)?;
    files.sync_dir(parent(path))?;
    Ok(aside)
}

/// Writes `bytes`, the content of a small damaged file, to the first free name `NAME.damaged-N`, durably. The file
/// itself is not changed. Returns the new path.
///
/// # Errors
/// The error of the file system.
pub(crate) fn copy_aside(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    replace(files, &aside, bytes)?;
    Ok(aside)
}

/// Returns the first path `NAME.damaged-N`, from `N` = 1, that does not exist in the directory of `path`.
///
/// # Errors
/// The error of the file system.
fn free_name(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let existing_names = files.list(parent(path))?;
    // There are more candidates than names, so one is free.
    let mut candidates = (0..=existing_names.len()).map(|number| format!("{name}.damaged-{}", number + 1));
    let free_name =
        candidates.find(|candidate| !existing_names.iter().any(|existing_name| existing_name == candidate.as_str()));
    Ok(path.with_file_name(free_name.unwrap_or_default()))
}

/// Returns the directory of a path; `.` for a bare file name.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        // A bare file name is relative to the working directory.
        _ => Path::new("."),
    }
}
