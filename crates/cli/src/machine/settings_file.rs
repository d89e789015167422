//! The settings file of a client: it is read, copied, and replaced without a change of its permissions or links.

use std::{
    fs::{self, OpenOptions, Permissions},
    io::{self, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use adapters::read_own_file;

use crate::failure::Failure;

/// The permissions of a new file, for its owner alone, since a user may add keys to it later.
const NEW_MODE: u32 = 0o600;

/// The settings file of a client, as it was read.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// The path, which may be a link.
    path: PathBuf,
    /// The content; `None` if there is no file.
    text: Option<String>,
}

impl SettingsFile {
    /// Reads a settings file, which may be missing.
    ///
    /// # Errors
    /// [`Failure::Failed`] if it cannot be read, is no regular file of at most 16 MiB of UTF-8, or is a link to a missing
    /// file.
    pub(crate) fn read(path: PathBuf) -> Result<Self, Failure> {
        match read_own_file(&path) {
            Ok(text) => Ok(Self { path, text: Some(text) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
                Ok(Self { path, text: None })
            }
            Err(error) => Err(Failure::file("read", &path, &error)),
        }
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the content that was read; `None` if there was no file.
    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Returns the path of the copy that [`SettingsFile::back_up`] writes: in the same folder, with
    /// `.before-turnwise` after the name.
    pub(crate) fn backup_path(&self) -> PathBuf {
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(".before-turnwise");
        self.path.with_file_name(name)
    }

    /// Writes a copy of the file with its permissions, and returns the path of the copy; `None` if there is no file.
    ///
    /// # Errors
    /// [`Failure::Failed`] if the copy cannot be written.
    pub(crate) fn back_up(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(text) = &self.text else { return Ok(None) };
        let path = self.backup_path();
        replace_file(&path, text, self.permissions()).map_err(|error| Failure::file("write", &path, &error))?;
        Ok(Some(path))
    }

    /// Replaces the content of the file, or creates the file and its folder. The permissions stay the same. If the path
    /// is a link, its target is replaced.
    ///
    /// # Errors
    /// [`Failure::Failed`] if the file cannot be written; it is then unchanged.
    pub(crate) fn write(&self, text: &str) -> Result<(), Failure> {
        let failed = |error| Failure::file("write", &self.path, &error);
        if self.text.is_none()
            && let Some(folder) = self.path.parent()
        {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let target =
            if self.text.is_some() { fs::canonicalize(&self.path).map_err(failed)? } else { self.path.clone() };
        replace_file(&target, text, self.permissions()).map_err(failed)
    }

    /// Deletes the file.
    ///
    /// # Errors
    /// [`Failure::Failed`] if it cannot be deleted.
    pub(crate) fn delete(&self) -> Result<(), Failure> {
        fs::remove_file(&self.path).map_err(|error| Failure::file("delete", &self.path, &error))
    }

    /// Returns the permissions of the file, or [`NEW_MODE`] if there is no file.
    fn permissions(&self) -> Permissions {
        let existing = fs::metadata(&self.path).map(|metadata| metadata.permissions());
        existing.unwrap_or_else(|_| Permissions::from_mode(NEW_MODE))
    }
}

/// Replaces the file `path` atomically: writes a file beside it, syncs it, and renames it, so that a reader finds the
/// old or the new content.
fn replace_file(path: &Path, text: &str, permissions: Permissions) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let write = || {
        let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(NEW_MODE).open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().inspect_err(|_| {
        // It may not exist.
        let _ = fs::remove_file(&temporary);
    })
}
