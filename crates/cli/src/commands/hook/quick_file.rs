//! Replaces files that can be computed again, without waiting for the disk.

use std::{
    fs::{self, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use adapters::create_own_folder;

/// Replaces the content of a file atomically, with mode 0600, and creates its folder. The content is not synced: after a crash
/// of the machine it can be the old one, the new one or damaged.
///
/// # Errors
/// The errors of the operating system.
pub(super) fn replace_quickly(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    create_own_folder(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = folder.join(name);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&temporary)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| fs::rename(&temporary, path));
    written.inspect_err(|_| {
        // It may not exist.
        let _ = fs::remove_file(&temporary);
    })
}

/// Deletes the oldest files of a folder, so that at most `most` remain.
///
/// # Errors
/// The errors of the operating system if the folder cannot be listed.
pub(super) fn keep_newest(folder: &Path, most: usize) -> io::Result<()> {
    let mut files: Vec<(SystemTime, PathBuf)> = fs::read_dir(folder)?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort();
    let surplus = files.len().saturating_sub(most);
    for (_, path) in files.into_iter().take(surplus) {
        // Another process may have deleted it.
        let _ = fs::remove_file(path);
    }
    Ok(())
}
