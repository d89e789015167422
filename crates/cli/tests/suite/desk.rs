//! A test fixture: a fresh home folder, and the program run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A temporary home folder.
pub(crate) struct Desk {
    folder: TempDir,
}

/// The output and exit code of a run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// The command, without the environment variables of the developer that it reads.
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

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| {
            let folder = self.folder.path().display().to_string();
            String::from_utf8(bytes).unwrap().replace(&folder, "~")
        };
        Run { code: status.code().unwrap_or(-1), out: text(stdout), err: text(stderr) }
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}\n{}\n{}", run.out, run.err);
        run.out
    }

    /// Runs the program, which must succeed and print JSON.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let out = self.ok(&[&["--json"], arguments].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// Copies the bundled session to the folder of Claude Code's session files.
    pub(crate) fn with_session(&self) -> PathBuf {
        self.write(".claude/projects/shop/demo.jsonl", transcripts::DEMO_SESSION)
    }

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
