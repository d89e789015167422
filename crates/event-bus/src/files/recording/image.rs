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
    /// Content of each file, `None` for a directory, by path under the root.
    entries: BTreeMap<PathBuf, Option<Arc<Bytes>>>,
}

/// Content of a file after a simulated crash, with its hash. Images of several crashes share it.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    /// The content.
    pub(super) bytes: Vec<u8>,
    /// BLAKE3 hash of the content, computed on first use.
    hash: OnceLock<[u8; 32]>,
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, hash: OnceLock::new() }
    }
}

impl Bytes {
    /// Returns the BLAKE3 hash of the content, computed on first use.
    fn hash(&self) -> &[u8; 32] {
        self.hash.get_or_init(|| *blake3::hash(&self.bytes).as_bytes())
    }
}

impl Image {
    /// Adds a file with its content at a path under the root, or a directory if `content` is `None`.
    pub(super) fn add(&mut self, path: PathBuf, content: Option<Arc<Bytes>>) {
        self.entries.insert(path, content);
    }

    /// Returns the path under the root and the content of every file, in the order of paths.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &[u8])> {
        self.entries.iter().filter_map(|(path, content)| Some((path.as_path(), content.as_ref()?.bytes.as_slice())))
    }

    /// Returns a hash of the paths for which `wanted` returns true and of their content. Equal digests mean equal
    /// images, so that a test can skip an image it has checked before.
    pub fn digest(&self, wanted: impl Fn(&Path) -> bool) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (path, content) in self.entries.iter().filter(|(path, _)| wanted(path)) {
            hasher.update(blake3::hash(path.as_os_str().as_encoded_bytes()).as_bytes());
            hasher.update(content.as_ref().map_or(&[0; 32], |content| content.hash()));
        }
        *hasher.finalize().as_bytes()
    }

    /// Writes the files and directories for which `wanted` returns true under `root`, an existing directory.
    ///
    /// # Errors
    /// [`io::Error`] if a file or directory cannot be created.
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
