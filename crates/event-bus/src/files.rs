//! The file system interface of the log, implemented by the operating system and by test disks.

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

/// Access mode in which a file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Read an existing file.
    Read,
    /// Read and write an existing file.
    Write,
    /// Read and write a file, which is created if it is missing.
    Create,
    /// Read and write a file, which is created or truncated.
    Replace,
}

/// Operations on directories and file names. All disk access of the log outside sled goes through this trait.
pub trait Files: fmt::Debug + Send + Sync + 'static {
    /// Creates one directory with mode 0700. Returns false if it exists.
    ///
    /// # Errors
    /// The error of the operating system, as in every method of this trait.
    fn create_dir(&self, path: &Path) -> io::Result<bool>;

    /// Opens a file; a created file has mode 0600.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>>;

    /// Renames a file or directory. Replaces an existing file.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Removes an empty directory.
    fn remove_dir(&self, path: &Path) -> io::Result<()>;

    /// Returns the names in a directory, sorted.
    fn list(&self, path: &Path) -> io::Result<Vec<OsString>>;

    /// Makes the entries of a directory durable.
    fn sync_dir(&self, path: &Path) -> io::Result<()>;
}

/// An open file of a [`Files`] implementation, with reads and writes at explicit offsets.
pub trait File: fmt::Debug + Send + Sync + 'static {
    /// Reads at an offset into a buffer, perhaps only partially. Returns the number of bytes; 0 at the end.
    ///
    /// # Errors
    /// The error of the operating system, as in every method of this trait.
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize>;

    /// Writes at an offset, perhaps only partially. Returns the number of bytes.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Returns the length of the file, in bytes.
    fn length(&self) -> io::Result<u64>;

    /// Truncates the file to a length, in bytes.
    fn truncate(&self, length: u64) -> io::Result<()>;

    /// Makes content and length durable.
    fn sync_data(&self) -> io::Result<()>;

    /// Acquires the lock of the file until it is closed. Returns false if another process holds it.
    fn try_lock(&self) -> io::Result<bool>;
}

/// Reads from an offset until `into` is full or the file ends. Returns the number of bytes.
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

/// Reads a file of at most `limit` bytes; `None` if it does not exist, an error if it is larger.
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

/// Replaces a file atomically and durably, through a temporary file.
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

/// Creates a directory and its missing parents, durably.
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

/// Removes a file, or a directory with its content. Does nothing if it does not exist.
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

/// Renames a damaged file or directory to the first free `NAME.damaged-N` and returns that path.
pub(crate) fn move_aside(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    files.rename(path, &aside)?;
    files.sync_dir(parent(path))?;
    Ok(aside)
}

/// Stores a copy of a small file under the name that [`move_aside`] would choose.
pub(crate) fn copy_aside(files: &dyn Files, path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let aside = free_name(files, path)?;
    replace(files, &aside, bytes)?;
    Ok(aside)
}

/// Returns the first free `NAME.damaged-N` beside a path.
fn free_name(files: &dyn Files, path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let taken = files.list(parent(path))?;
    // There are more candidates than names, so one is free.
    let mut candidates = (0..=taken.len()).map(|number| format!("{name}.damaged-{}", number + 1));
    let free = candidates.find(|candidate| !taken.iter().any(|taken| taken == candidate.as_str()));
    Ok(path.with_file_name(free.unwrap_or_default()))
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        // A bare file name is relative to the working directory.
        _ => Path::new("."),
    }
}
