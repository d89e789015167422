//! A test fixture: a temporary home folder in which the program is run.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A temporary home folder, deleted on drop.
pub(crate) struct Desk {
    /// The folder, which is the home, the current folder and the folder for temporary files.
    folder: TempDir,
}

/// The exit code and the output of a run.
pub(crate) struct Run {
    /// The exit code; -1 if a signal ended the process.
    pub(crate) code: i32,
    /// The standard output, with `~` for the path of the home folder.
    pub(crate) out: String,
    /// The standard error, with `~` for the path of the home folder.
    pub(crate) err: String,
}

impl Desk {
    /// Creates an empty home folder.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// Returns the absolute path of a file in the home folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file in the home folder, with its folders, and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Creates a command of the program with only the environment variables of this home, not those of the developer.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnwise"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TZ", "UTC")
            .env("TMPDIR", self.folder.path())
            .current_dir(self.folder.path());
        command
    }

    /// Runs the program and waits for its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| {
            let folder = self.folder.path().display().to_string();
            String::from_utf8(bytes).unwrap().replace(&folder, "~")
        };
        Run { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }

    /// Runs the program, which must succeed, and returns its standard output.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}\n{}\n{}", run.out, run.err);
        run.out
    }

    /// Runs the program with `--json`; it must succeed and print JSON.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let out = self.ok(&[&["--json"], arguments].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Copies the bundled session to the folder of Claude Code's session files and returns the path of the copy.
    pub(crate) fn with_session(&self) -> PathBuf {
        self.write(".claude/projects/shop/demo.jsonl", transcripts::DEMO_SESSION)
    }

    /// Returns the path of the log's folder.
    pub(crate) fn log(&self) -> PathBuf {
        self.path(".turnwise/log")
    }
}

/// Formats the exit code and the output of a run.
pub(crate) fn said(run: &Run) -> String {
    format!("exit {}\n{}{}", run.code, run.out, run.err)
}

/// Flips one bit in the middle of a file.
pub(crate) fn flip_a_bit(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).unwrap();
}
