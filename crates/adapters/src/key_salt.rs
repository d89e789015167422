//! [`KeySalt`], the salt of the hashes that identify provider keys in events.

use std::{
    fmt,
    fs::{self, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use contracts::KeyHash;

use crate::{
    keys::{KeyError, check_owner_only},
    own_files::{check_regular_file, create_own_folder},
};

/// The salt for hashes of API keys, one for each home folder. A hash identifies a key in events, but a reader of the
/// log cannot test guesses of the key, and the logs of two machines do not show that they share a key. The `Debug`
/// output omits the bytes.
#[derive(Clone, Default)]
pub struct KeySalt([u8; 32]);

impl fmt::Debug for KeySalt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySalt")
    }
}

impl KeySalt {
    /// Reads the salt from a file of 32 bytes that only its owner can read. Creates it with random bytes if it does not
    /// exist.
    ///
    /// # Errors
    /// [`KeyError`] if the file cannot be read or created, if other users may access it, or if it has another length.
    pub fn open(path: &Path) -> Result<Self, KeyError> {
        let read_error = |source| KeyError::Read { path: path.to_owned(), source };
        match fs::metadata(path) {
            Ok(metadata) => {
                check_regular_file(&metadata).map_err(read_error)?;
                check_owner_only(path, &metadata)?;
                let bytes = fs::read(path).map_err(read_error)?;
                let length =
                    || read_error(io::Error::new(io::ErrorKind::InvalidData, "it does not have 32 bytes; delete it"));
                bytes.try_into().map(Self).map_err(|_| length())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Self::create(path).map_err(read_error),
            Err(error) => Err(read_error(error)),
        }
    }

    /// Creates the file with the salt: random bytes of the operating system, with mode 0600. Creates its folder if
    /// necessary.
    ///
    /// # Errors
    /// [`io::Error`] if the file exists or cannot be written, or if the system provides no random bytes.
    fn create(path: &Path) -> io::Result<Self> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        if let Some(folder) = path.parent() {
            create_own_folder(folder)?;
        }
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        Ok(Self(bytes))
    }

    /// Returns the salted hash of an API key: the first half of its BLAKE3 hash, keyed with the salt.
    pub(crate) fn hash(&self, key: &[u8]) -> KeyHash {
        let hash = blake3::keyed_hash(&self.0, key);
        let (half, _) = hash.as_bytes().split_first_chunk().unwrap_or((&[0; 16], &[]));
        KeyHash(*half)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::KeySalt;

    #[test]
    fn hashes_are_equal_for_one_home_and_differ_between_two() {
        let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let open = |home: usize| KeySalt::open(&homes[home].path().join("key-salt")).unwrap();
        let (first, again, other) = (open(0), open(0), open(1));
        assert_eq!(first.hash(b"sk-1"), again.hash(b"sk-1"));
        assert_ne!(first.hash(b"sk-1"), first.hash(b"sk-2"));
        assert_ne!(first.hash(b"sk-1"), other.hash(b"sk-1"));
        let mode = homes[0].path().join("key-salt").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_file_of_another_length_is_an_error_that_names_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("key-salt");
        std::fs::write(&path, "short").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let error = KeySalt::open(&path).unwrap_err();
        assert!(error.to_string().contains("key-salt"), "{error}");
    }
}
