//! [`Writer`], an example program that writes in a separate process, and its output up to a point in time.

use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

/// Maximum wait for the first output of the program.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running example program, killed when this value is dropped.
pub(crate) struct Writer {
    /// The process.
    child: Child,
    /// File that contains its standard output.
    said: PathBuf,
}

impl Writer {
    /// Starts the example program `name` of this crate. Its output is written to a file in `notes`.
    pub(crate) fn start<'a>(name: &str, arguments: impl IntoIterator<Item = &'a OsStr>, notes: &Path) -> Self {
        let said = notes.join("said");
        let out = File::create(&said).unwrap();
        let child = Command::new(example(name)).args(arguments).stdout(out).spawn().unwrap();
        Self { child, said }
    }

    /// Waits for the first output, lets the program write for `time`, and returns all complete lines of its output so
    /// far. Panics if the program ends.
    pub(crate) fn after(&mut self, time: Duration) -> String {
        let begun = Instant::now();
        while self.said().is_empty() {
            assert!(begun.elapsed() < PATIENCE && self.child.try_wait().unwrap().is_none(), "the program says nothing");
            sleep(Duration::from_millis(1));
        }
        sleep(time);
        assert_eq!(self.child.try_wait().unwrap(), None, "the program ended");
        self.said()
    }

    /// Returns all complete lines of the output so far.
    fn said(&self) -> String {
        let said = fs::read_to_string(&self.said).unwrap();
        said[..said.rfind('\n').map_or(0, |end| end + 1)].to_owned()
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Returns the path of an example program of this crate, which is built with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let path = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    assert!(path.exists(), "`{}` is missing: run `cargo build --package event-bus --examples`", path.display());
    path
}
