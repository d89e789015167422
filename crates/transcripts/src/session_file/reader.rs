//! [`SessionReader`], an iterator over the turns of a session file, and [`Format`], which interprets the lines of one
//! file format.

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

/// Interprets the lines of one file format and combines them into turns. An implementation is the reader state between
/// two lines.
pub trait Format {
    /// Creates the state before the first line. `fallback` is the session id of files that do not contain one.
    fn begin(fallback: Option<SessionId>) -> Self;

    /// Reads a line that starts with `{` and adds it to the turn it belongs to; `number` is its number, from 1.
    ///
    /// # Errors
    /// A description of the error in the line, without text that the user may have written.
    fn fold_line(&mut self, number: u64, line: &str) -> Result<(), String>;

    /// Finishes open turns at the end of the file.
    fn finish(&mut self);

    /// Returns the next finished turn; `None` if more lines are needed.
    fn next_turn(&mut self) -> Option<ObservedTurn>;

    /// Returns the session of the last turn, or of the file; `None` until it is known.
    fn session(&self) -> Option<&ObservedSession>;

    /// Returns the counts of lines dropped by design so far.
    fn skipped(&self) -> &Skipped;
}

/// An error of opening a session file for reading.
#[derive(Debug, thiserror::Error)]
#[error("cannot open session file `{}`", path.display())]
pub struct OpenError {
    /// Path of the file.
    pub path: PathBuf,
    /// Error of the operating system.
    pub source: io::Error,
}

/// Minimum number of bytes between two reports of progress.
const PROGRESS_BYTES: u64 = 256 * 1024;

/// An iterator over the turns of a session file. After the last turn, [`SessionReader::issues`] is complete.
pub struct SessionReader<'a, R, F> {
    /// Path of the file in issues.
    file: PathBuf,
    /// Lines of the file.
    lines: Lines<R>,
    /// State of the format after the lines read so far.
    format: F,
    /// Lines that could not be used so far, with the reasons.
    issues: Vec<Issue>,
    /// Callback for the number of bytes read so far; `None` if progress is not reported.
    progress: Option<Box<dyn FnMut(u64) + 'a>>,
    /// Number of bytes at the last report of progress.
    reported_bytes: u64,
    /// Whether the end of the file was reached.
    is_done: bool,
}

impl<F: Format> SessionReader<'_, BufReader<File>, F> {
    /// Opens the session file at `path`.
    ///
    /// # Errors
    /// [`OpenError`] if the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let file = File::open(path).map_err(|source| OpenError { path: path.to_owned(), source })?;
        Ok(Self::new(path, BufReader::with_capacity(256 * 1024, file)))
    }
}

impl<'a, R: BufRead, F: Format> SessionReader<'a, R, F> {
    /// Creates a reader of the session file `source`. `file` is its path for messages; its name without extension is
    /// the session id of files that contain none.
    pub fn new(file: &Path, source: R) -> Self {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            file: file.to_owned(),
            lines: Lines::new(source, MAX_LINE_BYTES),
            format: F::begin(fallback_session_id(&stem)),
            issues: Vec::new(),
            progress: None,
            reported_bytes: 0,
            is_done: false,
        }
    }

    /// Sets a callback that receives the number of bytes read so far, about every 256 KiB and at the end of the file.
    #[must_use]
    pub fn with_progress(mut self, progress: impl FnMut(u64) + 'a) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// Returns the session of the last turn, or of the file; known once the first turn has been read. `None` before
    /// that.
    pub fn session(&self) -> Option<&ObservedSession> {
        self.format.session()
    }

    /// Returns the lines that could not be used so far, with the reasons.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Returns the counts of lines dropped by design so far.
    pub fn skipped(&self) -> &Skipped {
        self.format.skipped()
    }

    /// Returns the number of lines read so far.
    pub fn lines_read(&self) -> u64 {
        self.lines.number
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes
    }

    /// Reads one line of the session file and passes it to the format. An unusable line or a read error is added to the
    /// issues. Returns false at the end of the file and after a read error.
    fn read_line(&mut self) -> bool {
        let outcome = match self.lines.next() {
            Ok(NextLine::End) => return false,
            Ok(NextLine::TooLong { number }) => Err((number, format!("the line has more than {MAX_LINE_BYTES} bytes"))),
            Ok(NextLine::Bytes { number, bytes }) => {
                fold_bytes(&mut self.format, number, bytes).map_err(|cause| (number, cause))
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

    /// Calls the progress callback if at least `every` bytes were read since it was last called.
    fn report_progress(&mut self, every: u64) {
        if let Some(progress) = &mut self.progress
            && self.reported_bytes + every <= self.lines.bytes
        {
            self.reported_bytes = self.lines.bytes;
            progress(self.reported_bytes);
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
            if self.is_done {
                return None;
            }
            if self.read_line() {
                self.report_progress(PROGRESS_BYTES);
            } else {
                self.is_done = true;
                self.format.finish();
                self.report_progress(0);
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

/// Passes the line `number`, from 1, to the format of the file. Empty lines are ignored, and so is a byte-order mark.
///
/// # Errors
/// A description of the problem if the line is not UTF-8 or not a JSON object, or that of [`Format::fold_line`].
fn fold_bytes(format: &mut impl Format, number: u64, bytes: &[u8]) -> Result<(), String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("not UTF-8: {error}"))?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Ok(());
    }
    if !text.starts_with('{') {
        return Err("not a JSON object".to_owned());
    }
    format.fold_line(number, text)
}

/// Returns the session id for a file name without extension: the name, or its hash if it is not a valid id.
fn fallback_session_id(stem: &str) -> Option<SessionId> {
    let hash = EventId::derive(&[stem.as_bytes()]).to_string();
    SessionId::try_from(stem).or_else(|_| SessionId::try_from(hash.as_str())).ok()
}
