//! [`TextFiles`], the text store on disk: the file `ab/cdef…` contains the text whose hash has the hexadecimal digits
//! `abcdef…`.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{MAX_TEXT_BYTES, TextStore, checked_hash};
use crate::{
    LogError,
    files::{self, Files, SystemFiles},
};

/// A text store in the directory `texts` of a log, which is created when the first text is stored.
#[derive(Debug, Clone)]
pub struct TextFiles {
    /// Directory of the texts.
    directory: PathBuf,
    /// File system of the store.
    files: Arc<dyn Files>,
    /// Held while a text is written, since two writers of the same text would share its temporary file.
    writing: Arc<Mutex<()>>,
}

/// Result of comparing every stored text with its hash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextsCheck {
    /// Number of texts whose content matches their hash.
    pub(crate) intact: u64,
    /// Total length of these texts, in bytes.
    pub(crate) intact_bytes: u64,
    /// Files whose content does not match the hash in their path.
    pub(crate) damaged: Vec<PathBuf>,
}

impl TextFiles {
    /// Creates a handle of the text store of the log in the directory `log`. Neither reads nor creates files.
    pub fn open(log: impl AsRef<Path>) -> Self {
        Self::open_with(log, Arc::new(SystemFiles))
    }

    /// Creates a handle as [`TextFiles::open`] does, with a file system other than the operating system's.
    pub fn open_with(log: impl AsRef<Path>, files: Arc<dyn Files>) -> Self {
        Self { directory: log.as_ref().join("texts"), files, writing: Arc::default() }
    }

    /// Returns the path of the file of the text with this hash.
    fn path(&self, hash: [u8; 32]) -> PathBuf {
        let digits = blake3::Hash::from_bytes(hash).to_hex();
        self.directory.join(&digits[..2]).join(&digits[2..])
    }

    /// Reads a file of at most [`MAX_TEXT_BYTES`]; `None` if it does not exist. Fails with [`LogError::Io`].
    fn read(&self, path: &Path) -> Result<Option<Vec<u8>>, LogError> {
        files::read_small(&*self.files, path, MAX_TEXT_BYTES).map_err(LogError::io("read", path))
    }

    /// Reads every stored text and compares its content with the hash in its path. Temporary files are ignored. Fails
    /// with [`LogError::Io`] if a file cannot be read.
    pub(crate) fn verify_all(&self) -> Result<TextsCheck, LogError> {
        let mut check = TextsCheck::default();
        for directory in self.list(&self.directory)? {
            for path in self.list(&directory)? {
                let bytes = self.read(&path)?.unwrap_or_default();
                // A temporary file of an interrupted `put` is neither a text nor damage.
                if path.extension().is_some() {
                } else if path == self.path(*blake3::hash(&bytes).as_bytes()) {
                    check.intact += 1;
                    check.intact_bytes += bytes.len() as u64;
                } else {
                    check.damaged.push(path);
                }
            }
        }
        Ok(check)
    }

    /// Returns the paths of the entries of a directory, sorted; none if it does not exist.
    fn list(&self, directory: &Path) -> Result<Vec<PathBuf>, LogError> {
        match self.files.list(directory) {
            Ok(names) => Ok(names.into_iter().map(|name| directory.join(name)).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(LogError::io("list", directory)(error)),
        }
    }
}

/// Returns the hash of the text that is stored in the file at this path; `None` for other files, such as temporary
/// ones.
fn hash_of_path(path: &Path) -> Option<[u8; 32]> {
    let digits = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let hash = digits(path.parent()?)? + &digits(path)?;
    blake3::Hash::from_hex(hash).ok().map(|hash| *hash.as_bytes())
}

impl TextStore for TextFiles {
    fn put(&self, text: &str) -> Result<[u8; 32], LogError> {
        let hash = checked_hash(text)?;
        let path = self.path(hash);
        let directory = path.parent().unwrap_or(&self.directory);
        let _guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        // A damaged file is replaced.
        if self.read(&path)?.as_deref() == Some(text.as_bytes()) {
            // The writer may have been killed before the directory entry was durable.
            for directory in directory.ancestors().take(3) {
                self.files.sync_dir(directory).map_err(LogError::io("sync", directory))?;
            }
            return Ok(hash);
        }
        files::ensure_dir(&*self.files, directory).map_err(LogError::io("create", directory))?;
        files::replace(&*self.files, &path, text.as_bytes()).map_err(LogError::io("write", &path))?;
        Ok(hash)
    }

    fn get(&self, hash: [u8; 32]) -> Result<Option<String>, LogError> {
        let path = self.path(hash);
        let Some(bytes) = self.read(&path)? else { return Ok(None) };
        if *blake3::hash(&bytes).as_bytes() != hash {
            return Err(LogError::TextDamaged { path });
        }
        String::from_utf8(bytes).map(Some).map_err(|_| LogError::TextDamaged { path })
    }

    fn sweep(&self, keep: &dyn Fn([u8; 32]) -> bool) -> Result<u64, LogError> {
        let (mut removed, mut failures) = (0, Vec::new());
        for directory in self.list(&self.directory)? {
            let paths = self.list(&directory).unwrap_or_else(|error| {
                failures.push(error);
                Vec::new()
            });
            let mut is_changed = false;
            for path in paths {
                let hash = hash_of_path(&path);
                if hash.is_some_and(keep) {
                    continue;
                }
                match self.files.remove(&path) {
                    Ok(()) => (removed, is_changed) = (removed + u64::from(hash.is_some()), true),
                    Err(error) => failures.push(LogError::io("remove", &path)(error)),
                }
            }
            if is_changed && let Err(error) = self.files.sync_dir(&directory) {
                failures.push(LogError::io("sync", &directory)(error));
            }
        }
        failures.into_iter().next().map_or(Ok(removed), Err)
    }

    fn remove(&self, hash: [u8; 32]) -> Result<bool, LogError> {
        let path = self.path(hash);
        match self.files.remove(&path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(LogError::io("remove", &path)(error)),
        }
        let directory = path.parent().unwrap_or(&self.directory);
        self.files.sync_dir(directory).map_err(LogError::io("sync", directory))?;
        Ok(true)
    }
}
