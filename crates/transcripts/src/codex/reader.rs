//! Finds the session files of Codex and reads them line by line.

use std::{fs::File, io::BufReader, path::Path};

use contracts::SessionId;

use super::{
    fold::Fold,
    line::{Line, Payload},
};
use crate::{
    observed::{ObservedSession, ObservedTurn},
    session_file::{
        self, DiscoverError, Format, OpenError, Search, SessionFile, Skipped, describe_json_error, parse_rfc3339,
    },
};

/// The session file format of Codex (rollouts): parses each line and adds it to a turn.
#[derive(Debug)]
pub struct Codex(Fold);

/// Reader of a Codex session file.
pub type SessionReader<'a, R> = session_file::SessionReader<'a, R, Codex>;

/// Opens the session file at `path`; the returned reader iterates over its turns.
///
/// # Errors
/// [`OpenError`] if the file cannot be opened.
pub fn read<'a>(path: &Path) -> Result<SessionReader<'a, BufReader<File>>, OpenError> {
    SessionReader::open(path)
}

/// Returns all `rollout-*.jsonl` files below a folder, or the single file at `path`, ordered by the time of their first
/// line.
///
/// # Errors
/// [`DiscoverError`] for the first folder or file that cannot be read.
pub fn discover(path: &Path) -> Result<Vec<SessionFile>, DiscoverError> {
    let search = Search {
        is_session: |name| {
            let is_lines = Path::new(name).extension().is_some_and(|extension| extension == "jsonl");
            is_lines && name.starts_with("rollout-")
        },
        time_of: |line| serde_json::from_str::<Line<'_>>(line).ok()?.timestamp.get().and_then(parse_rfc3339),
    };
    session_file::discover(path, search)
}

impl Format for Codex {
    fn begin(fallback: Option<SessionId>) -> Self {
        Self(Fold::new(fallback))
    }

    fn fold_line(&mut self, number: u64, text: &str) -> Result<(), String> {
        let syntax_message = |error: &serde_json::Error| {
            if error.is_data() {
                format!("the line has an unexpected shape: {}", describe_json_error(error))
            } else {
                format!("not JSON: {}", describe_json_error(error))
            }
        };
        let line: Line<'_> = serde_json::from_str(text).map_err(|error| syntax_message(&error))?;
        if let Some(payload) = &line.payload {
            return self.0.push(number, &line, payload);
        }
        let payload: Payload<'_> = serde_json::from_str(text).map_err(|error| syntax_message(&error))?;
        self.0.push_old_layout(number, &line, &payload)
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
