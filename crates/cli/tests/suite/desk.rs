//! A home folder of its own, and the program run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// A fresh home.
pub(crate) struct Desk {
    folder: TempDir,
}

/// What a run printed and how it ended.
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

    /// The command, with nothing of the developer's own environment that matters.
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

    /// A run that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, arguments: &[&str]) -> String {
        let run = self.run(arguments);
        assert_eq!(run.code, 0, "{arguments:?}\n{}\n{}", run.out, run.err);
        run.out
    }

    /// A run that must succeed and print JSON.
    #[track_caller]
    pub(crate) fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let out = self.ok(&[&["--json"], arguments].concat());
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }

    /// The bundled session in the place where Claude Code keeps its own.
    pub(crate) fn with_session(&self) -> PathBuf {
        self.write(".claude/projects/shop/demo.jsonl", transcripts::DEMO_SESSION)
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.path(".turnwise/log")
    }
}

/// What a failed run says, with its code.
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
