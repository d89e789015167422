//! Paths of the workspace and of build results, and file access.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use crate::failure::{Failure, Outcome};

/// Returns the root folder of the cargo workspace.
pub(crate) fn root() -> PathBuf {
    // Cargo sets the variable for `cargo run`; a binary started directly uses the folder it was built in.
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| env!("CARGO_MANIFEST_DIR").into(), PathBuf::from);
    manifest.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// Returns the folder in which cargo builds: `CARGO_TARGET_DIR`, or else `target` in the workspace.
pub(crate) fn target_folder() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// Returns the path of a program built in the release profile.
pub(crate) fn release_binary(name: &str) -> PathBuf {
    target_folder().join("release").join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

/// Formats a path relative to the workspace; a path outside stays as given.
pub(crate) fn display_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Reads a text file; the failure names its path.
pub(crate) fn read_file(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| Failure::file("read", path, &error))
}

/// Writes a text file and replaces an existing one; the failure names its path.
pub(crate) fn write_file(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|error| Failure::file("write", path, &error))
}

/// Writes a file at a path relative to `folder`, and creates the folders of the path.
pub(crate) fn write_file_in(folder: &Path, name: &str, text: &str) -> Outcome {
    let path = folder.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::file("create", parent, &error))?;
    }
    write_file(&path, text)
}

/// Creates an empty folder, which is removed when the returned value is dropped.
pub(crate) fn temporary_folder() -> Outcome<tempfile::TempDir> {
    tempfile::tempdir().map_err(|error| Failure::file("create a folder in", &env::temp_dir(), &error))
}

/// Returns every file in a folder and its subfolders, sorted by path. Skips hidden folders and those named `target`.
pub(crate) fn list_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let fail = |error: std::io::Error| Failure::file("list", &folder, &error);
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let (path, name) = (entry.path(), entry.file_name());
            let kind = entry.file_type().map_err(fail)?;
            if kind.is_file() {
                files.push(path);
            } else if kind.is_dir() && name != "target" && !name.as_encoded_bytes().starts_with(b".") {
                folders.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
