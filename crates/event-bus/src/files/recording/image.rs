//! A directory as a crash left it.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A directory as a crash left it.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// Content of files, nothing for directories, by the path under the root.
    entries: BTreeMap<PathBuf, Option<Arc<Vec<u8>>>>,
}

impl Image {
    pub(super) fn add(&mut self, path: PathBuf, content: Option<Arc<Vec<u8>>>) {
        self.entries.insert(path, content);
    }

    /// Every file and its content, in the order of paths.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.entries.iter().filter_map(|(path, content)| Some((path.as_path(), content.as_ref()?.as_slice())))
    }

    /// Writes what is wanted of it under a directory that exists.
    ///
    /// # Errors
    /// As the operating system has it.
    pub fn write_to(&self, root: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<()> {
        for (path, content) in self.entries.iter().filter(|(path, _)| wanted(path)) {
            match content {
                Some(bytes) => fs::write(root.join(path), bytes.as_slice())?,
                None => fs::create_dir(root.join(path))?,
            }
        }
        Ok(())
    }
}
