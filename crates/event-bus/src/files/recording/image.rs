//! [`Image`], the content of a directory after a simulated crash.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Content of a directory after a simulated crash, which a test writes to disk and opens.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// Content of files, `None` for directories, by path under the root.
    entries: BTreeMap<PathBuf, Option<Arc<Bytes>>>,
}

/// Content of a file, which images share, and its hash once computed.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
    hash: OnceLock<[u8; 32]>,
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, hash: OnceLock::new() }
    }
}

impl Bytes {
    /// Returns the hash of the content, computed on first use.
    fn hash(&self) -> &[u8; 32] {
        self.hash.get_or_init(|| *blake3::hash(&self.bytes).as_bytes())
    }
}

impl Image {
    /// Adds a file, or a directory if `content` is `None`.
    pub(super) fn add(&mut self, path: PathBuf, content: Option<Arc<Bytes>>) {
        self.entries.insert(path, content);
    }

    /// Returns all files with their content, in the order of their paths.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.entries.iter().filter_map(|(path, content)| Some((path.as_path(), content.as_ref()?.bytes.as_slice())))
    }

    /// Returns a hash of all paths for which `wanted` returns true, and their content.
    pub fn digest(&self, wanted: impl Fn(&Path) -> bool) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (path, content) in self.entries.iter().filter(|(path, _)| wanted(path)) {
            hasher.update(blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes());
            hasher.update(content.as_ref().map_or(&[0; 32], |content| content.hash()));
        }
        *hasher.finalize().as_bytes()
    }

    /// Writes the paths for which `wanted` returns true under an existing directory.
    ///
    /// # Errors
    /// [`io::Error`] if something cannot be written.
    pub fn write_to(&self, root: &Path, wanted: impl Fn(&Path) -> bool) -> io::Result<()> {
        for (path, content) in self.entries.iter().filter(|(path, _)| wanted(path)) {
            match content {
                Some(content) => fs::write(root.join(path), &content.bytes)?,
                None => fs::create_dir(root.join(path))?,
            }
        }
        Ok(())
    }
}
