//! A test file system that records every change, from which the states after a crash at any point can be rebuilt.

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
use change::{Kind, Node, What};
use tree::Tree;

/// A file system that records all changes under a directory, in order. Clones share the record.
///
/// Changes that do not go through it, such as those of sled, are found by comparing the directory before each
/// operation. They are recorded as writes of whole 512-byte sectors.
#[derive(Debug, Clone)]
pub struct RecordingFiles {
    /// The wrapped file system.
    files: Arc<dyn Files>,
    /// Directory whose changes are recorded.
    root: PathBuf,
    /// The record.
    tree: Arc<Mutex<Tree>>,
}

/// An open file of [`RecordingFiles`].
#[derive(Debug)]
struct RecordingFile {
    /// The wrapped file.
    file: Arc<dyn File>,
    /// Number of the file in the record.
    node: Node,
    /// The record.
    owner: RecordingFiles,
}

impl RecordingFiles {
    /// Starts recording changes under an existing directory. Its present content counts as durable.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn over(files: impl Files, root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into();
        let mut tree = Tree::default();
        tree.observe(&root)?;
        tree.sync_everything();
        Ok(Self { files: Arc::new(files), root, tree: Arc::new(Mutex::new(tree)) })
    }

    /// Returns the number of changes so far. The directory's initial content counts as changes.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn count(&self) -> io::Result<usize> {
        Ok(self.observed()?.changes.len())
    }

    /// Returns all changes so far.
    ///
    /// # Errors
    /// [`io::Error`] if the directory cannot be read.
    pub fn changes(&self) -> io::Result<Vec<Change>> {
        Ok(self.observed()?.changes.clone())
    }

    /// Returns the record, after adding changes made by others. The lock is held during an operation, so the record has
    /// the order of the operations.
    fn observed(&self) -> io::Result<MutexGuard<'_, Tree>> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        tree.observe(&self.root)?;
        Ok(tree)
    }

    /// Returns a path relative to the root; an error if it is outside.
    fn inside<'p>(&self, path: &'p Path) -> io::Result<&'p Path> {
        path.strip_prefix(&self.root).map_err(|_| {
            let place = format!("`{}` is not under `{}`", path.display(), self.root.display());
            io::Error::new(io::ErrorKind::InvalidInput, place)
        })
    }
}

impl Files for RecordingFiles {
    fn create_dir(&self, path: &Path) -> io::Result<bool> {
        let mut tree = self.observed()?;
        let created = self.files.create_dir(path)?;
        if created {
            tree.link(self.inside(path)?, Kind::Directory)?;
        }
        Ok(created)
    }

    fn open(&self, path: &Path, mode: Mode) -> io::Result<Arc<dyn File>> {
        let mut tree = self.observed()?;
        let inside = self.inside(path)?;
        let known = tree.find(inside);
        let file = self.files.open(path, mode)?;
        let node = match known {
            Some(node) => {
                if mode == Mode::Replace {
                    tree.make(node, What::Resize { length: 0 });
                }
                node
            }
            None => tree.link(inside, Kind::File)?,
        };
        Ok(Arc::new(RecordingFile { file, node, owner: self.clone() }))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut tree = self.observed()?;
        let (old, new) = (self.inside(from)?, self.inside(to)?);
        self.files.rename(from, to)?;
        tree.rename(old, new)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.observed()?;
        self.files.remove(path)?;
        tree.unlink(self.inside(path)?)
    }

    fn remove_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.observed()?;
        self.files.remove_dir(path)?;
        tree.unlink(self.inside(path)?)
    }

    fn list(&self, path: &Path) -> io::Result<Vec<OsString>> {
        self.files.list(path)
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut tree = self.observed()?;
        self.files.sync_dir(path)?;
        let node = tree.find(self.inside(path)?).ok_or(io::ErrorKind::NotFound)?;
        tree.make(node, What::Sync);
        Ok(())
    }
}

impl File for RecordingFile {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(offset, into)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<usize> {
        let mut tree = self.owner.observed()?;
        let count = self.file.write_at(offset, bytes)?;
        tree.make(self.node, What::Write { offset, bytes: bytes[..count].into() });
        Ok(count)
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }

    fn truncate(&self, length: u64) -> io::Result<()> {
        let mut tree = self.owner.observed()?;
        self.file.truncate(length)?;
        tree.make(self.node, What::Resize { length });
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut tree = self.owner.observed()?;
        self.file.sync_data()?;
        tree.make(self.node, What::Sync);
        Ok(())
    }

    fn try_lock(&self) -> io::Result<bool> {
        self.file.try_lock()
    }
}
