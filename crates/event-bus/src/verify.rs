//! [`verify`], which checks all files of a log directory without changing them.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use event_core::Position;

use crate::{
    LogError, TextFiles,
    chain::Chain,
    files::{File, Files, Mode, SystemFiles},
    frame::Frame,
    head::{self, HEAD, Head, HeadFile},
    index::{INDEX, Index, IndexFailure},
    journal::{self, Cursor, FrameBoundary, JOURNAL, Offsets, Step, StopReason},
    lock,
};

/// Result of verifying the files of an event log: counts, damage, and deviations that need no repair by the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// Number of events in complete batches, up to the first damage.
    pub events: u64,
    /// Hash chain value of the last of these events; `None` if the journal is missing or has a damaged header.
    pub chain: Option<Chain>,
    /// Number of events with a purged payload.
    pub purged: u64,
    /// Size of the file header and the frames of the events, in bytes.
    pub bytes: u64,
    /// Number of events, from the first on, whose frames in index and journal are equal; `None` if the index was not
    /// read.
    pub indexed: Option<u64>,
    /// Number of intact texts.
    pub texts: u64,
    /// Total length of the intact texts, in bytes.
    pub text_bytes: u64,
    /// Damage, in the order in which it was found.
    pub problems: Vec<Finding>,
    /// Damage that is repaired when the log is opened, and checks that were skipped.
    pub notes: Vec<Finding>,
}

/// An observation about a file of an event log: damage or a deviation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or directory.
    pub path: PathBuf,
    /// The first affected position; `None` for files without positions.
    pub position: Option<Position>,
    /// Description of the observation, for the user.
    pub detail: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.path.display())?;
        if let Some(position) = self.position {
            write!(f, " at position {position}")?;
        }
        write!(f, ": {}", self.detail)
    }
}

impl Verification {
    /// Returns whether no damage was found.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the first damaged position; `None` if no damage has a position.
    pub fn first_damaged(&self) -> Option<Position> {
        self.problems.iter().filter_map(|problem| problem.position).min()
    }

    /// Adds damage of a file to the result. `position` is the first affected event; `None` for files without positions.
    fn add_problem(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.problems.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }

    /// Adds an observation about a file that is not damage to the result. `position` is the first affected event;
    /// `None` for files without positions.
    fn add_note(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.notes.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }
}

/// Verifies every frame, the hash chain, `HEAD`, the index and every text of the log in a directory. Changes no events,
/// and may run beside a process that writes the log; the index is skipped then.
///
/// # Errors
/// [`LogError::Io`] if a file cannot be read, [`LogError::Format`] if the journal has an unknown format version. Damage
/// is not an error but part of the result.
pub fn verify(directory: impl AsRef<Path>) -> Result<Verification, LogError> {
    let (root, files) = (directory.as_ref(), SystemFiles);
    let mut verification = Verification::default();
    // Before the journal: a concurrent writer extends the journal before it writes `HEAD`.
    let head_file = head::read_head(&files, root)?;
    if let Some(Journal { file, end, trailing }) = verify_journal(root, &files, head_file, &mut verification)? {
        let index = verify_index(root, &files, &*file, end, &mut verification)?;
        // Only an intact index proves that the incomplete batch before these frames was never acknowledged.
        if trailing != 0 && index == IndexCheck::Unsound {
            let detail = format!(
                "{trailing} intact records follow a damaged one, and no index proves that it was never complete"
            );
            verification.add_problem(&root.join(JOURNAL), Some(end.position.next()), detail);
        }
    }
    let texts = TextFiles::open(root).verify_all()?;
    (verification.texts, verification.text_bytes) = (texts.intact, texts.intact_bytes);
    for path in texts.damaged {
        verification.add_problem(&path, None, "the content does not match the hash in the file name");
    }
    Ok(verification)
}

/// The part of a journal file that was verified.
struct Journal {
    /// The open file.
    file: Arc<dyn File>,
    /// End of the last complete batch.
    end: FrameBoundary,
    /// Number of intact frames that follow an unfinished write and may belong to the same barrier.
    trailing: u64,
}

/// Whether the index of a log can be used, as found when the log is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexCheck {
    /// Not read, since another process has the log open.
    InUse,
    /// Every frame can be decoded, and no rebuild is required.
    Sound,
    /// Missing, damaged or marked for a rebuild.
    Unsound,
}

/// Verifies the journal of a log, compares it with the `HEAD` file, and adds counts and findings to `verification`.
/// Returns `None` if the journal is missing or has a damaged header.
fn verify_journal(
    root: &Path,
    files: &dyn Files,
    head_file: HeadFile,
    verification: &mut Verification,
) -> Result<Option<Journal>, LogError> {
    let path = root.join(JOURNAL);
    let file = match files.open(&path, Mode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            verification.add_problem(&path, Some(Position(1)), "the file is missing");
            return Ok(None);
        }
        Err(error) => return Err(LogError::io("open", path)(error)),
    };
    let read_error = |error| LogError::io("read", &path)(error);
    match journal::check_header(journal::read_header(&*file).map_err(read_error)?, path.clone()) {
        Err(LogError::Damaged { position, detail, .. }) => {
            verification.add_problem(&path, Some(position), detail);
            return Ok(None);
        }
        other => other?,
    }
    let length = file.length().map_err(read_error)?;
    let (mut purged_events, mut head_chain) = (0, None);
    let (scan, trailing) =
        journal::scan_beside_a_writer(&*file, FrameBoundary::START, Offsets::default(), length, |frame| {
            purged_events += u64::from(frame.purged().is_some());
            if matches!(head_file, HeadFile::Valid(head) if head.position == frame.position()) {
                head_chain = Some(frame.chain());
            }
        })
        .map_err(read_error)?;
    let end = scan.complete_end;
    (verification.events, verification.purged, verification.bytes) = (end.position.0, purged_events, end.offset);
    verification.chain = Some(end.chain);
    let (next_position, mut trailing_in_barrier) = (Some(end.position.next()), 0);
    match scan.stop {
        None => {}
        Some(_) if scan.ends_in_padding(&trailing) => {}
        Some(StopReason::Foreign(reason)) => verification.add_problem(&path, next_position, reason),
        Some(StopReason::Torn(reason)) => {
            // Frames of the same barrier are no proof of damage: any part of a barrier may survive a crash.
            if trailing.synced_before <= end.position.next() {
                trailing_in_barrier = trailing.count;
                verification.add_note(
                    &path,
                    next_position,
                    format!("{} bytes of an unfinished write: {reason}", length - end.offset),
                );
            } else {
                verification.add_problem(
                    &path,
                    next_position,
                    format!("{reason}, and {} intact records follow", trailing.count),
                );
            }
        }
    }
    compare_head(&root.join(HEAD), head_file, end, head_chain, verification);
    Ok(Some(Journal { file, end, trailing: trailing_in_barrier }))
}

/// Compares the `HEAD` file at `path` with the journal, and adds the findings to `verification`. `end` is the end of
/// the journal; `journal_chain` is its chain value at the position in `HEAD`, `None` if it has no event there.
fn compare_head(
    path: &Path,
    head_file: HeadFile,
    end: FrameBoundary,
    journal_chain: Option<Chain>,
    verification: &mut Verification,
) {
    match head_file {
        HeadFile::Valid(Head { position, .. }) if end.position < position => {
            let detail = format!("it names position {position}, the journal ends at {}", end.position);
            verification.add_problem(path, Some(end.position.next()), detail);
        }
        HeadFile::Valid(Head { position, chain, .. }) if journal_chain.is_some_and(|journal| journal != chain) => {
            verification.add_problem(
                path,
                Some(position),
                "the hash chain of the journal differs from the one in `HEAD`",
            );
        }
        HeadFile::Valid(_) => {}
        HeadFile::Missing => verification.add_note(path, None, "the file is missing"),
        HeadFile::Damaged => verification.add_note(path, None, "the file is damaged"),
    }
}

/// Compares the index with the journal up to `end`, frame by frame, and adds the count and the findings to
/// `verification`. Skips the index if another process has the log open.
fn verify_index(
    root: &Path,
    files: &dyn Files,
    journal: &dyn File,
    end: FrameBoundary,
    verification: &mut Verification,
) -> Result<IndexCheck, LogError> {
    let path = root.join(INDEX);
    let _lock = match lock::acquire(files, root) {
        Err(LogError::InUse { by, .. }) => {
            verification.add_note(&path, None, format!("skipped: the log is in use by {by}"));
            return Ok(IndexCheck::InUse);
        }
        other => other?,
    };
    if !crate::files::exists(files, &path).map_err(LogError::io("list", root))? {
        verification.add_note(&path, None, "the index is missing");
        return Ok(IndexCheck::Unsound);
    }
    let cursor = Cursor::new(journal, FrameBoundary::START.offset, end.offset);
    let mut comparison = IndexComparison { cursor, equal: 0, difference: None };
    let index = Index::open(&path, files).map_err(LogError::io("open", &path))?;
    let comparison_result = index.and_then(|index| {
        index.for_each_frame(|frame| comparison.compare_next(frame))?;
        index.rebuild_reason().map_or(Ok(()), |reason| Err(IndexFailure::new(reason.to_owned())))
    });
    verification.indexed = Some(comparison.equal);
    let state = if comparison_result.is_ok() { IndexCheck::Sound } else { IndexCheck::Unsound };
    match (comparison_result, comparison.difference) {
        (Err(IndexFailure { cause: reason, .. }), _) => {
            verification.add_note(&path, None, format!("{reason}; it is rebuilt from the journal"));
        }
        (Ok(()), Some(position)) if end.position < position => {
            let detail = format!("it has events after position {}, where the journal ends", end.position);
            verification.add_problem(&path, Some(end.position.next()), detail);
        }
        (Ok(()), Some(position)) => {
            verification.add_note(&path, Some(position), "its record differs from the journal's");
        }
        (Ok(()), None) if comparison.equal < end.position.0 => {
            verification.add_note(&path, Some(Position(comparison.equal + 1)), "it ends before the journal");
        }
        (Ok(()), None) => {}
    }
    Ok(state)
}

/// Compares the events in the index with those in the journal in order, up to the first difference.
struct IndexComparison<'f> {
    /// Reads the journal.
    cursor: Cursor<'f>,
    /// Number of equal frames before the first difference.
    equal: u64,
    /// First position at which index and journal differ; `None` while they are equal.
    difference: Option<Position>,
}

impl IndexComparison<'_> {
    /// Compares an event of the index with the next event of the journal, and counts it if they are equal. Otherwise
    /// records the position of the difference; the end of the journal or a read error is one too. Does nothing after
    /// the first difference.
    fn compare_next(&mut self, indexed: &Frame<'_>) {
        if self.difference.is_some() {
            return;
        }
        match self.cursor.next() {
            Ok(Step::Frame(frame)) if frame.bytes() == indexed.bytes() => self.equal += 1,
            Ok(Step::Frame(frame)) => self.difference = Some(frame.position()),
            Ok(Step::Invalid(_) | Step::End) | Err(_) => self.difference = Some(indexed.position()),
        }
    }
}
