//! Finds the session files of Claude Code and reads them line by line.

use std::{fs::File, io::BufReader, path::Path};

use contracts::SessionId;

use super::{
    fold::Fold,
    line::{Kind, Line},
};
use crate::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{self, DiscoverError, Format, OpenError, Search, SessionFile, describe_json_error},
};

pub use crate::session_file::{Issue, Skipped};

/// The session file format of Claude Code: parses each line and adds it to a turn.
#[derive(Debug)]
pub struct ClaudeCode(Fold);

/// Reader of a Claude Code session file.
pub type SessionReader<'a, R> = session_file::SessionReader<'a, R, ClaudeCode>;

/// Opens the session file at `path`; the returned reader iterates over its turns.
///
/// # Errors
/// [`OpenError`] if the file cannot be opened.
pub fn read<'a>(path: &Path) -> Result<SessionReader<'a, BufReader<File>>, OpenError> {
    SessionReader::open(path)
}

/// Returns all `*.jsonl` files below a folder, or the single file at `path`, ordered by the time of their first line.
///
/// # Errors
/// [`DiscoverError`] for the first folder or file that cannot be read.
pub fn discover(path: &Path) -> Result<Vec<SessionFile>, DiscoverError> {
    let search = Search {
        is_session: |name| Path::new(name).extension().is_some_and(|extension| extension == "jsonl"),
        time_of: |line| serde_json::from_str::<Line<'_>>(line).ok()?.at(),
    };
    session_file::discover(path, search)
}

impl Format for ClaudeCode {
    fn begin(fallback: Option<SessionId>) -> Self {
        Self(Fold::new(fallback))
    }

    fn fold_line(&mut self, _number: u64, text: &str) -> Result<(), String> {
        match serde_json::from_str::<Line<'_>>(text) {
            Ok(line) => self.0.push(&line),
            Err(error) => match serde_json::from_str::<Kind<'_>>(text) {
                // The type is known, but not this layout.
                Ok(kind) if matches!(kind.kind.text(), "user" | "assistant" | "system") => Err(format!(
                    "a line of type `{}` has an unexpected shape: {}",
                    kind.kind.text(),
                    describe_json_error(&error)
                )),
                Ok(kind) => {
                    self.0.skipped.count_unknown(kind.kind.text());
                    Ok(())
                }
                Err(error) => Err(format!("not JSON: {}", describe_json_error(&error))),
            },
        }
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    fn next_turn(&mut self) -> Option<ObservedTurn> {
        self.0.ready.pop_front()
    }

    fn session(&self) -> Option<&ObservedSession> {
        self.0.session.as_ref()
    }

    fn skipped(&self) -> &Skipped {
        &self.0.skipped
    }
}
