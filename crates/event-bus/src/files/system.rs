//! [`SystemFiles`], the file system of the operating system.

use std::{
    ffi::OsString,
    fs::{DirBuilder, OpenOptions, Permissions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
    sync::Arc,
};

use super::{File, Files, Mode};

/// [`Files`] of the operating system, with the permissions that [`Files`] requires. Unix only.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemFiles;

/// Permissions of created files and folders: only the owner has access.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// An open file of [`SystemFiles`].
#[derive(Debug)]
struct SystemFile(std::fs::File);

impl Files for SystemFiles {
    fn create_dir(&self, path: &Path) -> io::Result<bool> {
        match DirBuilder::new().mode(FOLDER_MODE).create(path) {
            Ok(()) => std::fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE)).map(|()| true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        let is_new = match std::fs::metadata(path) {
            // Opening a FIFO would wait for its other end.
            Ok(metadata) if !metadata.is_file() => {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
            }
            Ok(_) => false,
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        let mut options = OpenOptions::new();
        options.read(true).mode(FILE_MODE);
        match mode {
            Mode::Read => &mut options,
            Mode::Write => options.write(true),
            Mode::Create => options.write(true).create(true).truncate(false),
            Mode::Replace => options.write(true).create(true).truncate(true),
        };
        let file = options.open(path)?;
        if is_new {
            // The mode does not depend on the umask.
            file.set_permissions(Permissions::from_mode(FILE_MODE))?;
        }
        Ok(Arc::new(SystemFile(file)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        std::fs::remove_dir(path)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        let mut names = std::fs::read_dir(path)?
            .map(|entry| entry.map(|entry| entry.file_name()))
            .collect::<io::Result<Vec<_>>>()?;
        names.sort();
        Ok(names)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        std::fs::File::open(path)?.sync_all()
    }
}

impl File for SystemFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(into, offset)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_at(bytes, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        self.0.set_len(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn try_lock(&self) -> io::Result<bool> {
        match self.0.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}
