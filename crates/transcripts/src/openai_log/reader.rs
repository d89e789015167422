//! Finds logs of chat completions and reads them line by line.

use std::{fs::File, io::BufReader, path::Path};

use contracts::SessionId;

use super::{
    fold::{Fold, time_of},
    line::Line,
};
use crate::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{self, DiscoverError, Format, OpenError, Search, SessionFile, Skipped, describe_json_error},
};

/// The file format of a log of chat completions: parses each line and adds it to a turn.
#[derive(Debug)]
pub struct OpenAiLog(Fold);

/// Reader of a log of chat completions.
pub type SessionReader<'a, R> = session_file::SessionReader<'a, R, OpenAiLog>;

/// Opens the log at `path`; the returned reader iterates over its turns.
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
        time_of: |line| time_of(&serde_json::from_str::<Line<'_>>(line).ok()?),
    };
    session_file::discover(path, search)
}

impl Format for OpenAiLog {
    fn begin(_fallback: Option<SessionId>) -> Self {
        Self(Fold::default())
    }

    fn fold_line(&mut self, _number: u64, text: &str) -> Result<(), String> {
        match serde_json::from_str::<Line<'_>>(text) {
            Ok(line) => self.0.push(text, &line),
            Err(error) if error.is_data() => {
                Err(format!("the line has an unexpected shape: {}", describe_json_error(&error)))
            }
            Err(error) => Err(format!("not JSON: {}", describe_json_error(&error))),
        }
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    fn next_turn(&mut self) -> Option<ObservedTurn> {
        self.0.next_turn()
    }

    fn session(&self) -> Option<&ObservedSession> {
        self.0.session.as_ref()
    }

    fn skipped(&self) -> &Skipped {
        &self.0.skipped
    }
}
