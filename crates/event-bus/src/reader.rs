//! A read-only log that can be used beside a process that writes it.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Chain, EventLog, Expected, LogError,
    files::{Files, Mode, SystemFiles},
    head::{self, Found},
    journal::{self, Break, End, JOURNAL, Offsets, Readable, Start},
};

/// Reads the journal of a log without its lock and index.
///
/// Returns complete batches that the writer has written, which may be durable only some milliseconds later. Each call picks
/// up new batches. Has no checkpoints; [`EventLog::find`] reads the whole journal.
#[derive(Debug)]
pub struct JournalReader {
    /// The log's directory.
    root: PathBuf,
    /// The part of the journal that was scanned so far.
    readable: Mutex<Readable>,
}

impl JournalReader {
    /// Opens the log in a directory for reading.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if acknowledged events are missing or changed, [`LogError::Format`], and [`LogError::Io`],
    /// also if there is no log.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, LogError> {
        Self::open_with(directory, &SystemFiles)
    }

    /// As [`JournalReader::open`], on another file system.
    ///
    /// # Errors
    /// As [`JournalReader::open`].
    pub fn open_with(directory: impl AsRef<Path>, files: &dyn Files) -> Result<Self, LogError> {
        let root = directory.as_ref().to_owned();
        let path = root.join(JOURNAL);
        // Before the journal: the writer extends the journal before it writes `HEAD`.
        let promised = head::read(files, &root)?;
        let file = files.open(&path, Mode::Read).map_err(LogError::io("open", &path))?;
        let header = journal::read_header(&*file).map_err(LogError::io("read", &path))?;
        journal::check_header(header, path.clone())?;
        let length = file.length().map_err(LogError::io("read", &path))?;
        let (scan, behind) = journal::scan_beside_a_writer(&*file, End::START, Offsets::default(), length, |_| {})
            .map_err(LogError::io("read", &path))?;
        let readable = Readable { path, file, end: scan.whole, offsets: scan.offsets };
        let flaw = scan.flaw.map(Break::what);
        if let Some(what) = flaw
            && readable.end.position.next() < behind.synced_before
        {
            // No synced record can follow an unfinished write.
            let detail = format!("{what}, and {} intact records follow", behind.count);
            return Err(LogError::Damaged { path: readable.path, position: readable.end.position.next(), detail });
        }
        if let Found::Head(head) = promised
            && readable.end.position < head.position
        {
            let position = readable.end.position.next();
            let what = flaw.map_or_else(String::new, |what| format!(" ({what})"));
            let detail = format!("`HEAD` names position {}{what}", head.position);
            return Err(LogError::Damaged { path: readable.path, position, detail });
        }
        Ok(Self { root, readable: Mutex::new(readable) })
    }

    /// Returns the log's directory.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    /// Scans for new batches and returns the readable part.
    fn latest(&self) -> Result<MutexGuard<'_, Readable>, LogError> {
        let mut readable = self.readable.lock().unwrap_or_else(PoisonError::into_inner);
        advance(&mut readable)?;
        Ok(readable)
    }

    /// Returns a read position after `after`, including new batches.
    fn start(&self, after: Position) -> Result<Start, LogError> {
        Ok(self.latest()?.start(after))
    }

    /// Returns the error of a write.
    fn read_only<T>(&self) -> Result<T, LogError> {
        Err(LogError::ReadOnly { path: self.root.clone() })
    }
}

/// Extends the readable part by the complete batches after its end.
fn advance(readable: &mut Readable) -> Result<(), LogError> {
    let walk = |readable: &mut Readable| {
        let length = readable.file.length()?;
        if length <= readable.end.offset {
            return Ok(());
        }
        let (from, known) = (readable.end, std::mem::take(&mut readable.offsets));
        // If the scan fails, the next one starts at the beginning.
        readable.end = End::START;
        let scan = journal::scan(&*readable.file, from, known, length, |_| {})?;
        (readable.end, readable.offsets) = (scan.whole, scan.offsets);
        Ok(())
    };
    walk(readable).map_err(LogError::io("read", &readable.path))
}

impl EventLog for JournalReader {
    fn append(&self, _: Expected, _: Timestamp, _: &[NewEvent]) -> Result<Appended, LogError> {
        self.read_only()
    }

    fn restore(&self, _: &[Recorded]) -> Result<Appended, LogError> {
        self.read_only()
    }

    fn sync(&self) -> Result<(), LogError> {
        Ok(())
    }

    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        self.start(after)?.read(limit)
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.latest()?.end.position)
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        self.start(Position::ORIGIN)?.find(id)
    }

    fn chain_at(&self, position: Position) -> Result<Option<Chain>, LogError> {
        let Some(before) = position.before() else { return Ok(Some(Chain::ORIGIN)) };
        self.start(before)?.chain()
    }

    fn load_checkpoint(&self, _: &str) -> Result<Option<Checkpoint>, LogError> {
        Ok(None)
    }

    fn save_checkpoint(&self, _: &str, _: &Checkpoint) -> Result<(), LogError> {
        self.read_only()
    }
}
