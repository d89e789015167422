//! The writer of the log on disk.
//!
//! A *barrier* is one disk sync: it writes and syncs the journal, then the index, then the `HEAD` file. Only then are
//! the events visible to readers. Index and `HEAD` may be deferred.

use std::{
    io,
    path::Path,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};

use super::{SledLog, preallocation::Preallocation};
use crate::{
    LogError,
    files::File,
    frame,
    group::{StagedEvent, StagedGroup},
    head::{self, Head},
    index::IndexFailure,
    journal::{FrameBoundary, JOURNAL},
    log_error::is_out_of_room,
};

/// Maximum number of bytes by which the index may be behind the journal.
const MAX_BACKLOG_BYTES: usize = 1024 * 1024;
/// Minimum time between two writes of the `HEAD` file, and therefore its maximum age while events are written.
const HEAD_INTERVAL: Duration = Duration::from_millis(100);

/// State of the log's writer, behind the lock of the log: staged events, journal, and deferred work.
#[derive(Debug)]
pub(super) struct Writer {
    /// Events staged since the last barrier.
    pub(super) group: StagedGroup,
    /// The journal, open for writing.
    journal: Arc<dyn File>,
    /// Preallocated space behind the journal's end.
    preallocation: Preallocation,
    /// End of the durable part of the journal.
    end: FrameBoundary,
    /// Content of the `HEAD` file.
    head: Head,
    /// Time at which the `HEAD` file was written.
    head_written_at: Instant,
    /// Cause of the first failure, after which nothing is written; `None` if there was none.
    stop_cause: Option<Arc<str>>,
    /// Whether the latest barrier failed because the disk was full.
    is_full: bool,
    /// Whether the latest `HEAD` file could not be written, which is logged once.
    head_is_behind: bool,
    /// The cause of a transient failure of the index, such as a full disk; `None` while the index is used. The journal then
    /// continues without it until the log is opened again, which extends the index.
    index_failure: Option<Arc<str>>,
    /// Frames that the index does not contain yet.
    backlog: IndexBacklog,
}

/// Events that are in the journal but not in the index yet.
#[derive(Debug, Default)]
struct IndexBacklog {
    /// Maximum time for which the index may be behind the journal; zero by default.
    max_lag: Duration,
    /// The frames, encoded and consecutive.
    bytes: Vec<u8>,
    /// Time at which the first of them was written to the journal; `None` if there are none.
    since: Option<Instant>,
}

/// The reason why writing events to the disk failed.
enum BarrierFailure {
    /// The disk is full, and the journal has its previous end again.
    Full(io::Error),
    /// Any other cause, after which the writer stops.
    Fatal(String),
}

impl From<String> for BarrierFailure {
    fn from(cause: String) -> Self {
        Self::Fatal(cause)
    }
}

/// Encoded frames of the events that one disk sync makes durable.
struct EncodedGroup {
    /// The encoded frames, one after the other.
    bytes: Vec<u8>,
    /// For each frame its offset in `bytes`, and the end of the journal after it.
    frames: Vec<(usize, FrameBoundary)>,
}

impl Writer {
    /// Creates the writer of a log whose journal ends at `end` and whose `HEAD` file has the content `head`.
    pub(super) fn new(end: FrameBoundary, head: Head, journal: Arc<dyn File>) -> Self {
        let group = StagedGroup::after(end.position, end.recorded_at);
        let (preallocation, backlog) = (Preallocation::default(), IndexBacklog::default());
        Self {
            group,
            journal,
            preallocation,
            end,
            head,
            head_written_at: Instant::now(),
            stop_cause: None,
            is_full: false,
            head_is_behind: false,
            index_failure: None,
            backlog,
        }
    }

    /// Allows the index to be behind the journal for at most `max_lag`.
    pub(super) const fn set_max_index_lag(&mut self, max_lag: Duration) {
        self.backlog.max_lag = max_lag;
    }

    /// Preallocates `bytes` bytes behind the journal's end whenever they are used up.
    pub(super) const fn set_preallocation(&mut self, bytes: usize) {
        self.preallocation = Preallocation::new(bytes);
    }

    /// Stops the writer: drops the staged events, and later writes fail. Logs and stores the first cause.
    pub(super) fn stop(&mut self, cause: &str) {
        if self.stop_cause.is_none() {
            tracing::error!(cause, "the log takes no more events");
            self.stop_cause = Some(cause.into());
        }
        // The staged events are dropped, so their positions are free again.
        self.group = StagedGroup::after(self.end.position, self.end.recorded_at);
    }

    /// Returns [`LogError::Stopped`] if the writer was stopped. `root` is the directory of the log, for the message.
    pub(super) fn check_running(&self, root: &Path) -> Result<(), LogError> {
        if self.stop_cause.is_some() { Err(self.stopped_error(root)) } else { Ok(()) }
    }

    /// Continues without the index, after a transient failure such as a full disk.
    pub(super) fn leave_index_behind(&mut self, failure: &IndexFailure) {
        tracing::warn!(%failure, "the log continues without its index until it is opened again");
        self.index_failure = Some(failure.to_string().into());
        self.backlog.bytes = Vec::new();
        self.backlog.since = None;
    }

    /// The cause for which the index is no longer used; `None` if it is used.
    pub(super) const fn index_failure(&self) -> Option<&Arc<str>> {
        self.index_failure.as_ref()
    }

    /// Returns the error of a stopped writer. `root` is the directory of the log, for the message.
    pub(super) fn stopped_error(&self, root: &Path) -> LogError {
        let cause = self.stop_cause.clone().unwrap_or_else(|| "of an unknown cause".into());
        LogError::Stopped { path: root.to_owned(), cause }
    }

    /// Encodes staged events as frames that continue the journal. Writes nothing to the disk.
    fn encode_group(&self, staged: &[StagedEvent]) -> EncodedGroup {
        let size = staged.iter().map(|staged| frame::recorded_size(&staged.recorded)).sum();
        let (mut bytes, mut frames) = (Vec::with_capacity(size), Vec::with_capacity(staged.len()));
        let mut end = self.end;
        for (index, StagedEvent { recorded, batch_continues }) in staged.iter().enumerate() {
            let start = bytes.len();
            // A barrier has at most 256 events, so the index always fits.
            let barrier_index = u8::try_from(index).unwrap_or(u8::MAX);
            let chain = frame::encode(&mut bytes, recorded, barrier_index, *batch_continues, end.chain);
            let offset = self.end.offset + bytes.len() as u64;
            end = FrameBoundary { position: recorded.position, chain, recorded_at: recorded.recorded_at, offset };
            frames.push((start, end));
        }
        EncodedGroup { bytes, frames }
    }
}

impl SledLog {
    /// Makes the staged events durable and visible. Without staged events, does deferred work that is due.
    ///
    /// # Errors
    /// [`LogError::Full`] if the disk is full; the events remain staged. [`LogError::Stopped`] for any other failure,
    /// which also stops the writer.
    pub(super) fn commit(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        let staged = writer.group.take();
        let outcome = if staged.is_empty() {
            self.do_deferred_work(writer).map_err(BarrierFailure::Fatal)
        } else {
            self.barrier(writer, &staged)
        };
        match outcome {
            Ok(()) => {
                if std::mem::take(&mut writer.is_full) {
                    tracing::warn!("there is room for the log again");
                }
                Ok(())
            }
            Err(BarrierFailure::Full(error)) => {
                writer.group.put_back(staged);
                let error = LogError::Full { path: self.root.clone(), cause: error.to_string().into() };
                if !std::mem::replace(&mut writer.is_full, true) {
                    tracing::error!(%error, "events wait for room");
                }
                Err(error)
            }
            Err(BarrierFailure::Fatal(cause)) => {
                writer.stop(&cause);
                Err(writer.stopped_error(&self.root))
            }
        }
    }

    /// Writes the staged events to the journal, and to the index if that is due, then makes them visible to readers.
    fn barrier(&self, writer: &mut Writer, staged: &[StagedEvent]) -> Result<(), BarrierFailure> {
        let encoded_group = writer.encode_group(staged);
        let Some((_, end)) = encoded_group.frames.last().copied() else { return Ok(()) };
        self.write_journal(writer, &encoded_group.bytes)?;
        // From here on the events may exist when the log is opened again, whether acknowledged or not.
        if writer.index_failure.is_none() {
            writer.backlog.bytes.extend_from_slice(&encoded_group.bytes);
            writer.backlog.since.get_or_insert_with(Instant::now);
        }
        self.extend_index_if_due(writer)?;
        let group_offset = writer.end.offset;
        writer.end = end;
        self.write_head_if_due(writer);
        let mut visible = self.visible.write().unwrap_or_else(PoisonError::into_inner);
        for (staged, (start, end)) in staged.iter().zip(&encoded_group.frames) {
            visible.readable.offsets.add(end.position, group_offset + *start as u64);
            visible.ids.add(staged.recorded.event.id, end.position);
        }
        visible.readable.end = end;
        Ok(())
    }

    /// Appends bytes to the journal and syncs it. If that fails, truncates the journal to its previous end.
    fn write_journal(&self, writer: &mut Writer, bytes: &[u8]) -> Result<(), BarrierFailure> {
        let (file, offset) = (&*writer.journal, writer.end.offset);
        let write_result = writer.preallocation.write_frames(file, offset, bytes).map_err(|error| ("write to", error));
        let sync_result = write_result.and_then(|()| file.sync_data().map_err(|error| ("sync", error)));
        let Err((action, error)) = sync_result else { return Ok(()) };
        writer.preallocation.forget();
        // These bytes are not visible yet. If the truncation fails as well, opening the log truncates them.
        let truncation = file.truncate(offset).inspect_err(|error| {
            tracing::warn!(%error, "bytes of a failed write stay in the journal until the log is opened again");
        });
        if truncation.is_ok() && is_out_of_room(&error) {
            return Err(BarrierFailure::Full(error));
        }
        Err(BarrierFailure::Fatal(format!("cannot {action} `{}`: {error}", self.root.join(JOURNAL).display())))
    }

    /// Extends the index and writes the `HEAD` file if they are due. Called when there are no events to write. Returns
    /// the cause of a failure.
    fn do_deferred_work(&self, writer: &mut Writer) -> Result<(), String> {
        self.extend_index_if_due(writer)?;
        self.write_head_if_due(writer);
        Ok(())
    }

    /// Extends the index if it has been behind the journal for the maximum time, or by [`MAX_BACKLOG_BYTES`]. Returns
    /// the cause of a failure.
    fn extend_index_if_due(&self, writer: &mut Writer) -> Result<(), String> {
        let is_due = writer.backlog.since.is_some_and(|since| writer.backlog.max_lag <= since.elapsed());
        if is_due || MAX_BACKLOG_BYTES <= writer.backlog.bytes.len() { self.extend_index(writer) } else { Ok(()) }
    }

    /// Adds all events that the index does not contain yet to it, durably. On a full disk the index remains behind the
    /// journal, which is no failure. Returns the cause of any other failure.
    pub(super) fn extend_index(&self, writer: &mut Writer) -> Result<(), String> {
        if writer.backlog.since.take().is_none() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut writer.backlog.bytes);
        match self.index.add_frames(&bytes).and_then(|()| self.index.barrier()) {
            Ok(()) => {
                writer.backlog.bytes = bytes;
                writer.backlog.bytes.clear();
                Ok(())
            }
            Err(failure) if failure.is_transient() => {
                writer.leave_index_behind(&failure);
                Ok(())
            }
            Err(failure) => Err(failure.to_string()),
        }
    }

    /// Writes the `HEAD` file if it is older than [`HEAD_INTERVAL`].
    fn write_head_if_due(&self, writer: &mut Writer) {
        if HEAD_INTERVAL <= writer.head_written_at.elapsed() {
            self.write_head(writer);
        }
    }

    /// Writes the `HEAD` file if the journal's end has changed since it was written. A failure is logged once and changes
    /// nothing: an older `HEAD` is valid, and a barrier after the interval writes it again.
    fn write_head(&self, writer: &mut Writer) {
        let head = Head::from(writer.end);
        if writer.head == head {
            return;
        }
        writer.head_written_at = Instant::now();
        match head::write_head(&*self.files, &self.root, head) {
            Ok(()) => {
                writer.head = head;
                if std::mem::take(&mut writer.head_is_behind) {
                    tracing::warn!("`HEAD` is written again");
                }
            }
            Err(error) => {
                if !std::mem::replace(&mut writer.head_is_behind, true) {
                    let path = self.root.join(head::HEAD);
                    tracing::warn!(path = %path.display(), %error, "`HEAD` cannot be written; the log continues with an older one");
                }
            }
        }
    }

    /// Extends the index, writes the `HEAD` file, and truncates preallocated space. Stops the writer and returns
    /// [`LogError::Stopped`] if the index fails for good.
    pub(super) fn complete_deferred_work(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        writer.preallocation.truncate(&*writer.journal, writer.end.offset);
        let extension = self.extend_index(writer);
        if extension.is_ok() {
            self.write_head(writer);
        }
        extension.map_err(|cause| {
            writer.stop(&cause);
            writer.stopped_error(&self.root)
        })
    }
}
