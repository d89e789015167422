//! Opens a log: verifies all files, repairs certain damage, and rejects other damage.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, RwLock},
};

use event_core::Position;

use super::{SledLog, Visible, index_check::Witness, purge, writer::Writer};
use crate::{
    LogError, Repair, RepairAction,
    chain::Chain,
    files::{self, File, Files, Mode},
    head::{self, Head, HeadFile},
    ids::IdIndex,
    index::INDEX,
    journal::{self, FrameBoundary, HEADER_BYTES, Header, JOURNAL, Offsets, ReadableJournal, Scan, StopReason},
    lock,
};

/// Opens or creates a log. Returns the repairs that were made. Errors as for [`SledLog::open`].
pub(super) fn open(root: &Path, files: Arc<dyn Files>) -> Result<(SledLog, Vec<Repair>), LogError> {
    files::ensure_dir(&*files, root).map_err(LogError::io("create", root))?;
    let lock = lock::acquire(&*files, root)?;
    purge::finish(root, &*files)?;
    let mut opening = Opening { root, files: &*files, repairs: Vec::new() };
    let found = head::read(&*files, root)?;
    let witness = Witness::question(root, &*files)?;
    let file = opening.open_journal(found, &witness)?;
    let Walked { scan, ids, index_chain } = opening.scan(&*file, found, &witness)?;
    opening.check_tail(&*file, &scan, &witness)?;
    let end = scan.complete_end;
    let readable = ReadableJournal { path: opening.journal(), file, end, offsets: scan.offsets };
    let index = opening.settle_index(witness, index_chain, &readable)?;
    let head = opening.settle_head(found, end)?;
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

/// Result of scanning the journal when a log is opened.
struct Walked {
    /// The end and the index of the journal.
    scan: Scan,
    /// All ids, including those of a tail that will be cut: positions after the log's end count as unknown.
    ids: IdIndex,
    /// Chain of the journal at the last position of the index.
    index_chain: Chain,
}

/// State shared by the steps of opening a log: its directory, and the repairs made so far.
pub(super) struct Opening<'a> {
    /// The log's directory.
    pub(super) root: &'a Path,
    /// File system of the log.
    pub(super) files: &'a dyn Files,
    /// Repairs made so far.
    repairs: Vec<Repair>,
}

impl Opening<'_> {
    /// Records a repair.
    pub(super) fn repaired(&mut self, action: RepairAction, position: Position, detail: String) {
        self.repairs.push(Repair { action, position, detail });
    }

    fn journal(&self) -> PathBuf {
        self.root.join(JOURNAL)
    }

    /// Returns the error for a damaged journal.
    fn damaged(&self, position: Position, detail: impl Into<String>) -> LogError {
        LogError::Damaged { path: self.journal(), position, detail: detail.into() }
    }

    /// Opens the journal, or creates it if no other file shows that one existed.
    fn open_journal(&mut self, found: HeadFile, witness: &Witness) -> Result<Arc<dyn File>, LogError> {
        let path = self.journal();
        let exists = files::exists(self.files, &path).map_err(LogError::io("list", self.root))?;
        let fresh = found == HeadFile::Missing && witness.knows_nothing() && !self.has_old_journal()?;
        if !exists && !fresh {
            return Err(self.damaged(Position(1), "the file is missing, and other files show that it was there"));
        }
        let file = self.files.open(&path, Mode::Create).map_err(LogError::io("open", &path))?;
        let header = journal::read_header(&*file).map_err(LogError::io("read", &path))?;
        let length = file.length().map_err(LogError::io("read", &path))?;
        // A crash may keep the length of a header without its bytes.
        let unfinished = matches!(header, Header::Short | Header::Damaged) && length <= HEADER_BYTES as u64;
        if !unfinished || !fresh {
            journal::check_header(header, path)?;
            return Ok(file);
        }
        if length != 0 {
            let detail = format!("{length} bytes of a header that was never finished");
            self.repaired(RepairAction::TailCut, Position(1), detail);
        }
        let begin = || {
            file.truncate(0)?;
            files::write_full(&*file, 0, &journal::encode_header())?;
            file.sync_data()?;
            self.files.sync_dir(self.root)
        };
        begin().map_err(LogError::io("create", path))?;
        Ok(file)
    }

    /// Returns whether there is an old journal of a repair, which may have been interrupted.
    fn has_old_journal(&self) -> Result<bool, LogError> {
        let names = self.files.list(self.root).map_err(LogError::io("list", self.root))?;
        Ok(names.iter().any(|name| name.to_string_lossy().starts_with("journal.")))
    }

    /// Scans the whole journal and compares it with `HEAD` and the end of the index.
    fn scan(&self, file: &dyn File, found: HeadFile, witness: &Witness) -> Result<Walked, LogError> {
        let path = self.journal();
        let length = file.length().map_err(LogError::io("read", &path))?;
        let recorded = match found {
            HeadFile::Valid(head) => Some(head),
            HeadFile::Missing | HeadFile::Damaged => None,
        };
        let mut head_holds = recorded.is_none_or(|head| head.position == Position::ORIGIN);
        let mut index_chain = Chain::ORIGIN;
        let mut ids = IdIndex::default();
        let scan = journal::scan(file, FrameBoundary::START, Offsets::default(), length, |frame| {
            let position = frame.position();
            if let Some(head) = recorded.filter(|head| head.position == position) {
                head_holds = head.chain == frame.chain();
            }
            ids.add(frame.id(), position);
            if witness.position() == position {
                index_chain = frame.chain();
            }
        })
        .map_err(LogError::io("read", &path))?;
        let whole = scan.complete_end.position;
        let flaw = scan.stop.map_or_else(String::new, |flaw| format!(" ({})", flaw.description()));
        if let Some(head) = recorded
            && whole < head.position
        {
            return Err(
                self.damaged(whole.next(), format!("`HEAD` knows events up to position {}{flaw}", head.position))
            );
        }
        if whole < witness.position() {
            let known = witness.position();
            return Err(self.damaged(whole.next(), format!("the index knows events up to position {known}{flaw}")));
        }
        if let Some(head) = recorded
            && !head_holds
        {
            return Err(self.damaged(head.position, "the hash chain is not the one `HEAD` remembers"));
        }
        Ok(Walked { scan, ids, index_chain })
    }

    /// Truncates an incomplete write at the end, and rejects any other incomplete content.
    fn check_tail(&mut self, file: &dyn File, scan: &Scan, witness: &Witness) -> Result<(), LogError> {
        let (path, whole) = (self.journal(), scan.complete_end);
        let what = match scan.stop {
            None => return Ok(()),
            Some(StopReason::Foreign(what)) => return Err(self.damaged(whole.position.next(), what)),
            Some(StopReason::Torn(what)) => what,
        };
        let length = file.length().map_err(LogError::io("read", &path))?;
        let behind =
            journal::find_trailing_frames(file, scan.reached_offset, length).map_err(LogError::io("read", &path))?;
        // Frames behind the gap do not prove damage if they belong to the same barrier, of which a crash may keep any
        // part. An intact index that ends before the gap proves that the barrier was never acknowledged.
        let unfinished = behind.synced_before <= whole.position.next() && witness.is_sound();
        if behind.count != 0 && !unfinished {
            let detail = format!("{what}, and {} whole records stand behind it", behind.count);
            return Err(self.damaged(whole.position.next(), detail));
        }
        let cut = || {
            file.truncate(whole.offset)?;
            file.sync_data()
        };
        cut().map_err(LogError::io("cut", &path))?;
        if scan.ends_in_padding(&behind) {
            return Ok(());
        }
        let bytes = length - whole.offset;
        let detail = format!("{bytes} bytes after position {} were never acknowledged: {what}", whole.position);
        self.repaired(RepairAction::TailCut, whole.position.next(), detail);
        Ok(())
    }

    /// Rewrites the `HEAD` file if it differs from the journal's end.
    fn settle_head(&mut self, found: HeadFile, end: FrameBoundary) -> Result<Head, LogError> {
        let head = Head::from(end);
        if found == HeadFile::Valid(head) {
            return Ok(head);
        }
        head::write(self.files, self.root, head).map_err(LogError::io("write", self.root.join(head::HEAD)))?;
        let why = match found {
            HeadFile::Damaged => "it was damaged",
            HeadFile::Missing if end.position != Position::ORIGIN => "it was missing",
            // A new log, or a process that was killed before it wrote the file.
            HeadFile::Missing | HeadFile::Valid(_) => return Ok(head),
        };
        self.repaired(RepairAction::HeadRewritten, end.position, why.to_owned());
        Ok(head)
    }

    pub(super) fn index_path(&self) -> PathBuf {
        self.root.join(INDEX)
    }
}
