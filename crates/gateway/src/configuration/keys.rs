//! Keys of providers: from the environment, or from a file that only its owner can read. They are never printed.

use std::{
    collections::BTreeMap,
    fmt, io,
    path::{Path, PathBuf},
};

/// The largest file of keys, in bytes.
const MAX_BYTES: u64 = 64 * 1024;

/// Keys by the name of the provider.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<String, String>);

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

/// Why a file of keys cannot be used. Never holds any of its content.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It cannot be read.
    #[error("cannot read the keys in `{path}`")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Others can read it.
    #[error("`{path}` can be read by others (mode {mode:o}): `chmod 600 {path}` first")]
    Open {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// A line is not what it should be.
    #[error("line {line} of `{path}` is not `provider: key`")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl Keys {
    /// Reads a file of lines `provider: key`; none when there is no file.
    ///
    /// # Errors
    /// [`KeyError`] for a file that cannot be read, that others can read, or that holds something else.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::Read { path: path.to_owned(), source };
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(failed(error)),
        };
        check_mode(path, &metadata)?;
        if MAX_BYTES < metadata.len() {
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, "it is too large for a file of keys")));
        }
        let text = std::fs::read_to_string(path).map_err(failed)?;
        let mut keys = BTreeMap::new();
        for (line, content) in (1..).zip(text.lines().map(str::trim)) {
            if content.is_empty() || content.starts_with('#') {
                continue;
            }
            let parts = content.split_once(':').map(|(name, key)| (name.trim(), key.trim().trim_matches('"')));
            let Some((name, key)) = parts.filter(|(name, key)| !name.is_empty() && !key.is_empty()) else {
                return Err(KeyError::Line { path: path.to_owned(), line });
            };
            keys.insert(name.to_owned(), key.to_owned());
        }
        Ok(Self(keys))
    }

    /// The key of a provider.
    pub(super) fn of(&self, provider: &str) -> Option<&str> {
        self.0.get(provider).map(String::as_str)
    }
}

/// Nobody but the owner may read what holds a secret.
#[cfg(unix)]
pub(crate) fn check_mode(path: &Path, metadata: &std::fs::Metadata) -> Result<(), KeyError> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = metadata.permissions().mode() & 0o777;
    // What is left of the owner's own bits is nothing.
    if mode & !0o700 == 0 { Ok(()) } else { Err(KeyError::Open { path: path.to_owned(), mode }) }
}

/// Elsewhere the system keeps a user's files from others.
#[cfg(not(unix))]
pub(crate) fn check_mode(_path: &Path, _metadata: &std::fs::Metadata) -> Result<(), KeyError> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::Keys;

    #[expect(clippy::unwrap_used, reason = "a test may panic")]
    fn file(content: &str, mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn a_file_that_others_can_read_is_refused() {
        let (_dir, path) = file("anthropic: sk-secret\n", 0o644);
        let error = Keys::load(&path).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("sk-secret"), "{error}");
    }

    #[test]
    fn keys_are_found_by_their_provider_and_never_shown() {
        let (_dir, path) = file("# mine\nanthropic: sk-secret\nopenai: \"sk-other\"\n", 0o600);
        let keys = Keys::load(&path).unwrap();
        assert_eq!(
            (keys.of("anthropic"), keys.of("openai"), keys.of("google")),
            (Some("sk-secret"), Some("sk-other"), None)
        );
        assert_eq!(format!("{keys:?}"), r#"["anthropic", "openai"]"#);
    }

    #[test]
    fn a_broken_line_is_told_by_its_number_and_without_its_content() {
        let (_dir, path) = file("anthropic: sk-1\nsk-secret-alone\n", 0o600);
        let error = Keys::load(&path).unwrap_err().to_string();
        assert!(error.contains("line 2") && !error.contains("sk-secret"), "{error}");
    }
}
