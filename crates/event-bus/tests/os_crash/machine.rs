//! A virtual disk whose state after a crash of the operating system can be captured at any time during writes. Needs
//! root.
//!
//! It is an ext4 file system in a file on another ext4 file system in a file. Freezing the outer file system suspends
//! all writes to the inner one's device. Data that the inner file system has only in memory is then not in the file.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::support::in_memory;

/// Size of the outer file system in bytes. The file is sparse.
const OUTER: u64 = 400 << 20;
/// Size of the inner file system in bytes. The file is sparse.
const INNER: u64 = 256 << 20;

/// The two file systems, which are unmounted when this value is dropped.
pub(crate) struct Machine {
    /// Directory of the images and mount points.
    place: TempDir,
    /// Mount points, in the order of mounting.
    mounted: Vec<PathBuf>,
    /// Whether the outer file system is frozen.
    frozen: bool,
}

impl Machine {
    /// Creates and mounts the disk. Returns a description of the reason if that is impossible on this machine.
    pub(crate) fn build() -> Result<Self, String> {
        let user = run("id", ["-u"])?;
        if user.trim() != "0" {
            return Err("it takes root to mount a file system".to_owned());
        }
        let mut machine = Self { place: in_memory(), mounted: Vec::new(), frozen: false };
        let outer = machine.file("outer.img", OUTER)?;
        let place = machine.mount(&outer, "outer")?;
        let inner = place.join("inner.img");
        format(&inner, INNER)?;
        machine.mount(&inner, "inner")?;
        Ok(machine)
    }

    /// Returns the mount point of the inner file system, to which programs write.
    pub(crate) fn disk(&self) -> PathBuf {
        self.place.path().join("inner")
    }

    /// Returns a directory for files that crashes do not affect.
    pub(crate) fn notes(&self) -> &Path {
        self.place.path()
    }

    /// Copies the image of the inner file system as a crash at this moment would leave it. Programs continue
    /// afterwards.
    pub(crate) fn crash(&mut self) -> Result<(), String> {
        let outer = self.place.path().join("outer");
        self.frozen = true;
        run("fsfreeze", [OsStr::new("--freeze"), outer.as_os_str()])?;
        let copied =
            run("cp", [OsStr::new("--sparse=always"), outer.join("inner.img").as_os_str(), self.copy().as_os_str()]);
        run("fsfreeze", [OsStr::new("--unfreeze"), outer.as_os_str()])?;
        self.frozen = false;
        copied.map(drop)
    }

    /// Mounts the image of the last crash, with the recovery of the file system, and calls `look` with its mount point.
    /// Then unmounts and removes the image.
    pub(crate) fn look<T>(&mut self, look: impl FnOnce(&Path) -> T) -> Result<T, String> {
        let place = self.mount(&self.copy(), "copy")?;
        let seen = look(&place);
        self.unmount_last()?;
        fs::remove_file(self.copy()).map_err(|error| error.to_string())?;
        Ok(seen)
    }

    /// Returns the path of the image of the last crash.
    fn copy(&self) -> PathBuf {
        self.place.path().join("copy.img")
    }

    /// Creates an image with an empty file system of `size` bytes, and returns its path.
    fn file(&self, name: &str, size: u64) -> Result<PathBuf, String> {
        let path = self.place.path().join(name);
        format(&path, size)?;
        Ok(path)
    }

    /// Mounts an image at the directory `name` beside the images, which is created if it is missing. Returns the
    /// directory.
    fn mount(&mut self, image: &Path, name: &str) -> Result<PathBuf, String> {
        let place = self.place.path().join(name);
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        run("mount", [OsStr::new("-o"), OsStr::new("loop"), image.as_os_str(), place.as_os_str()])?;
        self.mounted.push(place.clone());
        Ok(place)
    }

    /// Unmounts the file system that was mounted last, which also removes its loop device.
    fn unmount_last(&mut self) -> Result<(), String> {
        let Some(place) = self.mounted.last() else { return Ok(()) };
        run("umount", [place])?;
        self.mounted.pop();
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let outer = self.place.path().join("outer");
        if self.frozen {
            drop(run("fsfreeze", [OsStr::new("--unfreeze"), outer.as_os_str()]));
        }
        while let Some(place) = self.mounted.pop() {
            // A program that was killed a moment ago may still have files open.
            if run("umount", [&place]).is_err() {
                drop(run("umount", [OsStr::new("--lazy"), place.as_os_str()]));
            }
        }
    }
}

/// Creates an image with an empty ext4 file system of `size` bytes at `path`.
fn format(path: &Path, size: u64) -> Result<(), String> {
    File::create(path).and_then(|file| file.set_len(size)).map_err(|error| error.to_string())?;
    run("mkfs.ext4", [OsStr::new("-q"), OsStr::new("-F"), path.as_os_str()]).map(drop)
}

/// Runs a program of the system and returns its standard output; a message with its error output if it fails.
fn run(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("`{program}`: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!("`{program}` failed: {}", said(&output.stderr)))
    }
}
