//! Plans a repair: finds the damage, and chooses a frame for every position, from the journal first, then from the
//! index.

use std::{path::Path, sync::Arc};

use event_core::{Position, Timestamp};

use super::{FrameSource, JournalSource, REPAIRED_JOURNAL, RepairPlan, add_position};
use crate::{
    LogError,
    chain::Chain,
    files::{self, File, Files, Mode, SystemFiles},
    frame::{self, Frame, MIN_FRAME},
    head::{self, HeadFile},
    index::{INDEX, Index},
    journal::{self, Cursor, FrameBoundary, Header, JOURNAL, Offsets, Step, StopReason},
    lock,
    sled_log::complete_interrupted_purge,
};

/// Location of a valid frame (encoded event) in the journal.
#[derive(Clone, Copy)]
struct FrameLocation {
    /// Position of its event.
    position: Position,
    /// Offset in the file, in bytes.
    offset: u64,
    /// Length in bytes.
    length: usize,
}

/// Inspects the log in a directory and returns the changes that a repair would make. Completes an interrupted purge and
/// changes nothing else.
///
/// # Errors
/// [`LogError::InUse`] if another process has the log open, [`LogError::Io`] if a file cannot be read, and
/// [`LogError::Format`] for a journal of a newer program.
pub fn plan_repair(directory: impl AsRef<Path>) -> Result<RepairPlan, LogError> {
    plan_repair_with(directory, Arc::new(SystemFiles))
}

/// Plans a repair as [`plan_repair`] does, with a file system other than the operating system's.
///
/// # Errors
/// As [`plan_repair`].
pub fn plan_repair_with(directory: impl AsRef<Path>, files: Arc<dyn Files>) -> Result<RepairPlan, LogError> {
    let root = directory.as_ref();
    // Fails for a missing directory instead of creating it.
    files.list(root).map_err(LogError::io("list", root))?;
    let lock = lock::acquire(&*files, root)?;
    // Otherwise a repair could restore purged payloads from the old index.
    complete_interrupted_purge(root, &*files)?;
    let mut faults = Vec::new();
    let head_file = head::read_head(&*files, root)?;
    let journal = open_journal(root, &*files, &mut faults)?;
    let index = open_index(root, &*files)?;
    let index_end =
        index.as_ref().and_then(|index| index.last_frame().ok().flatten()).map_or(Position::ORIGIN, |(end, _)| end);
    let head = match head_file {
        HeadFile::Valid(head) => head.position,
        HeadFile::Missing | HeadFile::Damaged => Position::ORIGIN,
    };
    let frames = match &journal {
        Some(JournalSource { path, file }) => scan_journal(path, &**file, head_file, head.max(index_end), &mut faults)?,
        None => Vec::new(),
    };
    let last = frames.last().map_or(Position::ORIGIN, |frame| frame.position).max(head).max(index_end);
    let mut plan = RepairPlan {
        root: root.to_owned(),
        files,
        lock,
        journal,
        index,
        sources: Vec::new(),
        faults,
        kept: 0,
        restored: Vec::new(),
        lost: Vec::new(),
        unverified: Vec::new(),
    };
    if plan.is_needed() {
        plan.choose_sources(&frames, last)?;
    }
    Ok(plan)
}

/// Opens the journal, or the complete new journal of an interrupted repair; `None` if both are missing. Adds each
/// missing file to `faults`.
fn open_journal(root: &Path, files: &dyn Files, faults: &mut Vec<String>) -> Result<Option<JournalSource>, LogError> {
    // An interrupted repair may have moved the old journal aside and left only the new one.
    for name in [JOURNAL, REPAIRED_JOURNAL] {
        let path = root.join(name);
        if files::exists(files, &path).map_err(LogError::io("list", root))? {
            let file = files.open(&path, Mode::Read).map_err(LogError::io("open", &path))?;
            return Ok(Some(JournalSource { path, file }));
        }
        faults.push(format!("`{}` is missing", path.display()));
    }
    Ok(None)
}

/// Opens the index of the log; `None` if it is missing or damaged. Fails with [`LogError::Io`] for a transient error,
/// such as a full disk.
fn open_index(root: &Path, files: &dyn Files) -> Result<Option<Index>, LogError> {
    let path = root.join(INDEX);
    if !files::exists(files, &path).map_err(LogError::io("list", root))? {
        return Ok(None);
    }
    Ok(Index::open(&path, files).map_err(LogError::io("open", &path))?.ok())
}

/// Scans the journal and adds descriptions of its damage to `faults`. `required` is the last position in `HEAD` or the
/// index, which the journal must reach. If there is damage, in the journal or in other files, returns every valid frame
/// in the order of positions; otherwise none.
///
/// # Errors
/// [`LogError::Format`] for another format version, [`LogError::Io`] if the file cannot be read.
fn scan_journal(
    path: &Path,
    file: &dyn File,
    head_file: HeadFile,
    required: Position,
    faults: &mut Vec<String>,
) -> Result<Vec<FrameLocation>, LogError> {
    let read_error = |error| LogError::io("read", path)(error);
    let header = journal::read_header(file).map_err(read_error)?;
    if let Header::OtherVersion(_) = header {
        journal::check_header(header, path.to_owned())?;
    }
    if header != Header::Valid {
        faults.push(format!("the header of `{}` is damaged", path.display()));
    }
    let length = file.length().map_err(read_error)?;
    let mut head_chain = None;
    let scan = journal::scan(file, FrameBoundary::START, Offsets::default(), length, |frame| {
        if matches!(head_file, HeadFile::Valid(head) if head.position == frame.position()) {
            head_chain = Some(frame.chain());
        }
    })
    .map_err(read_error)?;
    let end = scan.complete_end.position;
    if end < required {
        faults.push(format!("`{}` is whole up to position {end}, events up to {required} are known", path.display()));
    }
    match (scan.stop, head_file) {
        (Some(StopReason::Foreign(reason)), _) => faults.push(format!("position {}: {reason}", end.next())),
        (Some(StopReason::Torn(reason)), _)
            if !faults.is_empty()
                || journal::find_trailing_frames(file, scan.reached_offset, length).map_err(read_error)?.count != 0 =>
        {
            faults.push(format!("position {}: {reason}", end.next()));
        }
        (_, HeadFile::Valid(head)) if head_chain.is_some_and(|chain| chain != head.chain) => {
            faults.push(format!("position {}: the hash chain is not the one `HEAD` remembers", head.position));
        }
        _ => {}
    }
    if faults.is_empty() { Ok(Vec::new()) } else { find_all_frames(file, length).map_err(read_error) }
}

/// Searches the first `length` bytes of a journal for valid frames, byte by byte. Returns them in the order of
/// positions; several may have the same position.
///
/// # Errors
/// The error of the file system.
fn find_all_frames(file: &dyn File, length: u64) -> std::io::Result<Vec<FrameLocation>> {
    // A position above the maximum number of frames in the file means that a payload contains a valid frame.
    let highest = Position(length / MIN_FRAME as u64);
    let (mut cursor, mut frames) = (Cursor::new(file, 0, length), Vec::new());
    loop {
        let offset = cursor.offset();
        match cursor.next()? {
            Step::Frame(frame) if Position::ORIGIN < frame.position() && frame.position() <= highest => {
                frames.push(FrameLocation { position: frame.position(), offset, length: frame.bytes().len() });
            }
            Step::Frame(_) => {}
            Step::Invalid(_) => {
                cursor.skip_byte();
            }
            Step::End => break,
        }
    }
    frames.sort_by_key(|frame| frame.position);
    Ok(frames)
}

/// The event that the repair has chosen for the previous position; the next event must continue its hash chain.
struct Predecessor {
    /// Its chain value; `None` if the event is lost.
    chain: Option<Chain>,
    /// Time at which it was recorded; if it is lost, that of the last event before it that is not.
    recorded_at: Timestamp,
}

impl Predecessor {
    /// Returns whether the chain value of `frame` follows from this event; false if the event is lost.
    fn is_continued_by(&self, frame: &Frame<'_>) -> bool {
        self.chain.is_some_and(|chain| frame.chain() == frame.chain_after(chain))
    }
}

impl RepairPlan {
    /// Chooses for every position from 1 to `last` where the repair copies its frame from: the journal, the index, or
    /// neither. `frames` are the valid frames of the journal, in the order of positions. Fails with [`LogError::Io`] if
    /// the journal cannot be read.
    fn choose_sources(&mut self, frames: &[FrameLocation], last: Position) -> Result<(), LogError> {
        let mut previous = Predecessor { chain: Some(Chain::ORIGIN), recorded_at: Timestamp(0) };
        let mut remaining = frames;
        for position in (1..=last.0).map(Position) {
            let count = remaining.iter().take_while(|frame| frame.position == position).count();
            let (in_journal, later_frames) = remaining.split_at(count);
            remaining = later_frames;
            let mut candidates = Vec::new();
            for &FrameLocation { offset, length, .. } in in_journal {
                candidates.push((FrameSource::Journal { offset, length }, self.read_from_journal(offset, length)?));
            }
            let continues = |bytes: &[u8]| frame::decode(bytes).is_ok_and(|frame| previous.is_continued_by(&frame));
            if !candidates.iter().any(|(_, bytes)| continues(bytes))
                && let Some(bytes) = self.index.as_ref().and_then(|index| index.read_frame(position).ok().flatten())
            {
                candidates.push((FrameSource::Index, bytes));
            }
            previous = self.choose_source(position, &candidates, &previous);
        }
        Ok(())
    }

    /// Chooses the event for one position of the repaired log. `candidates` are the available frames, each with the
    /// place it was read from. The first that continues the hash chain is preferred, then the first whose time is not
    /// earlier than that of `previous`. Without either the event is lost. Adds the choice to the plan, and returns the
    /// chosen event as the predecessor of the next position.
    fn choose_source(
        &mut self,
        position: Position,
        candidates: &[(FrameSource, Vec<u8>)],
        previous: &Predecessor,
    ) -> Predecessor {
        let frames = || candidates.iter().filter_map(|(source, bytes)| Some((*source, frame::decode(bytes).ok()?)));
        let continuation = frames().find(|(_, frame)| previous.is_continued_by(frame));
        let choice = continuation.or_else(|| frames().find(|(_, frame)| previous.recorded_at <= frame.recorded_at()));
        let Some((source, frame)) = choice else {
            self.sources.push(FrameSource::Lost);
            add_position(&mut self.lost, position);
            return Predecessor { chain: None, recorded_at: previous.recorded_at };
        };
        self.sources.push(source);
        match source {
            FrameSource::Index => add_position(&mut self.restored, position),
            FrameSource::Journal { .. } | FrameSource::Lost => self.kept += 1,
        }
        if continuation.is_none() {
            add_position(&mut self.unverified, position);
        }
        Predecessor { chain: Some(frame.chain()), recorded_at: frame.recorded_at() }
    }

    /// Reads `length` bytes at an offset of the journal; returns no bytes if there is no journal. Bytes beyond the end
    /// of the file are zero.
    pub(super) fn read_from_journal(&self, offset: u64, length: usize) -> Result<Vec<u8>, LogError> {
        let Some(JournalSource { path, file }) = &self.journal else { return Ok(Vec::new()) };
        let mut bytes = vec![0; length];
        files::read_full(&**file, offset, &mut bytes).map_err(LogError::io("read", path))?;
        Ok(bytes)
    }
}
