//! [`JournalReader`], a read-only log that can be used beside a process that writes it.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use event_core::{Checkpoint, EventId, NewEvent, Position, Recorded, Timestamp};

use crate::{
    Appended, Chain, EventLog, Expected, LogError,
    files::{Files, Mode, SystemFiles},
    head::{self, HeadFile},
    journal::{self, FrameBoundary, JOURNAL, Offsets, ReadStart, ReadableJournal, Scan, StopReason, TrailingFrames},
};

/// A read-only [`EventLog`] that reads the journal file of a log directly, without the log's lock and index, so that
/// another process may write the log at the same time.
///
/// It returns complete batches as soon as they are written, up to some milliseconds before they are durable. Each call
/// scans for new batches. It has no checkpoints; [`EventLog::find`] reads the complete journal; calls that write return
/// [`LogError::ReadOnly`].
#[derive(Debug)]
pub struct JournalReader {
    /// Directory of the log.
    root: PathBuf,
    /// The complete batches found so far.
    readable: Mutex<ReadableJournal>,
}

impl JournalReader {
    /// Opens the log in a directory for reading, and verifies its journal. Changes nothing.
    ///
    /// # Errors
    /// [`LogError::Damaged`] if acknowledged events are missing or changed, [`LogError::Format`] if the journal has an
    /// unknown format version, and [`LogError::Io`] if a file cannot be read or there is no log.
    pub fn open(directory: impl AsRef<Path>) -> Result<Self, LogError> {
        Self::open_with(directory, &SystemFiles)
    }

    /// Opens a log for reading as [`JournalReader::open`] does, with a file system other than the operating system's.
    ///
    /// # Errors
    /// As [`JournalReader::open`].
    pub fn open_with(directory: impl AsRef<Path>, files: &dyn Files) -> Result<Self, LogError> {
        let root = directory.as_ref().to_owned();
        let path = root.join(JOURNAL);
        // Before the journal: the writer extends the journal before it writes `HEAD`.
        let head_file = head::read_head(files, &root)?;
        let file = files.open(&path, Mode::Read).map_err(LogError::io("open", &path))?;
        let header = journal::read_header(&*file).map_err(LogError::io("read", &path))?;
        journal::check_header(header, path.clone())?;
        let length = file.length().map_err(LogError::io("read", &path))?;
        let (scan, trailing) =
            journal::scan_beside_a_writer(&*file, FrameBoundary::START, Offsets::default(), length, |_| {})
                .map_err(LogError::io("read", &path))?;
        if let Some(detail) = missing_events(&scan, &trailing, head_file) {
            return Err(LogError::Damaged { path, position: scan.complete_end.position.next(), detail });
        }
        let readable = ReadableJournal { path, file, end: scan.complete_end, offsets: scan.offsets };
        Ok(Self { root, readable: Mutex::new(readable) })
    }

    /// Returns the directory of the log.
    pub fn directory(&self) -> &Path {
        &self.root
    }

    /// Scans for new batches, then returns the readable part, locked.
    fn latest(&self) -> Result<MutexGuard<'_, ReadableJournal>, LogError> {
        let mut readable = self.readable.lock().unwrap_or_else(PoisonError::into_inner);
        advance(&mut readable)?;
        Ok(readable)
    }

    /// Scans for new batches, then returns the start of a read of the events after `after`.
    fn read_start(&self, after: Position) -> Result<ReadStart, LogError> {
        Ok(self.latest()?.read_start(after))
    }

    /// Returns the error of every call that writes.
    fn read_only<T>(&self) -> Result<T, LogError> {
        Err(LogError::ReadOnly { path: self.root.clone() })
    }
}

/// Returns a description of the damage if events are missing at the end of a journal: later frames or the `HEAD` file
/// prove that they were durable. `None` if none are missing.
fn missing_events(scan: &Scan, trailing: &TrailingFrames, head_file: HeadFile) -> Option<String> {
    let end = scan.complete_end.position;
    let stop = scan.stop.map(StopReason::description);
    // A synced frame cannot follow an unfinished write.
    if let Some(reason) = stop
        && end.next() < trailing.synced_before
    {
        return Some(format!("{reason}, and {} intact records follow", trailing.count));
    }
    if let HeadFile::Valid(head) = head_file
        && end < head.position
    {
        let reason = stop.map_or_else(String::new, |reason| format!(" ({reason})"));
        return Some(format!("`HEAD` names position {}{reason}", head.position));
    }
    None
}

/// Scans the journal for complete batches after the end of the readable part, and extends that part by them. Fails with
/// [`LogError::Io`] if the file cannot be read.
fn advance(readable: &mut ReadableJournal) -> Result<(), LogError> {
    let scan_rest = |readable: &mut ReadableJournal| {
        let length = readable.file.length()?;
        if length <= readable.end.offset {
            return Ok(());
        }
        let (start, offsets) = (readable.end, std::mem::take(&mut readable.offsets));
        // If the scan fails, the next one starts at the beginning.
        readable.end = FrameBoundary::START;
        let scan = journal::scan(&*readable.file, start, offsets, length, |_| {})?;
        (readable.end, readable.offsets) = (scan.complete_end, scan.offsets);
        Ok(())
    };
    scan_rest(readable).map_err(LogError::io("read", &readable.path))
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
        self.read_start(after)?.read_events(limit)
    }

    fn head(&self) -> Result<Position, LogError> {
        Ok(self.latest()?.end.position)
    }

    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        self.read_start(Position::ORIGIN)?.find_id(id)
    }

    fn chain_at(&self, position: Position) -> Result<Option<Chain>, LogError> {
        let Some(before) = position.previous() else { return Ok(Some(Chain::ORIGIN)) };
        self.read_start(before)?.read_chain()
    }

    fn load_checkpoint(&self, _: &str) -> Result<Option<Checkpoint>, LogError> {
        Ok(None)
    }

    fn save_checkpoint(&self, _: &str, _: &Checkpoint) -> Result<(), LogError> {
        self.read_only()
    }

    fn load_entry(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, LogError> {
        Ok(None)
    }

    fn save_entries(&self, _: &str, _: &[(String, Vec<u8>)]) -> Result<(), LogError> {
        self.read_only()
    }

    /// Does nothing: a reader has no entries, as it has no checkpoints.
    fn remove_entries(&self, _: &str) -> Result<(), LogError> {
        Ok(())
    }
}
