//! Reads and writes the user's files in the home folder: the policy, settings, keys, tokens. A FIFO or device in place of
//! one is refused, since opening it would wait, and permissions do not depend on the umask.

use std::{
    ffi::OsString,
    fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown},
    path::{Path, PathBuf},
};

/// The maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Permissions of files and folders that are created: only the owner has access.
const FILE_MODE: u32 = 0o600;
const FOLDER_MODE: u32 = 0o700;

/// Checks that a file is a regular file, by its metadata.
///
/// # Errors
/// `InvalidInput` for a folder, FIFO, socket or device.
pub fn check_regular_file(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let kind = if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" };
    Err(io::Error::new(io::ErrorKind::InvalidInput, kind))
}

/// Reads a regular file of at most 16 MiB of UTF-8. Does not wait for anything but the disk.
///
/// # Errors
/// `NotFound`; `InvalidInput` if it is not a regular file; `FileTooLarge`; `InvalidData` if it is not UTF-8.
pub fn read_own_file(path: &Path) -> io::Result<String> {
    check_regular_file(&fs::metadata(path)?)?;
    let mut text = String::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if MAX_BYTES < text.len() as u64 {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it is larger than {MAX_BYTES} bytes")));
    }
    Ok(text)
}

/// Replaces the content of a file, durably. A new file has mode 0600, and its folder is created with mode 0700.
///
/// An existing file keeps its mode and its owner, and a link to it stays a link: where replacing the file would break one of
/// them, its content is overwritten in place instead.
///
/// # Errors
/// `InvalidInput` if the path is not a regular file, and the errors of the operating system.
pub fn write_own_file(path: &Path, content: &[u8]) -> io::Result<()> {
    let target = match fs::canonicalize(path) {
        Ok(target) => target,
        Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
        Err(error) => return Err(error),
    };
    let existing_metadata = match fs::metadata(&target) {
        Ok(metadata) => {
            check_regular_file(&metadata)?;
            Some(metadata)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(metadata) = existing_metadata.as_ref().filter(|metadata| 1 < metadata.nlink()) {
        return overwrite(&target, metadata, content);
    }
    if let Some(folder) = target.parent() {
        create_own_folder(folder)?;
    }
    let temporary = temporary_name(&target);
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&temporary)?;
    if let Some(metadata) = &existing_metadata
        && (metadata.uid(), metadata.gid()) != owner(&file.metadata()?)
        && fchown(&file, Some(metadata.uid()), Some(metadata.gid())).is_err()
    {
        fs::remove_file(&temporary)?;
        return overwrite(&target, metadata, content);
    }
    let mode = existing_metadata.map_or(FILE_MODE, |metadata| metadata.permissions().mode() & 0o7777);
    file.set_permissions(Permissions::from_mode(mode))?;
    let replace_result =
        file.write_all(content).and_then(|()| file.sync_all()).and_then(|()| fs::rename(&temporary, &target));
    if replace_result.is_err() {
        // The original error is more important than one of removing the temporary file.
        let _ = fs::remove_file(&temporary);
    }
    replace_result?;
    target.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// Creates a folder with mode 0700, and missing parents; does nothing if it exists.
///
/// # Errors
/// The errors of the operating system.
pub fn create_own_folder(path: &Path) -> io::Result<()> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        create_own_folder(parent)?;
    }
    match DirBuilder::new().mode(FOLDER_MODE).create(path) {
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(FOLDER_MODE)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Overwrites a file in place: it keeps its links, owner and mode.
fn overwrite(path: &Path, metadata: &Metadata, content: &[u8]) -> io::Result<()> {
    check_regular_file(metadata)?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    file.write_all(content)?;
    file.set_len(content.len() as u64)?;
    file.sync_all()
}

/// Returns the user and the group that own a file.
fn owner(metadata: &Metadata) -> (u32, u32) {
    (metadata.uid(), metadata.gid())
}

/// Returns the path beside a file to which its new content is written.
fn temporary_name(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn what_is_no_regular_file_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(folder.path().join("socket")).unwrap();
        for path in [fifo, link, folder.path().join("socket"), folder.path().to_owned(), "/dev/null".into()] {
            for error in [read_own_file(&path).unwrap_err(), write_own_file(&path, b"text").unwrap_err()] {
                assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{}", path.display());
            }
        }
        assert_eq!(read_own_file(&folder.path().join("none")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    /// Attack: the policy is a link, or others may read it.
    /// Holds: saving from the page keeps links and mode.
    #[test]
    fn saving_keeps_links_mode_and_owner() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        write_own_file(&at("new/file"), b"new").unwrap();
        assert_eq!((mode(&at("new")), mode(&at("new/file"))), (0o700, 0o600));
        fs::write(at("file"), "old").unwrap();
        fs::set_permissions(at("file"), Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("file", at("symbolic")).unwrap();
        write_own_file(&at("symbolic"), b"by the link").unwrap();
        assert!(fs::symlink_metadata(at("symbolic")).unwrap().is_symlink());
        assert_eq!((fs::read_to_string(at("file")).unwrap().as_str(), mode(&at("file"))), ("by the link", 0o640));
        fs::hard_link(at("file"), at("hard")).unwrap();
        write_own_file(&at("file"), b"short").unwrap();
        assert_eq!(fs::read_to_string(at("hard")).unwrap(), "short");
        assert_eq!(mode(&at("hard")), 0o640);
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 4, "no temporary file is left: {names:?}");
    }

    /// Attack: the policy belongs to another user or group.
    /// Holds: saving keeps its owner, or refuses.
    #[test]
    fn saving_keeps_the_owner_of_another_user() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("policy");
        fs::write(&path, "old").unwrap();
        if let Err(error) = std::os::unix::fs::chown(&path, Some(12_345), Some(54_321)) {
            // Only root can create a file of another user.
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
            return;
        }
        write_own_file(&path, b"new").unwrap();
        let metadata = fs::metadata(&path).unwrap();
        assert_eq!((fs::read_to_string(&path).unwrap().as_str(), owner(&metadata)), ("new", (12_345, 54_321)));
    }
}
