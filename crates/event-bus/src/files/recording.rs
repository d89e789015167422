//! [`RecordingFiles`], a test file system that records every change. From the record, [`Disk`] rebuilds the states that
//! a crash at any point may leave.

mod change;
mod disk;
mod image;
mod survival;
mod tree;

use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub use change::Change;
pub use disk::Disk;
pub use image::Image;
pub use survival::Survival;

use super::{File, Files, Mode};
use change::{ChangeKind, EntryType, Node};
use tree::Tree;

/// A file system that records all changes under a directory, in order. Clones share the record.
///
/// Changes that bypass it (sled opens its own files) are found by comparing the directory with the record before each
/// operation. They are recorded as writes of complete 512-byte sectors.
#[derive(Debug, Clone)]
pub struct RecordingFiles {
    /// The wrapped file system.
    files: Arc<dyn Files>,
    /// Directory whose changes are recorded.
    root: PathBuf,
    /// The present names and the record of changes.
    tree: Arc<Mutex<Tree>>,
}

/// An open file of the test file system [`RecordingFiles`].
#[derive(Debug)]
struct RecordingFile {
    /// The wrapped file.
    file: Arc<dyn File>,
    /// Number of the file in the record of changes.
    node: Node,
    /// The file system that the file was opened in.
    owner: RecordingFiles,
}

impl RecordingFiles {
    /// Wraps `files` and starts recording changes under `root`, an existing directory. Its present content counts as
    /// durable.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn new(files: impl Files, root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into();
        let mut tree = Tree::default();
        tree.observe(&root)?;
        tree.sync_all();
        Ok(Self { files: Arc::new(files), root, tree: Arc::new(Mutex::new(tree)) })
    }

    /// Returns the number of changes so far, including those for the initial content of the directory and its syncs.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn count(&self) -> io::Result<usize> {
        Ok(self.lock_observed()?.changes.len())
    }

    /// Returns all changes so far, in order, including those for the initial content of the directory and its syncs.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn changes(&self) -> io::Result<Vec<Change>> {
        Ok(self.lock_observed()?.changes.clone())
    }

    /// Locks the record of changes, after adding the changes that did not go through this file system. Hold the lock
    /// during a file operation, so that the record has the order of the operations.
    ///
    /// # Errors
    /// The error of the file system.
    fn lock_observed(&self) -> io::Result<MutexGuard<'_, Tree>> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        tree.observe(&self.root)?;
        Ok(tree)
    }

    /// Returns a path relative to the root; fails with `InvalidInput` if it is outside.
    fn relative<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        path.strip_prefix(&self.root).map_err(|_| {
            let message = format!("`{}` is not under `{}`", path.display(), self.root.display());
            io::Error::new(io::ErrorKind::InvalidInput, message)
        })
    }
}

impl Files for RecordingFiles {
    fn create_dir(&self, path: &Path) -> io::Result<bool> {
        let mut tree = self.lock_observed()?;
        let is_new = self.files.create_dir(path)?;
        if is_new {
            tree.link(self.relative(path)?, EntryType::Directory)?;
        }
        Ok(is_new)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        let mut tree = self.lock_observed()?;
        let relative = self.relative(path)?;
        let existing = tree.find(relative);
        let file = self.files.open(path, mode)?;
        let node = match existing {
            Some(node) => {
                if mode == Mode::Replace {
                    tree.record(node, ChangeKind::Resize { length: 0 });
                }
                node
            }
            None => tree.link(relative, EntryType::File)?,
        };
        Ok(Arc::new(RecordingFile { file, node, owner: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.lock_observed()?;
        let (old, new) = (self.relative(from)?, self.relative(to)?);
        self.files.rename(from, to)?;
        tree.rename(old, new)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.lock_observed()?;
        self.files.remove(path)?;
        tree.unlink(self.relative(path)?)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.lock_observed()?;
        self.files.remove_dir(path)?;
        tree.unlink(self.relative(path)?)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.files.list(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.lock_observed()?;
        self.files.sync_dir(path)?;
        let node = tree.find(self.relative(path)?).ok_or(io::ErrorKind::NotFound)?;
        tree.record(node, ChangeKind::Sync);
        Ok(())
    }
}

impl File for RecordingFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, into)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut tree = self.owner.lock_observed()?;
        let count = self.file.write_at(offset, bytes)?;
        tree.record(self.node, ChangeKind::Write { offset, bytes: bytes[..count].into() });
        Ok(count)
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        let mut tree = self.owner.lock_observed()?;
        self.file.truncate(length)?;
        tree.record(self.node, ChangeKind::Resize { length });
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut tree = self.owner.lock_observed()?;
        self.file.sync_data()?;
        tree.record(self.node, ChangeKind::Sync);
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }
}
