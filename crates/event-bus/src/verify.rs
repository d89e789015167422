//! A walk over everything a log directory holds, changing nothing of the record.

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

/// What a walk over a log found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Whole events, from the first on.
    pub events: u64,
    /// The hash chain after the last of them.
    pub chain: Option<Chain>,
    /// How many of them had their payload removed; the chain holds all the same.
    pub purged: u64,
    /// Bytes of the journal that hold them.
    pub bytes: u64,
    /// Events of which the index holds the same frame, or nothing when it was not looked at.
    pub indexed: Option<u64>,
    /// Whole texts.
    pub texts: u64,
    /// Bytes of those.
    pub text_bytes: u64,
    /// What is damaged, the first first.
    pub problems: Vec<Finding>,
    /// What opening the log puts right by itself, and what was not looked at.
    pub notes: Vec<Finding>,
}

/// Something worth knowing about one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file or directory.
    pub path: PathBuf,
    /// The first position concerned, for what has positions.
    pub position: Option<Position>,
    /// What was found.
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

impl Verified {
    /// Whether nothing is damaged.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The first position that cannot be trusted.
    pub fn first_bad(&self) -> Option<Position> {
        self.problems.iter().filter_map(|problem| problem.position).min()
    }

    fn problem(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.problems.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }

    fn note(&mut self, path: &Path, position: Option<Position>, detail: impl Into<String>) {
        self.notes.push(Finding { path: path.to_owned(), position, detail: detail.into() });
    }
}

/// Reads every frame, the chain, `HEAD`, the index and every text of the log in a directory.
///
/// The index is looked at only when no other process has the log open.
///
/// # Errors
/// [`LogError::Io`] when a file cannot be read, [`LogError::Format`]; damage is no error but part of the result.
pub fn verify(directory: impl AsRef<Path>) -> Result<Verified, LogError> {
    let (root, files) = (directory.as_ref(), SystemFiles);
    let mut verified = Verified::default();
    // Before the journal: a writer at work moves the journal on first.
    let promised = head::read(&files, root)?;
    if let Some(Journal { file, end, behind }) = walk_journal(root, &files, promised, &mut verified)? {
        let index = walk_index(root, &files, &*file, end, &mut verified)?;
        // Only a sound index shows that what stands before these records was never acknowledged.
        if behind != 0 && index == Looked::Unsound {
            let detail =
                format!("{behind} whole records stand behind a hole, and no index shows that it was never whole");
            verified.problem(&root.join(JOURNAL), Some(end.position.next()), detail);
        }
    }
    let texts = TextFiles::of(root).walk()?;
    (verified.texts, verified.text_bytes) = (texts.whole, texts.bytes);
    for path in texts.damaged {
        verified.problem(&path, None, "the text is not what its name says");
    }
    Ok(verified)
}

/// The whole part of a journal.
struct Journal {
    file: Arc<dyn File>,
    end: End,
    /// Whole records behind an unfinished write, of the same barrier.
    behind: u64,
}

/// What became of looking at the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Looked {
    /// Another process has the log.
    Elsewhere,
    Sound,
    /// Missing, or damaged.
    Unsound,
}

fn walk_journal(
    root: &Path,
    files: &dyn Files,
    promised: Found,
    verified: &mut Verified,
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
            // Records of the same barrier are no proof: a crash may have kept any part of it.
            if behind.synced_before <= end.position.next() {
                same_barrier = behind.count;
                verified.note(&path, next, format!("{} bytes of an unfinished write: {what}", length - end.offset));
            } else {
                verified.problem(&path, next, format!("{what}, and {} whole records stand behind it", behind.count));
            }
        }
    }
    check_head(&root.join(HEAD), promised, end, head_chain.is_none_or(|chain| is_head(promised, chain)), verified);
    Ok(Some(Journal { file, end, behind: same_barrier }))
}

fn is_head(promised: Found, chain: Chain) -> bool {
    matches!(promised, Found::Head(head) if head.chain == chain)
}

fn check_head(path: &Path, promised: Found, end: End, agrees: bool, verified: &mut Verified) {
    match promised {
        Found::Head(Head { position, .. }) if end.position < position => {
            let detail = format!("it knows events up to position {position}, the journal has {}", end.position);
            verified.problem(path, Some(end.position.next()), detail);
        }
        Found::Head(Head { position, .. }) if !agrees => {
            verified.problem(path, Some(position), "the hash chain is not the one it remembers");
        }
        Found::Head(_) => {}
        Found::Missing => verified.note(path, None, "the file is missing"),
        Found::Damaged => verified.note(path, None, "the file is damaged"),
    }
}

/// Compares the index with the journal, frame by frame.
fn walk_index(
    root: &Path,
    files: &dyn Files,
    journal: &dyn File,
    end: End,
    verified: &mut Verified,
) -> Result<Looked, LogError> {
    let path = root.join(INDEX);
    let _lock = match lock::take(files, root) {
        Err(LogError::InUse { by, .. }) => {
            verified.note(&path, None, format!("not looked at: the log is in use by {by}"));
            return Ok(Looked::Elsewhere);
        }
        other => other?,
    };
    if !crate::files::exists(files, &path).map_err(LogError::io("list", root))? {
        verified.note(&path, None, "the index is missing");
        return Ok(Looked::Unsound);
    }
    let mut comparison =
        Comparison { cursor: Cursor::new(journal, End::START.offset, end.offset), same: 0, other: None };
    let opened = Index::open(&path, files).map_err(LogError::io("open", &path))?;
    let walked = opened.and_then(|index| {
        index.walk(|frame| comparison.with(frame))?;
        index.distrusted().map_or(Ok(()), |why| Err(Failure(why.to_owned())))
    });
    verified.indexed = Some(comparison.same);
    let looked = if walked.is_ok() { Looked::Sound } else { Looked::Unsound };
    match (walked, comparison.other) {
        (Err(Failure(what)), _) => verified.note(&path, None, format!("{what}; it is built again from the journal")),
        (Ok(()), Some(position)) if end.position < position => {
            let detail = format!("it knows events after position {}, where the journal ends", end.position);
            verified.problem(&path, Some(end.position.next()), detail);
        }
        (Ok(()), Some(position)) => verified.note(&path, Some(position), "it does not have the journal's record"),
        (Ok(()), None) if comparison.same < end.position.0 => {
            verified.note(&path, Some(Position(comparison.same + 1)), "it ends before the journal");
        }
        (Ok(()), None) => {}
    }
    Ok(looked)
}

struct Comparison<'f> {
    cursor: Cursor<'f>,
    same: u64,
    /// The first position at which the two differ.
    other: Option<Position>,
}

impl Comparison<'_> {
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
