//! Verifies all files of a log directory without changing them.

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
    head::{self, Found, HEAD, Head},
    index::{Failure, INDEX, Index},
    journal::{self, Break, Cursor, End, JOURNAL, Offsets, Step},
    lock,
};

/// Result of verifying a log: counts of what is intact, damage, and deviations without damage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verification {
    /// The number of events in complete batches, up to the first damage.
    pub events: u64,
    /// The hash chain after the last of them; `None` if the journal cannot be read.
    pub chain: Option<Chain>,
    /// How many of them have a purged payload.
    pub purged: u64,
    /// The size of their frames and the file header, in bytes.
    pub bytes: u64,
    /// The number of events whose frame in the index is identical; `None` if the index was not read.
    pub indexed: Option<u64>,
    /// The number of intact texts.
    pub texts: u64,
    /// Their total size, in bytes.
    pub text_bytes: u64,
    /// Damage, in the order it was found.
    pub problems: Vec<Finding>,
    /// Deviations that opening the log repairs, and checks that were skipped.
    pub notes: Vec<Finding>,
}

/// An observation about a file of the log: damage, or a deviation that opening the log repairs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or directory.
    pub path: PathBuf,
    /// The first affected position; `None` for files without positions.
    pub position: Option<Position>,
    /// The observation, for the user.
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

    fn problem(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.problems.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }

    fn note(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.notes.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }
}

/// Verifies every frame, the hash chain, `HEAD`, the index and every text of the log in a directory.
///
/// The index is skipped while another process has the log open.
///
/// # Errors
/// [`LogError::Io`] if a file cannot be read, [`LogError::Format`]. Damage is not an error but part of the outcome.
pub fn verify(directory: impl AsRef<Path>) -> Result<Verification, LogError> {
    let (root, files) = (directory.as_ref(), SystemFiles);
    let mut verified = Verification::default();
    // Before the journal: a concurrent writer extends the journal before it writes `HEAD`.
    let promised = head::read(&files, root)?;
    if let Some(Journal { file, end, behind }) = verify_journal(root, &files, promised, &mut verified)? {
        let index = verify_index(root, &files, &*file, end, &mut verified)?;
        // Only an intact index proves that the incomplete batch before these records was never acknowledged.
        if behind != 0 && index == IndexState::Unsound {
            let detail =
                format!("{behind} intact records follow a damaged one, and no index proves that it was never complete");
            verified.problem(&root.join(JOURNAL), Some(end.position.next()), detail);
        }
    }
    let texts = TextFiles::open(root).walk()?;
    (verified.texts, verified.text_bytes) = (texts.whole, texts.bytes);
    for path in texts.damaged {
        verified.problem(&path, None, "the content does not match the hash in the file name");
    }
    Ok(verified)
}

/// The complete batches of a journal that was verified.
struct Journal {
    /// The journal.
    file: Arc<dyn File>,
    /// End of the last complete batch.
    end: End,
    /// Number of intact records behind an unfinished write, of the same barrier.
    behind: u64,
}

/// State of the index, which decides whether records behind an unfinished write are damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexState {
    /// Not read, since another process has the log open.
    InUse,
    /// The index is intact.
    Sound,
    /// Missing or damaged.
    Unsound,
}

/// Verifies the journal and `HEAD`; `None` if the journal is missing or has a damaged header.
fn verify_journal(
    root: &Path,
    files: &dyn Files,
    promised: Found,
    verified: &mut Verification,
) -> Result<Option<Journal>, LogError> {
    let path = root.join(JOURNAL);
    let file = match files.open(&path, Mode::Read) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            verified.problem(&path, Some(Position(1)), "the file is missing");
            return Ok(None);
        }
        Err(error) => return Err(LogError::io("open", path)(error)),
    };
    let read = |error| LogError::io("read", &path)(error);
    match journal::check_header(journal::read_header(&*file).map_err(read)?, path.clone()) {
        Err(LogError::Damaged { position, detail, .. }) => {
            verified.problem(&path, Some(position), detail);
            return Ok(None);
        }
        other => other?,
    }
    let length = file.length().map_err(read)?;
    let (mut purged, mut head_chain) = (0, None);
    let (scan, behind) = journal::scan_beside_a_writer(&*file, End::START, Offsets::default(), length, |frame| {
        purged += u64::from(frame.purged().is_some());
        if matches!(promised, Found::Head(head) if head.position == frame.position()) {
            head_chain = Some(frame.chain());
        }
    })
    .map_err(read)?;
    let end = scan.whole;
    (verified.events, verified.purged, verified.bytes) = (end.position.0, purged, end.offset);
    verified.chain = Some(end.chain);
    let (next, mut same_barrier) = (Some(end.position.next()), 0);
    match scan.flaw {
        None => {}
        Some(_) if scan.ends_in_room(&behind) => {}
        Some(Break::Foreign(what)) => verified.problem(&path, next, what),
        Some(Break::Torn(what)) => {
            // Records of the same barrier prove nothing: a crash may keep any part of a barrier.
            if behind.synced_before <= end.position.next() {
                same_barrier = behind.count;
                verified.note(&path, next, format!("{} bytes of an unfinished write: {what}", length - end.offset));
            } else {
                verified.problem(&path, next, format!("{what}, and {} intact records follow", behind.count));
            }
        }
    }
    check_head(&root.join(HEAD), promised, end, head_chain.is_none_or(|chain| is_head(promised, chain)), verified);
    Ok(Some(Journal { file, end, behind: same_barrier }))
}

/// Returns whether a chain is the one in `HEAD`.
fn is_head(promised: Found, chain: Chain) -> bool {
    matches!(promised, Found::Head(head) if head.chain == chain)
}

/// Compares `HEAD` with the end of the journal. `agrees` is whether the chains are equal.
fn check_head(path: &Path, promised: Found, end: End, agrees: bool, verified: &mut Verification) {
    match promised {
        Found::Head(Head { position, .. }) if end.position < position => {
            let detail = format!("it names position {position}, the journal ends at {}", end.position);
            verified.problem(path, Some(end.position.next()), detail);
        }
        Found::Head(Head { position, .. }) if !agrees => {
            verified.problem(path, Some(position), "the hash chain of the journal differs from the one in `HEAD`");
        }
        Found::Head(_) => {}
        Found::Missing => verified.note(path, None, "the file is missing"),
        Found::Damaged => verified.note(path, None, "the file is damaged"),
    }
}

/// Compares the index with the journal, frame by frame.
fn verify_index(
    root: &Path,
    files: &dyn Files,
    journal: &dyn File,
    end: End,
    verified: &mut Verification,
) -> Result<IndexState, LogError> {
    let path = root.join(INDEX);
    let _lock = match lock::take(files, root) {
        Err(LogError::InUse { by, .. }) => {
            verified.note(&path, None, format!("skipped: the log is in use by {by}"));
            return Ok(IndexState::InUse);
        }
        other => other?,
    };
    if !crate::files::exists(files, &path).map_err(LogError::io("list", root))? {
        verified.note(&path, None, "the index is missing");
        return Ok(IndexState::Unsound);
    }
    let mut comparison =
        Comparison { cursor: Cursor::new(journal, End::START.offset, end.offset), same: 0, other: None };
    let opened = Index::open(&path, files).map_err(LogError::io("open", &path))?;
    let walked = opened.and_then(|index| {
        index.walk(|frame| comparison.with(frame))?;
        index.distrusted().map_or(Ok(()), |why| Err(Failure(why.to_owned())))
    });
    verified.indexed = Some(comparison.same);
    let state = if walked.is_ok() { IndexState::Sound } else { IndexState::Unsound };
    match (walked, comparison.other) {
        (Err(Failure(what)), _) => verified.note(&path, None, format!("{what}; it is rebuilt from the journal")),
        (Ok(()), Some(position)) if end.position < position => {
            let detail = format!("it has events after position {}, where the journal ends", end.position);
            verified.problem(&path, Some(end.position.next()), detail);
        }
        (Ok(()), Some(position)) => verified.note(&path, Some(position), "its record differs from the journal's"),
        (Ok(()), None) if comparison.same < end.position.0 => {
            verified.note(&path, Some(Position(comparison.same + 1)), "it ends before the journal");
        }
        (Ok(()), None) => {}
    }
    Ok(state)
}

/// Compares frames of the index with the journal in order, up to the first difference.
struct Comparison<'f> {
    /// Position in the journal.
    cursor: Cursor<'f>,
    /// Number of identical frames so far.
    same: u64,
    /// The first position at which the two differ; `None` so far.
    other: Option<Position>,
}

impl Comparison<'_> {
    /// Compares the next frame of the index with the next one of the journal.
    fn with(&mut self, indexed: &Frame<'_>) {
        if self.other.is_some() {
            return;
        }
        match self.cursor.next() {
            Ok(Step::Frame(frame)) if frame.bytes() == indexed.bytes() => self.same += 1,
            Ok(Step::Frame(frame)) => self.other = Some(frame.position()),
            Ok(Step::Flaw(_) | Step::End) | Err(_) => self.other = Some(indexed.position()),
        }
    }
}
