//! A session file as an iterator of turns.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
};

use contracts::SessionId;
use event_core::EventId;

use super::{
    lines::{Lines, MAX_LINE_BYTES, NextLine},
    outcome::{Issue, Skipped},
};
use crate::observed::{ObservedSession, ObservedTurn};

/// What the lines of a file mean: the state between two of them.
pub trait Format {
    /// The state before the first line; `fallback` names the session when no line does.
    fn begin(fallback: Option<SessionId>) -> Self;

    /// Takes a line that begins like an object; `number` counts from 1.
    ///
    /// # Errors
    /// What is wrong with the line, without anything the user may have written.
    fn take(&mut self, number: u64, line: &str) -> Result<(), String>;

    /// Ends what is left at the end of the file.
    fn finish(&mut self);

    /// The next turn that is done, in order.
    fn next_turn(&mut self) -> Option<ObservedTurn>;

    /// The session of the turn that came last, or of the file, as soon as it is known.
    fn session(&self) -> Option<&ObservedSession>;

    /// The lines that were dropped on purpose so far.
    fn skipped(&self) -> &Skipped;
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

/// Reads a session file, turn by turn. When the iterator is exhausted, [`SessionReader::issues`] is complete.
pub struct SessionReader<'a, R, F> {
    file: PathBuf,
    lines: Lines<R>,
    format: F,
    issues: Vec<Issue>,
    progress: Option<Box<dyn FnMut(u64) + 'a>>,
    reported: u64,
    done: bool,
}

impl<F: Format> SessionReader<'_, BufReader<File>, F> {
    /// Opens a session file.
    ///
    /// # Errors
    /// [`OpenError`] when it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let file = File::open(path).map_err(|source| OpenError { path: path.to_owned(), source })?;
        Ok(Self::new(path, BufReader::with_capacity(256 * 1024, file)))
    }
}

impl<'a, R: BufRead, F: Format> SessionReader<'a, R, F> {
    /// Reads from anywhere; `file` is the name in issues, and its stem the session's name if no line gives one.
    pub fn new(file: &Path, source: R) -> Self {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            file: file.to_owned(),
            lines: Lines::new(source, MAX_LINE_BYTES),
            format: F::begin(fallback_name(&stem)),
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

    /// The session of the turn that came last, or of the file; known once the first turn has been read.
    pub fn session(&self) -> Option<&ObservedSession> {
        self.format.session()
    }

    /// The lines that could not be used so far.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// The lines that were dropped on purpose so far.
    pub fn skipped(&self) -> &Skipped {
        self.format.skipped()
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
            Ok(NextLine::TooLong { number }) => Err((number, format!("the line has more than {MAX_LINE_BYTES} bytes"))),
            Ok(NextLine::Bytes { number, bytes }) => {
                take(&mut self.format, number, bytes).map_err(|cause| (number, cause))
            }
            Err(error) => {
                let cause = format!("cannot read on: {error}");
                self.issues.push(Issue { file: self.file.clone(), line: self.lines.number + 1, cause });
                return false;
            }
        };
        if let Err((line, cause)) = outcome {
            self.issues.push(Issue { file: self.file.clone(), line, cause });
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

impl<R: BufRead, F: Format> Iterator for SessionReader<'_, R, F> {
    type Item = ObservedTurn;

    fn next(&mut self) -> Option<ObservedTurn> {
        loop {
            if let Some(turn) = self.format.next_turn() {
                return Some(turn);
            }
            if self.done {
                return None;
            }
            if self.step() {
                self.report(PROGRESS_BYTES);
            } else {
                self.done = true;
                self.format.finish();
                self.report(0);
            }
        }
    }
}

impl<R, F> fmt::Debug for SessionReader<'_, R, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionReader")
            .field("file", &self.file)
            .field("line", &self.lines.number)
            .finish_non_exhaustive()
    }
}

/// Takes one line, or says what is wrong with it.
fn take(format: &mut impl Format, number: u64, bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(());
    }
    if !text.starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    format.take(number, text)
}

/// A session's name from the name of its file, or, if that cannot be one, from its hash.
fn fallback_name(stem: &str) -> Option<SessionId> {
    let hash = EventId::derive(&[stem.as_bytes()]).to_string();
    SessionId::try_from(stem).or_else(|_| SessionId::try_from(hash.as_str())).ok()
}
