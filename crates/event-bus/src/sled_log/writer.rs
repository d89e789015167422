//! Barriers of the log on disk: journal, sync, index, sync, `HEAD`; only then are the events visible.

use std::{
    io,
    path::Path,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use super::{SledLog, ahead::Ahead};
use crate::{
    LogError,
    files::File,
    frame,
    group::{StagedEvent, StagedGroup},
    head::{self, Head},
    journal::{FrameBoundary, JOURNAL},
};

/// Maximum number of bytes by which the index may be behind the journal.
const MOST_BEHIND: usize = 1024 * 1024;
/// Maximum age of the `HEAD` file while events are written.
const HEAD_EVERY: Duration = Duration::from_millis(100);

/// State of the writer behind the lock of the log: staged events, journal, and deferred work.
#[derive(Debug)]
pub(super) struct Writer {
    /// Events staged since the last barrier.
    pub(super) group: StagedGroup,
    /// The journal.
    journal: Arc<dyn File>,
    /// Preallocated space behind the journal's end.
    ahead: Ahead,
    /// End of the durable part of the journal.
    end: FrameBoundary,
    /// Content of the `HEAD` file.
    head: Head,
    /// Time at which the `HEAD` file was written.
    head_at: Instant,
    /// Cause of the first failure, after which nothing is written.
    stopped: Option<Arc<str>>,
    /// Frames that the index does not contain yet.
    behind: Behind,
}

/// Frames that are in the journal but not in the index yet.
#[derive(Debug, Default)]
struct Behind {
    /// Maximum time for which the index may be behind; 0 by default.
    most: Duration,
    /// Consecutive frames that are missing.
    bytes: Vec<u8>,
    /// Time since which the first of them is missing.
    since: Option<Instant>,
}

/// Encoded frames of a group, with the end of the journal after each.
struct Written {
    /// The encoded frames.
    bytes: Vec<u8>,
    /// Start of each frame, and the end of the journal after it.
    ends: Vec<(usize, FrameBoundary)>,
}

impl Writer {
    pub(super) fn new(end: FrameBoundary, head: Head, journal: Arc<dyn File>) -> Self {
        let group = StagedGroup::after(end.position, end.recorded_at);
        let (ahead, behind) = (Ahead::default(), Behind::default());
        Self { group, journal, ahead, end, head, head_at: Instant::now(), stopped: None, behind }
    }

    /// Allows the index to be behind the journal for at most `most`.
    pub(super) const fn let_index_lag(&mut self, most: Duration) {
        self.behind.most = most;
    }

    /// Preallocates `room` bytes behind the journal's end whenever they are used up.
    pub(super) const fn write_ahead(&mut self, room: usize) {
        self.ahead = Ahead::of(room);
    }

    /// Stops the writer. The first cause is kept.
    pub(super) fn stop(&mut self, cause: &str) {
        if self.stopped.is_none() {
            tracing::error!(cause, "the log takes no more events");
            self.stopped = Some(cause.into());
        }
        // The staged events are dropped, so their positions are free again.
        self.group = StagedGroup::after(self.end.position, self.end.recorded_at);
    }

    /// Returns an error if the writer was stopped.
    pub(super) fn check_running(&self, root: &Path) -> Result<(), LogError> {
        if self.stopped.is_some() { Err(self.stopped_error(root)) } else { Ok(()) }
    }

    /// Returns the error of a stopped writer.
    pub(super) fn stopped_error(&self, root: &Path) -> LogError {
        let cause = self.stopped.clone().unwrap_or_else(|| "of an unknown cause".into());
        LogError::Stopped { path: root.to_owned(), cause }
    }

    /// Encodes staged events as frames.
    fn frames(&self, staged: &[StagedEvent]) -> Written {
        let bytes = staged.iter().map(|staged| frame::recorded_size(&staged.recorded)).sum();
        let mut written = Written { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(staged.len()) };
        let mut end = self.end;
        for (index, StagedEvent { recorded, batch_continues }) in staged.iter().enumerate() {
            let start = written.bytes.len();
            // A barrier has at most 256 events, so the index always fits.
            let place = u8::try_from(index).unwrap_or(u8::MAX);
            let chain = frame::encode(&mut written.bytes, recorded, place, *batch_continues, end.chain);
            let offset = self.end.offset + written.bytes.len() as u64;
            end = FrameBoundary { position: recorded.position, chain, recorded_at: recorded.recorded_at, offset };
            written.ends.push((start, end));
        }
        written
    }
}

impl SledLog {
    /// Makes the staged events durable and visible. Stops the writer if that fails.
    pub(super) fn commit(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        let staged = writer.group.take();
        let outcome = if staged.is_empty() { self.rest(writer) } else { self.barrier(writer, &staged) };
        outcome.map_err(|cause| {
            writer.stop(&cause);
            writer.stopped_error(&self.root)
        })
    }

    /// Writes staged events to journal and index, then makes them visible.
    fn barrier(&self, writer: &mut Writer, staged: &[StagedEvent]) -> Result<(), String> {
        let written = writer.frames(staged);
        let Some((_, end)) = written.ends.last().copied() else { return Ok(()) };
        self.write_journal(writer, &written.bytes)?;
        // From here on the events may exist when the log is opened again, whether acknowledged or not.
        writer.behind.bytes.extend_from_slice(&written.bytes);
        writer.behind.since.get_or_insert_with(Instant::now);
        self.keep_index(writer)?;
        let before = writer.end.offset;
        writer.end = end;
        self.keep_head(writer)?;
        let mut visible = self.visible.write().unwrap_or_else(PoisonError::into_inner);
        for (staged, (start, end)) in staged.iter().zip(&written.ends) {
            visible.readable.offsets.add(end.position, before + *start as u64);
            visible.ids.add(staged.recorded.event.id, end.position);
        }
        visible.readable.end = end;
        Ok(())
    }

    /// Appends bytes to the journal and syncs it. Truncates them if that fails.
    fn write_journal(&self, writer: &mut Writer, bytes: &[u8]) -> Result<(), String> {
        let (file, offset) = (&*writer.journal, writer.end.offset);
        let describe = |action: &str, error: io::Error| {
            // These bytes are not visible yet. If the truncation fails as well, opening the log truncates them.
            if let Err(error) = file.truncate(offset) {
                tracing::warn!(%error, "bytes of a failed write stay in the journal until the log is opened again");
            }
            format!("cannot {action} `{}`: {error}", self.root.join(JOURNAL).display())
        };
        writer.ahead.write(file, offset, bytes).map_err(|error| describe("write to", error))?;
        file.sync_data().map_err(|error| describe("sync", error))
    }

    /// Does deferred work that is due, when there are no events to write.
    fn rest(&self, writer: &mut Writer) -> Result<(), String> {
        self.keep_index(writer)?;
        self.keep_head(writer)
    }

    /// Extends the index to the journal if it has been behind for long enough, or by too many bytes.
    fn keep_index(&self, writer: &mut Writer) -> Result<(), String> {
        let due = writer.behind.since.is_some_and(|since| writer.behind.most <= since.elapsed());
        if due || MOST_BEHIND <= writer.behind.bytes.len() { self.catch_index_up(writer) } else { Ok(()) }
    }

    /// Extends the index to the end of the journal.
    pub(super) fn catch_index_up(&self, writer: &mut Writer) -> Result<(), String> {
        if writer.behind.since.take().is_none() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut writer.behind.bytes);
        self.index.add_frames(&bytes).and_then(|()| self.index.barrier()).map_err(|failure| failure.to_string())?;
        writer.behind.bytes = bytes;
        writer.behind.bytes.clear();
        Ok(())
    }

    /// Writes the `HEAD` file if it is too old.
    fn keep_head(&self, writer: &mut Writer) -> Result<(), String> {
        if HEAD_EVERY <= writer.head_at.elapsed() { self.put_head(writer) } else { Ok(()) }
    }

    /// Writes the `HEAD` file if it differs from the journal's end.
    fn put_head(&self, writer: &mut Writer) -> Result<(), String> {
        let head = Head::from(writer.end);
        if writer.head != head {
            head::write(&*self.files, &self.root, head)
                .map_err(|error| format!("cannot write `{}`: {error}", self.root.join(head::HEAD).display()))?;
            writer.head = head;
            writer.head_at = Instant::now();
        }
        Ok(())
    }

    /// Extends the index, writes the `HEAD` file, and truncates preallocated space.
    pub(super) fn settle(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        writer.ahead.cut(&*writer.journal, writer.end.offset);
        self.catch_index_up(writer).and_then(|()| self.put_head(writer)).map_err(|cause| {
            writer.stop(&cause);
            writer.stopped_error(&self.root)
        })
    }
}
