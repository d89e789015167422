//! Files that remember every change, so that what a crash of the operating system leaves can be rebuilt at each.

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

/// Files under a directory, and every change made to them, in order. Clones share the record.
///
/// Changes made behind its back, as sled does, are found by looking at the directory whenever something is done through
/// these files. They come into the record as writes of whole 512-byte sectors.
#[derive(Debug, Clone)]
pub struct RecordingFiles {
    files: Arc<dyn Files>,
    root: PathBuf,
    tree: Arc<Mutex<Tree>>,
}

#[derive(Debug)]
struct RecordingFile {
    file: Arc<dyn File>,
    node: Node,
    owner: RecordingFiles,
}

impl RecordingFiles {
    /// Records what is done under a directory that exists. What is in it already counts as durable.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn over(files: impl Files, root: impl Into<PathBuf>) -> io::Result<Self> {
        let root = root.into();
        let mut tree = Tree::default();
        tree.observe(&root)?;
        tree.sync_everything();
        Ok(Self { files: Arc::new(files), root, tree: Arc::new(Mutex::new(tree)) })
    }

    /// How many changes there were so far, those that make up the directory's first content included.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn count(&self) -> io::Result<usize> {
        Ok(self.observed()?.changes.len())
    }

    /// Every change so far.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn changes(&self) -> io::Result<Vec<Change>> {
        Ok(self.observed()?.changes.clone())
    }

    /// The record, up to date. Held while something is done, so that its order is the order of what was done.
    fn observed(&self) -> io::Result<MutexGuard<'_, Tree>> {
        let mut tree = self.tree.lock().unwrap_or_else(PoisonError::into_inner);
        tree.observe(&self.root)?;
        Ok(tree)
    }

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
