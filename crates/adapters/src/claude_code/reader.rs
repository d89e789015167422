//! A session file as an iterator of turns.

use std::{
    collections::BTreeMap,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use contracts::SessionId;
use event_core::EventId;

use super::{
    fold::Fold,
    line::{Kind, Line},
    lines::{Lines, MAX_LINE_BYTES, NextLine},
};
use crate::observed::{ObservedSession, ObservedTurn};

/// A line that could not be used. It costs only itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub cause: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: {}", self.file.display(), self.line, self.cause)
    }
}

/// Lines that were left out on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped {
    /// Lines whose `uuid` had been seen before in the file.
    pub repeated: u64,
    /// Lines of types this program has never heard of, by type.
    pub unknown: BTreeMap<String, u64>,
}

impl Skipped {
    pub(super) fn count_unknown(&mut self, kind: &str) {
        let kind = if kind.is_empty() { "(no type)" } else { kind };
        *self.unknown.entry(kind.to_owned()).or_default() += 1;
    }
}

/// A file that cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("cannot open session file `{}`", path.display())]
pub struct OpenError {
    /// The file.
    pub path: PathBuf,
    /// What the system says.
    pub source: io::Error,
}

/// How many bytes pass between two reports of progress.
const PROGRESS_BYTES: u64 = 256 * 1024;

/// Reads a session, turn by turn. When the iterator is exhausted, [`SessionReader::issues`] is complete.
pub struct SessionReader<'a, R> {
    file: PathBuf,
    lines: Lines<R>,
    fold: Fold,
    issues: Vec<Issue>,
    progress: Option<Box<dyn FnMut(u64) + 'a>>,
    reported: u64,
    done: bool,
}

/// Opens a session file.
///
/// # Errors
/// [`OpenError`] when it cannot be opened.
pub fn read<'a>(path: &Path) -> Result<SessionReader<'a, BufReader<File>>, OpenError> {
    let file = File::open(path).map_err(|source| OpenError { path: path.to_owned(), source })?;
    Ok(SessionReader::new(path, BufReader::with_capacity(256 * 1024, file)))
}

impl<'a, R: BufRead> SessionReader<'a, R> {
    /// Reads from anywhere; `file` is the name in issues, and its stem the session's name if no line gives one.
    pub fn new(file: &Path, source: R) -> Self {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            file: file.to_owned(),
            lines: Lines::new(source, MAX_LINE_BYTES),
            fold: Fold::new(fallback_name(&stem)),
            issues: Vec::new(),
            progress: None,
            reported: 0,
            done: false,
        }
    }

    /// Calls back with the bytes read so far, about every 256 KiB and at the end.
    #[must_use]
    pub fn with_progress(mut self, progress: impl FnMut(u64) + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The session, known once the first turn has been read.
    pub fn session(&self) -> Option<&ObservedSession> {
        self.fold.session.as_ref()
    }

    /// The lines that could not be used so far.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// The lines that were left out on purpose so far.
    pub fn skipped(&self) -> &Skipped {
        &self.fold.skipped
    }

    /// Lines read so far.
    pub fn lines_read(&self) -> u64 {
        self.lines.number
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes
    }

    /// Takes one line; false at the end.
    fn step(&mut self) -> bool {
        let outcome = match self.lines.next() {
            Ok(NextLine::End) => return false,
            Ok(NextLine::TooLong) => Err(format!("the line has more than {MAX_LINE_BYTES} bytes")),
            Ok(NextLine::Bytes(bytes)) => take(&mut self.fold, bytes),
            Err(error) => {
                let cause = format!("cannot read on: {error}");
                self.issues.push(Issue { file: self.file.clone(), line: self.lines.number + 1, cause });
                return false;
            }
        };
        if let Err(cause) = outcome {
            self.issues.push(Issue { file: self.file.clone(), line: self.lines.number, cause });
        }
        true
    }

    fn report(&mut self, every: u64) {
        if let Some(progress) = &mut self.progress
            && self.reported + every <= self.lines.bytes
        {
            self.reported = self.lines.bytes;
            progress(self.reported);
        }
    }
}

impl<R: BufRead> Iterator for SessionReader<'_, R> {
    type Item = ObservedTurn;

    fn next(&mut self) -> Option<ObservedTurn> {
        loop {
            if let Some(turn) = self.fold.ready.pop_front() {
                return Some(turn);
            }
            if self.done {
                return None;
            }
            if self.step() {
                self.report(PROGRESS_BYTES);
            } else {
                self.done = true;
                self.fold.finish();
                self.report(0);
            }
        }
    }
}

impl<R> fmt::Debug for SessionReader<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionReader")
            .field("file", &self.file)
            .field("line", &self.lines.number)
            .finish_non_exhaustive()
    }
}

/// Takes one line, or says what is wrong with it.
fn take(fold: &mut Fold, bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(());
    }
    if !text.starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    match serde_json::from_str::<Line<'_>>(text) {
        Ok(line) => fold.push(&line),
        Err(error) => match serde_json::from_str::<Kind<'_>>(text) {
            // A type of line we know has a shape we do not know.
            Ok(kind) if matches!(kind.kind.text(), "user" | "assistant" | "system") => {
                Err(format!("a line of type `{}` has an unexpected shape: {}", kind.kind.text(), in_line(&error)))
            }
            Ok(kind) => {
                fold.skipped.count_unknown(kind.kind.text());
                Ok(())
            }
            Err(error) => Err(format!("not JSON: {}", in_line(&error))),
        },
    }
}

/// The error without the line number serde gives it, which is always 1, and without the value it found, which may be
/// what the user wrote (decision D15).
fn in_line(error: &serde_json::Error) -> String {
    let text = error.to_string().replace(" at line 1 column ", " at column ");
    match text.rsplit_once(", expected ") {
        Some((_, expected)) if error.is_data() => format!("expected {expected}"),
        _ => text,
    }
}

/// A session's name from the name of its file, or, if that cannot be one, from its hash.
fn fallback_name(stem: &str) -> Option<SessionId> {
    let hash = EventId::derive(&[stem.as_bytes()]).to_string();
    SessionId::try_from(stem).or_else(|_| SessionId::try_from(hash.as_str())).ok()
}
