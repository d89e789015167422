//! Plans a repair: chooses a frame for every position, from the journal first, then from the index.

use std::{path::Path, sync::Arc};

use event_core::{Position, Timestamp};

use super::{Piece, REPAIRED, RepairPlan, Source, extend};
use crate::{
    LogError,
    chain::Chain,
    files::{self, File, Files, Mode, SystemFiles},
    frame::{self, Frame, MIN_FRAME},
    head::{self, Found},
    index::{INDEX, Index},
    journal::{self, Break, Cursor, End, Header, JOURNAL, Offsets, Step},
    lock,
    sled_log::finish_purge,
};

/// Location of a valid frame in the damaged journal.
#[derive(Clone, Copy)]
struct Find {
    /// Position of the event.
    position: Position,
    /// Offset of the frame in the journal.
    offset: u64,
    /// Length of the frame in bytes.
    length: usize,
}

/// Inspects a log and returns what a repair would change.
///
/// # Errors
/// [`LogError::InUse`], [`LogError::Io`], and [`LogError::Format`] for a journal of a newer program.
pub fn plan_repair(directory: impl AsRef<Path>) -> Result<RepairPlan, LogError> {
    plan_repair_with(directory, Arc::new(SystemFiles))
}

/// [`plan_repair`] on other files than the operating system's.
///
/// # Errors
/// As [`plan_repair`].
pub fn plan_repair_with(directory: impl AsRef<Path>, files: Arc<dyn Files>) -> Result<RepairPlan, LogError> {
    let root = directory.as_ref();
    // Fails for a missing directory instead of creating it.
    files.list(root).map_err(LogError::io("list", root))?;
    let lock = lock::take(&*files, root)?;
    // Otherwise a repair could restore purged payloads from the old index.
    finish_purge(root, &*files)?;
    let mut faults = Vec::new();
    let found = head::read(&*files, root)?;
    let journal = open_journal(root, &*files, &mut faults)?;
    let index = open_index(root, &*files)?;
    let last = index.as_ref().and_then(|index| index.last().ok().flatten()).map_or(Position::ORIGIN, |(last, _)| last);
    let promised = match found {
        Found::Head(head) => head.position,
        Found::Missing | Found::Damaged => Position::ORIGIN,
    };
    let finds = match &journal {
        Some(Source { path, file }) => walk(path, &**file, found, promised.max(last), &mut faults)?,
        None => Vec::new(),
    };
    let known = finds.last().map_or(Position::ORIGIN, |find| find.position).max(promised).max(last);
    let mut plan = RepairPlan {
        root: root.to_owned(),
        files,
        lock,
        journal,
        index,
        pieces: Vec::new(),
        faults,
        kept: 0,
        restored: Vec::new(),
        lost: Vec::new(),
        unverified: Vec::new(),
    };
    if plan.is_needed() {
        plan.choose(&finds, known)?;
    }
    Ok(plan)
}

/// Opens the journal, or the new one of an interrupted repair; `None` if neither exists. Adds missing files to
/// `faults`.
fn open_journal(root: &Path, files: &dyn Files, faults: &mut Vec<String>) -> Result<Option<Source>, LogError> {
    // An interrupted repair may have moved the old journal aside and left only the new one.
    for name in [JOURNAL, REPAIRED] {
        let path = root.join(name);
        if files::exists(files, &path).map_err(LogError::io("list", root))? {
            let file = files.open(&path, Mode::Read).map_err(LogError::io("open", &path))?;
            return Ok(Some(Source { path, file }));
        }
        faults.push(format!("`{}` is missing", path.display()));
    }
    Ok(None)
}

/// Opens the index; `None` if it is missing or damaged.
fn open_index(root: &Path, files: &dyn Files) -> Result<Option<Index>, LogError> {
    let path = root.join(INDEX);
    if !files::exists(files, &path).map_err(LogError::io("list", root))? {
        return Ok(None);
    }
    Ok(Index::open(&path, files).map_err(LogError::io("open", &path))?.ok())
}

/// Scans the journal and adds its damage to `faults`. Returns every valid frame in the order of positions, or nothing if the
/// journal is intact.
fn walk(
    path: &Path,
    file: &dyn File,
    found: Found,
    demanded: Position,
    faults: &mut Vec<String>,
) -> Result<Vec<Find>, LogError> {
    let read = |error| LogError::io("read", path)(error);
    let header = journal::read_header(file).map_err(read)?;
    if let Header::Other(_) = header {
        journal::check_header(header, path.to_owned())?;
    }
    if header != Header::Whole {
        faults.push(format!("the header of `{}` is damaged", path.display()));
    }
    let length = file.length().map_err(read)?;
    let mut head_chain = None;
    let scan = journal::scan(file, End::START, Offsets::default(), length, |frame| {
        if matches!(found, Found::Head(head) if head.position == frame.position()) {
            head_chain = Some(frame.chain());
        }
    })
    .map_err(read)?;
    let next = scan.whole.position.next();
    if scan.whole.position < demanded {
        faults.push(format!(
            "`{}` is whole up to position {}, events up to {demanded} are known",
            path.display(),
            scan.whole.position
        ));
    }
    match (scan.flaw, found) {
        (Some(Break::Foreign(what)), _) => faults.push(format!("position {next}: {what}")),
        (Some(Break::Torn(what)), _)
            if journal::survivors(file, scan.reached, length).map_err(read)?.count != 0 || !faults.is_empty() =>
        {
            faults.push(format!("position {next}: {what}"));
        }
        (_, Found::Head(head)) if head_chain.is_some_and(|chain| chain != head.chain) => {
            faults.push(format!("position {}: the hash chain is not the one `HEAD` remembers", head.position));
        }
        _ => {}
    }
    if faults.is_empty() { Ok(Vec::new()) } else { all_frames(file, length).map_err(read) }
}

/// Returns the location of every valid frame, in the order of positions.
fn all_frames(file: &dyn File, length: u64) -> std::io::Result<Vec<Find>> {
    // A larger position than the file has room for means that the bytes of a payload happen to be a valid frame.
    let highest = Position(length / MIN_FRAME as u64);
    let (mut cursor, mut finds) = (Cursor::new(file, 0, length), Vec::new());
    loop {
        let offset = cursor.offset();
        match cursor.next()? {
            Step::Frame(frame) if Position::ORIGIN < frame.position() && frame.position() <= highest => {
                finds.push(Find { position: frame.position(), offset, length: frame.bytes().len() });
            }
            Step::Frame(_) => {}
            Step::Flaw(_) => {
                cursor.skip();
            }
            Step::End => break,
        }
    }
    finds.sort_by_key(|find| find.position);
    Ok(finds)
}

/// The event at the previous position, which the next frame must continue.
struct Before {
    /// Its chain; `None` if the event is lost.
    chain: Option<Chain>,
    /// Recording time of the event, or of the last one that is not lost.
    recorded_at: Timestamp,
}

impl Before {
    /// Returns whether the chain of a frame follows from this event.
    fn proves(&self, frame: &Frame<'_>) -> bool {
        self.chain.is_some_and(|chain| frame.chain() == frame.chain_after(chain))
    }
}

impl RepairPlan {
    /// Chooses the source for every position from 1 to `known`.
    fn choose(&mut self, finds: &[Find], known: Position) -> Result<(), LogError> {
        let mut before = Before { chain: Some(Chain::ORIGIN), recorded_at: Timestamp(0) };
        let mut rest = finds;
        for position in (1..=known.0).map(Position) {
            let here = rest.iter().take_while(|find| find.position == position).count();
            let (candidates, later) = rest.split_at(here);
            rest = later;
            let mut options = Vec::new();
            for find in candidates {
                options.push((Piece::Journal { offset: find.offset, length: find.length }, self.bytes(find)?));
            }
            if !options.iter().any(|(_, bytes)| frame::read(bytes).is_ok_and(|frame| before.proves(&frame)))
                && let Some(bytes) = self.index.as_ref().and_then(|index| index.frame(position).ok().flatten())
            {
                options.push((Piece::Index, bytes));
            }
            before = self.pick(position, &options, &before);
        }
        Ok(())
    }

    /// Chooses the frame that continues the hash chain, otherwise the first whose time does not decrease. Returns it as the
    /// predecessor of the next position.
    fn pick(&mut self, position: Position, options: &[(Piece, Vec<u8>)], before: &Before) -> Before {
        let frames = || options.iter().filter_map(|(piece, bytes)| Some((*piece, frame::read(bytes).ok()?)));
        let proved = frames().find(|(_, frame)| before.proves(frame));
        let chosen = proved.or_else(|| frames().find(|(_, frame)| before.recorded_at <= frame.recorded_at()));
        let Some((piece, frame)) = chosen else {
            self.pieces.push(Piece::Lost);
            extend(&mut self.lost, position);
            return Before { chain: None, recorded_at: before.recorded_at };
        };
        self.pieces.push(piece);
        match piece {
            Piece::Index => extend(&mut self.restored, position),
            Piece::Journal { .. } | Piece::Lost => self.kept += 1,
        }
        if proved.is_none() {
            extend(&mut self.unverified, position);
        }
        Before { chain: Some(frame.chain()), recorded_at: frame.recorded_at() }
    }

    /// Reads a frame from the journal.
    fn bytes(&self, find: &Find) -> Result<Vec<u8>, LogError> {
        let mut bytes = vec![0; find.length];
        if let Some(Source { path, file }) = &self.journal {
            files::read_full(&**file, find.offset, &mut bytes).map_err(LogError::io("read", path))?;
        }
        Ok(bytes)
    }
}
