//! Opens a log: verifies its files, repairs damage that cost no acknowledged event, and rejects any other damage.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock},
};

use event_core::Position;

use super::{
    SledLog, Visible,
    index_check::{IndexState, repair_index},
    interrupted_purge,
    writer::Writer,
};
use crate::{
    LogError, Repair, RepairAction,
    chain::Chain,
    files::{self, File, Files, Mode},
    head::{self, Head, HeadFile},
    ids::IdIndex,
    journal::{self, FrameBoundary, HEADER_BYTES, Header, JOURNAL, Offsets, ReadableJournal, Scan, StopReason},
    lock,
};

/// Opens or creates the event log in the directory `root`. Returns the log, and the repairs that were made.
///
/// # Errors
/// Those of [`SledLog::open`].
pub(super) fn open_log(root: &Path, files: Arc<dyn Files>) -> Result<(SledLog, Vec<Repair>), LogError> {
    files::ensure_dir(&*files, root).map_err(LogError::io("create", root))?;
    let lock = lock::acquire(&*files, root)?;
    interrupted_purge::complete(root, &*files)?;
    let mut opening = Opening { root, files: &*files, repairs: Vec::new() };
    let head_file = head::read_head(&*files, root)?;
    let index_state = IndexState::read(root, &*files)?;
    let file = opening.open_journal(head_file, &index_state)?;
    let ScannedJournal { scan, ids, index_chain } = opening.scan(&*file, head_file, &index_state)?;
    opening.check_tail(&*file, &scan, &index_state)?;
    let end = scan.complete_end;
    let readable = ReadableJournal { path: opening.journal_path(), file, end, offsets: scan.offsets };
    let (index, repair) = repair_index(root, &*files, index_state, index_chain, &readable)?;
    opening.repairs.extend(repair);
    let head = opening.update_head(head_file, end)?;
    for repair in &opening.repairs {
        tracing::warn!(log = %root.display(), %repair, "the log was repaired");
    }
    let repairs = opening.repairs;
    let log = SledLog {
        root: root.to_owned(),
        writer: Mutex::new(Writer::new(end, head, Arc::clone(&readable.file))),
        visible: RwLock::new(Visible { readable, ids }),
        index,
        files,
        lock,
    };
    Ok((log, repairs))
}

/// Result of scanning the journal when an event log is opened.
struct ScannedJournal {
    /// The complete batches of the journal, and the reason why the scan ended.
    scan: Scan,
    /// All ids, including those of an incomplete batch that will be truncated. [`SledLog::find`](crate::EventLog::find)
    /// ignores positions after the log's end.
    ids: IdIndex,
    /// Chain value of the journal at the last position of the index.
    index_chain: Chain,
}

/// State shared by the steps of opening an event log: its directory, and the repairs made so far.
struct Opening<'a> {
    /// The log's directory.
    root: &'a Path,
    /// File system of the log.
    files: &'a dyn Files,
    /// Repairs made so far.
    repairs: Vec<Repair>,
}

impl Opening<'_> {
    /// Records a repair that was made.
    fn add_repair(&mut self, action: RepairAction, position: Position, detail: String) {
        self.repairs.push(Repair { action, position, detail });
    }

    /// Returns the path of the journal.
    fn journal_path(&self) -> PathBuf {
        self.root.join(JOURNAL)
    }

    /// Returns the error for damage of the journal at a position.
    fn damaged(&self, position: Position, detail: impl Into<String>) -> LogError {
        LogError::Damaged { path: self.journal_path(), position, detail: detail.into() }
    }

    /// Opens the journal and verifies its header. Creates it if it is missing and neither `HEAD`, the index nor a
    /// repair shows that one existed.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if an existing journal is missing or has a damaged header, [`LogError::Format`] for
    /// another format version, [`LogError::Io`].
    fn open_journal(&mut self, head_file: HeadFile, index_state: &IndexState) -> Result<Arc<dyn File>, LogError> {
        let path = self.journal_path();
        let exists = files::exists(self.files, &path).map_err(LogError::io("list", self.root))?;
        let is_new = head_file == HeadFile::Missing && index_state.is_empty() && !self.has_old_journal()?;
        if !exists && !is_new {
            return Err(self.damaged(Position(1), "the file is missing, and other files show that it was there"));
        }
        let file = self.files.open(&path, Mode::Create).map_err(LogError::io("open", &path))?;
        let header = journal::read_header(&*file).map_err(LogError::io("read", &path))?;
        let length = file.length().map_err(LogError::io("read", &path))?;
        // After a crash the file may have the length of a header without its bytes.
        let is_unfinished = matches!(header, Header::Short | Header::Damaged) && length <= HEADER_BYTES as u64;
        if !is_unfinished || !is_new {
            journal::check_header(header, path)?;
            return Ok(file);
        }
        if length != 0 {
            let detail = format!("{length} bytes of a header that was never finished");
            self.add_repair(RepairAction::TailCut, Position(1), detail);
        }
        let create_journal = || {
            file.truncate(0)?;
            files::write_full(&*file, 0, &journal::encode_header())?;
            file.sync_data()?;
            self.files.sync_dir(self.root)
        };
        create_journal().map_err(LogError::io("create", path))?;
        Ok(file)
    }

    /// Returns whether the directory contains a file `journal.*`, such as the old or new journal of an interrupted
    /// repair.
    fn has_old_journal(&self) -> Result<bool, LogError> {
        let names = self.files.list(self.root).map_err(LogError::io("list", self.root))?;
        Ok(names.iter().any(|name| name.to_string_lossy().starts_with("journal.")))
    }

    /// Scans the journal from its start and compares it with `HEAD` and the end of the index.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if the journal ends before the position in `HEAD` or that of the index, or has another
    /// chain value than `HEAD`; [`LogError::Io`].
    fn scan(&self, file: &dyn File, head_file: HeadFile, index_state: &IndexState) -> Result<ScannedJournal, LogError> {
        let path = self.journal_path();
        let length = file.length().map_err(LogError::io("read", &path))?;
        let head = match head_file {
            HeadFile::Valid(head) => Some(head),
            HeadFile::Missing | HeadFile::Damaged => None,
        };
        let mut head_matches = head.is_none_or(|head| head.position == Position::ORIGIN);
        let mut index_chain = Chain::ORIGIN;
        let mut ids = IdIndex::new(self.root);
        let scan = journal::scan(file, FrameBoundary::START, Offsets::default(), length, |frame| {
            let position = frame.position();
            if let Some(head) = head.filter(|head| head.position == position) {
                head_matches = head.chain == frame.chain();
            }
            ids.add(frame.id(), position);
            if index_state.position() == position {
                index_chain = frame.chain();
            }
        })
        .map_err(LogError::io("read", &path))?;
        let end = scan.complete_end.position;
        let stop = scan.stop.map_or_else(String::new, |stop| format!(" ({})", stop.description()));
        if let Some(head) = head
            && end < head.position
        {
            return Err(self.damaged(end.next(), format!("`HEAD` knows events up to position {}{stop}", head.position)));
        }
        if end < index_state.position() {
            let index_end = index_state.position();
            return Err(self.damaged(end.next(), format!("the index knows events up to position {index_end}{stop}")));
        }
        if let Some(head) = head
            && !head_matches
        {
            return Err(self.damaged(head.position, "the hash chain is not the one `HEAD` remembers"));
        }
        Ok(ScannedJournal { scan, ids, index_chain })
    }

    /// Checks the end of the journal: truncates an unfinished write or preallocated space after the last complete
    /// batch, and records a repair if there was data.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if the scan ended for another reason than an unfinished write, [`LogError::Io`] if the
    /// file cannot be truncated.
    fn check_tail(&mut self, file: &dyn File, scan: &Scan, index_state: &IndexState) -> Result<(), LogError> {
        let (path, end) = (self.journal_path(), scan.complete_end);
        let reason = match scan.stop {
            None => return Ok(()),
            Some(StopReason::Foreign(reason)) => return Err(self.damaged(end.position.next(), reason)),
            Some(StopReason::Torn(reason)) => reason,
        };
        let length = file.length().map_err(LogError::io("read", &path))?;
        let trailing_frames =
            journal::find_trailing_frames(file, scan.reached_offset, length).map_err(LogError::io("read", &path))?;
        // Frames behind the gap do not prove damage if they belong to the same barrier, since any part of a barrier may
        // survive a crash. An intact index that ends before the gap proves that the barrier was never acknowledged.
        let is_unfinished = trailing_frames.synced_before <= end.position.next() && index_state.is_intact();
        if trailing_frames.count != 0 && !is_unfinished {
            let detail = format!("{reason}, and {} whole records stand behind it", trailing_frames.count);
            return Err(self.damaged(end.position.next(), detail));
        }
        let truncate_tail = || {
            file.truncate(end.offset)?;
            file.sync_data()
        };
        truncate_tail().map_err(LogError::io("cut", &path))?;
        if scan.ends_in_padding(&trailing_frames) {
            return Ok(());
        }
        let bytes = length - end.offset;
        let detail = format!("{bytes} bytes after position {} were never acknowledged: {reason}", end.position);
        self.add_repair(RepairAction::TailCut, end.position.next(), detail);
        Ok(())
    }

    /// Rewrites the `HEAD` file if it differs from the end of the journal. Records a repair if the file was damaged, or
    /// missing in a log that has events. Returns its content.
    fn update_head(&mut self, head_file: HeadFile, end: FrameBoundary) -> Result<Head, LogError> {
        let head = Head::from(end);
        if head_file == HeadFile::Valid(head) {
            return Ok(head);
        }
        head::write_head(self.files, self.root, head).map_err(LogError::io("write", self.root.join(head::HEAD)))?;
        let reason = match head_file {
            HeadFile::Damaged => "it was damaged",
            HeadFile::Missing if end.position != Position::ORIGIN => "it was missing",
            // A new log, or a process that was killed before it wrote the file.
            HeadFile::Missing | HeadFile::Valid(_) => return Ok(head),
        };
        self.add_repair(RepairAction::HeadRewritten, end.position, reason.to_owned());
        Ok(head)
    }
}
