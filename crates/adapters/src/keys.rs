//! [`Keys`]: provider keys in a file that only its owner can access. Keys are never printed.

use std::{
    collections::BTreeMap,
    fmt, io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use crate::own_files::{check_regular_file, read_own_file};

/// Maximum length of the file `keys` in bytes.
const MAX_FILE_BYTES: usize = 64 * 1024;

/// API keys by provider name, read from the file `keys`. The `Debug` output contains only the names.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<String, String>);

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.keys()).finish()
    }
}

/// Error of reading a file of secrets: keys of providers, tokens, or the salt. Never contains its content.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or created, or has an invalid length.
    #[error("cannot read the keys in `{path}`")]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system, or a description of the length.
        source: io::Error,
    },
    /// The group or other users have access to the file.
    #[error("`{path}` can be read by other users (mode {mode:o}): run `chmod 600 {path}` first")]
    Permissions {
        /// Path of the file.
        path: PathBuf,
        /// Its permission bits, such as 0o644.
        mode: u32,
    },
    /// A line of the file of tokens has another format, or the name of an earlier line.
    #[error("line {line} of `{path}` is not `name hash scopes`, or it repeats a name")]
    Token {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
    /// A line has another format.
    #[error("line {line} of `{path}` is not `provider: key`")]
    Line {
        /// Path of the file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
    },
}

impl Keys {
    /// Reads API keys from a file with one line `provider: key` for each key. Returns no keys if the file does not
    /// exist. Blank lines and lines that begin with `#` are skipped. The last line of a provider applies.
    ///
    /// # Errors
    /// [`KeyError`] if the file cannot be read, is longer than 64 KiB, is accessible to other users, or has an invalid
    /// line.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let Some(text) = read_secret_file(path)? else { return Ok(Self::default()) };
        if MAX_FILE_BYTES < text.len() {
            let source = io::Error::new(io::ErrorKind::FileTooLarge, "it is too large for a file of keys");
            return Err(KeyError::Read { path: path.to_owned(), source });
        }
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

    /// Returns the key of a provider; `None` if the file has none.
    pub(crate) fn get(&self, provider: &str) -> Option<&str> {
        self.0.get(provider).map(String::as_str)
    }
}

/// Reads a file of secrets, such as keys or tokens, which only its owner may access. `None` if there is no such file.
///
/// # Errors
/// [`KeyError::Read`] if it cannot be read or is not a regular file; [`KeyError::Permissions`] if others may access it.
pub fn read_secret_file(path: &Path) -> Result<Option<String>, KeyError> {
    let read_error = |source| KeyError::Read { path: path.to_owned(), source };
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(read_error(error)),
    };
    check_regular_file(&metadata).map_err(read_error)?;
    check_owner_only(path, &metadata)?;
    read_own_file(path).map(Some).map_err(read_error)
}

/// Checks that only the owner may access a file of secrets.
///
/// # Errors
/// [`KeyError::Permissions`] if the group or others have any permission.
pub fn check_owner_only(path: &Path, metadata: &std::fs::Metadata) -> Result<(), KeyError> {
    let mode = metadata.permissions().mode() & 0o777;
    let is_owner_only = mode & !0o700 == 0;
    if is_owner_only { Ok(()) } else { Err(KeyError::Permissions { path: path.to_owned(), mode }) }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::Keys;

    /// Writes a file with this content and mode into a new folder, and returns both paths.
    fn file(content: &str, mode: u32) -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys");
        std::fs::write(&path, content).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (dir, path)
    }

    #[test]
    fn a_file_that_other_users_can_read_is_refused() {
        let (_dir, path) = file("anthropic: sk-secret\n", 0o644);
        let error = Keys::load(&path).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("sk-secret"), "{error}");
    }

    #[test]
    fn keys_are_looked_up_by_provider_and_not_in_the_debug_output() {
        let (_dir, path) = file("# mine\nanthropic: sk-secret\nopenai: \"sk-other\"\n", 0o600);
        let keys = Keys::load(&path).unwrap();
        assert_eq!(
            (keys.get("anthropic"), keys.get("openai"), keys.get("google")),
            (Some("sk-secret"), Some("sk-other"), None)
        );
        assert_eq!(format!("{keys:?}"), r#"["anthropic", "openai"]"#);
    }

    #[test]
    fn an_error_has_the_number_of_the_line_and_not_its_content() {
        let (_dir, path) = file("anthropic: sk-1\nsk-secret-alone\n", 0o600);
        let error = Keys::load(&path).unwrap_err().to_string();
        assert!(error.contains("line 2") && !error.contains("sk-secret"), "{error}");
    }
}
