//! A virtual disk that can be copied at one point in time during writes: the state after a crash of the system.
//!
//! It is an ext4 file system in a file on another ext4 file system in a file. Freezing the outer one makes every write
//! to the inner one's device wait; what the inner one has only in memory is then not in the file.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use super::support::in_memory;

/// Sizes of the two file systems, in bytes. The files have holes where nothing was written.
const OUTER: u64 = 400 << 20;
const INNER: u64 = 256 << 20;

pub(crate) struct Machine {
    place: TempDir,
    mounted: Vec<PathBuf>,
    frozen: bool,
}

impl Machine {
    /// Creates the disk; a description of the reason if that is impossible on this machine.
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

    /// Returns the directory that programs write to.
    pub(crate) fn disk(&self) -> PathBuf {
        self.place.path().join("inner")
    }

    /// Returns a directory for files that crashes do not affect.
    pub(crate) fn notes(&self) -> &Path {
        self.place.path()
    }

    /// Copies the state that a crash at this moment would leave.
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

    /// Mounts the state after the last crash, with the recovery of the file system.
    pub(crate) fn look<T>(&mut self, look: impl FnOnce(&Path) -> T) -> Result<T, String> {
        let place = self.mount(&self.copy(), "copy")?;
        let seen = look(&place);
        self.unmount_last()?;
        fs::remove_file(self.copy()).map_err(|error| error.to_string())?;
        Ok(seen)
    }

    fn copy(&self) -> PathBuf {
        self.place.path().join("copy.img")
    }

    fn file(&self, name: &str, size: u64) -> Result<PathBuf, String> {
        let path = self.place.path().join(name);
        format(&path, size)?;
        Ok(path)
    }

    fn mount(&mut self, image: &Path, name: &str) -> Result<PathBuf, String> {
        let place = self.place.path().join(name);
        fs::create_dir_all(&place).map_err(|error| error.to_string())?;
        run("mount", [OsStr::new("-o"), OsStr::new("loop"), image.as_os_str(), place.as_os_str()])?;
        self.mounted.push(place.clone());
        Ok(place)
    }

    /// Unmounts the last mounted file system, which also removes its loop device.
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

fn format(path: &Path, size: u64) -> Result<(), String> {
    File::create(path).and_then(|file| file.set_len(size)).map_err(|error| error.to_string())?;
    run("mkfs.ext4", [OsStr::new("-q"), OsStr::new("-F"), path.as_os_str()]).map(drop)
}

/// Runs a program of the system and returns its output; its error output if it fails.
fn run(program: &str, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output().map_err(|error| format!("`{program}`: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!("`{program}` failed: {}", said(&output.stderr)))
    }
}
