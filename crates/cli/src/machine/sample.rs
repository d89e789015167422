//! Reads the newest sessions of other clients, within bounds of size and time.

use std::{
    collections::BTreeMap,
    path::Path,
    time::{Duration, Instant},
};

use transcripts::{
    claude_code::{self, ClaudeCode},
    codex::{self, Codex},
    observed::{ObservedSession, ObservedTurn},
    session_file::{Format, SessionFile, SessionReader},
};

use super::clients::{ClientKind, session_folder};

/// The maximum number of bytes of session files that are read.
const MAX_BYTES: u64 = 48 * 1024 * 1024;
/// The longest time to read session files.
const MAX_TIME: Duration = Duration::from_secs(2);

/// The number and size of the session files of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionCounts {
    /// The client.
    pub(crate) kind: ClientKind,
    /// The folder that was searched.
    pub(crate) folder: std::path::PathBuf,
    /// The number of files.
    pub(crate) files: usize,
    /// Their size in bytes.
    pub(crate) bytes: u64,
}

/// A sample of recorded sessions: the turns of the newest ones, oldest session first, and the counts of all session
/// files.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// The session files found, by client; clients without any are missing.
    pub(crate) found: Vec<SessionCounts>,
    /// Turns with their session.
    pub(crate) turns: Vec<(ObservedSession, ObservedTurn)>,
    /// The number of files that `turns` come from.
    pub(crate) files: usize,
}

impl Sample {
    /// Reads the newest sessions of Claude Code and Codex, at most [`MAX_BYTES`] in [`MAX_TIME`]. Skips files that
    /// cannot be read; `import` reports them. `user` is the user's home folder.
    pub(crate) fn read(user: Option<&Path>) -> Self {
        let started = Instant::now();
        let Some(user) = user else { return Self::default() };
        let mut sample = Self::default();
        let mut files: Vec<(SessionFile, ClientKind)> = Vec::new();
        for kind in [ClientKind::ClaudeCode, ClientKind::Codex] {
            let Some(folder) = session_folder(kind, user) else { continue };
            let discovered = match kind {
                ClientKind::Codex => codex::discover(&folder),
                _ => claude_code::discover(&folder),
            };
            let found = discovered.unwrap_or_default();
            if !found.is_empty() {
                let bytes = found.iter().map(|file| file.bytes).sum();
                sample.found.push(SessionCounts { kind, folder, files: found.len(), bytes });
            }
            files.extend(found.into_iter().map(|file| (file, kind)));
        }
        files.sort_by_key(|(file, _)| std::cmp::Reverse(file.first));
        let mut bytes = 0;
        files.retain(|(file, _)| {
            bytes += file.bytes;
            bytes <= MAX_BYTES
        });
        let mut sessions = Vec::new();
        for (file, kind) in &files {
            if MAX_TIME < started.elapsed() {
                break;
            }
            sessions.push(match kind {
                ClientKind::Codex => read_file::<Codex>(&file.path),
                _ => read_file::<ClaudeCode>(&file.path),
            });
        }
        sample.files = sessions.len();
        // Newest first so far; a budget counts in the order of time.
        sample.turns = sessions.into_iter().rev().flatten().collect();
        sample
    }

    /// Returns the models of the sampled turns with their number of turns, most used first. A turn counts for the model
    /// of its first call.
    pub(crate) fn models(&self) -> Vec<(String, usize)> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, turn) in &self.turns {
            if let Some(call) = turn.calls().next() {
                *counts.entry(&call.model).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().map(|(model, count)| (model.to_owned(), count)).collect();
        counts.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        counts
    }
}

/// Reads the turns of a session file; none if it cannot be opened.
fn read_file<F: Format>(path: &Path) -> Vec<(ObservedSession, ObservedTurn)> {
    let Ok(mut reader) = SessionReader::<_, F>::open(path) else { return Vec::new() };
    let mut turns = Vec::new();
    while let Some(turn) = reader.next() {
        if let Some(session) = reader.session() {
            turns.push((session.clone(), turn));
        }
    }
    turns
}
