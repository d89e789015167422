//! One barrier: journal, sync, index, sync, head, and only then anyone may know.

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
    group::{Group, Staged},
    head::{self, Head},
    journal::{End, JOURNAL},
};

/// The most bytes by which the index may be behind the journal.
const MOST_BEHIND: usize = 1024 * 1024;
/// How old the `HEAD` file may get while events are written.
const HEAD_EVERY: Duration = Duration::from_millis(100);

/// What only the writer touches.
#[derive(Debug)]
pub(super) struct Writer {
    pub(super) group: Group,
    journal: Arc<dyn File>,
    ahead: Ahead,
    /// Where the durable part of the journal ends.
    end: End,
    head: Head,
    head_at: Instant,
    stopped: Option<Arc<str>>,
    behind: Behind,
}

/// How far the index is behind the journal.
#[derive(Debug, Default)]
struct Behind {
    /// The longest it may be; by default it is never.
    most: Duration,
    /// The frames it does not have yet, one after the other.
    bytes: Vec<u8>,
    /// Since when the first of them is missing.
    since: Option<Instant>,
}

/// A group as bytes.
struct Written {
    bytes: Vec<u8>,
    /// Where each frame begins and what the journal is like after it.
    ends: Vec<(usize, End)>,
}

impl Writer {
    pub(super) fn new(end: End, head: Head, journal: Arc<dyn File>) -> Self {
        let group = Group::after(end.position, end.recorded_at);
        let (ahead, behind) = (Ahead::default(), Behind::default());
        Self { group, journal, ahead, end, head, head_at: Instant::now(), stopped: None, behind }
    }

    /// Lets the index be behind the journal for so long.
    pub(super) const fn let_index_lag(&mut self, most: Duration) {
        self.behind.most = most;
    }

    /// Writes so much room behind the journal's end, again whenever it is used up.
    pub(super) const fn write_ahead(&mut self, room: usize) {
        self.ahead = Ahead::of(room);
    }

    /// Nothing more is written. The first cause is kept.
    pub(super) fn stop(&mut self, cause: &str) {
        if self.stopped.is_none() {
            tracing::error!(cause, "the log takes no more events");
            self.stopped = Some(cause.into());
        }
        // What was staged is gone, and so are the positions it would have had.
        self.group = Group::after(self.end.position, self.end.recorded_at);
    }

    pub(super) fn check_running(&self, root: &Path) -> Result<(), LogError> {
        if self.stopped.is_some() { Err(self.stopped_error(root)) } else { Ok(()) }
    }

    pub(super) fn stopped_error(&self, root: &Path) -> LogError {
        let cause = self.stopped.clone().unwrap_or_else(|| "of an unknown cause".into());
        LogError::Stopped { path: root.to_owned(), cause }
    }

    fn frames(&self, staged: &[Staged]) -> Written {
        let bytes = staged.iter().map(|staged| frame::size_of(&staged.recorded)).sum();
        let mut written = Written { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(staged.len()) };
        let mut end = self.end;
        for (index, Staged { recorded, goes_on }) in staged.iter().enumerate() {
            let start = written.bytes.len();
            // A barrier has at most 256 events, so the place always fits.
            let place = u8::try_from(index).unwrap_or(u8::MAX);
            let chain = frame::write(&mut written.bytes, recorded, place, *goes_on, end.chain);
            let offset = self.end.offset + written.bytes.len() as u64;
            end = End { position: recorded.position, chain, recorded_at: recorded.recorded_at, offset };
            written.ends.push((start, end));
        }
        written
    }
}

impl SledLog {
    /// Makes what is staged durable and visible, or stops the log.
    pub(super) fn commit(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        let staged = writer.group.take();
        let outcome = if staged.is_empty() { self.rest(writer) } else { self.barrier(writer, &staged) };
        outcome.map_err(|cause| {
            writer.stop(&cause);
            writer.stopped_error(&self.root)
        })
    }

    fn barrier(&self, writer: &mut Writer, staged: &[Staged]) -> Result<(), String> {
        let written = writer.frames(staged);
        let Some((_, end)) = written.ends.last().copied() else { return Ok(()) };
        self.write_journal(writer, &written.bytes)?;
        // From here on the group may come back when the log is opened again, acknowledged or not.
        writer.behind.bytes.extend_from_slice(&written.bytes);
        writer.behind.since.get_or_insert_with(Instant::now);
        self.keep_index(writer)?;
        let before = writer.end.offset;
        writer.end = end;
        self.keep_head(writer)?;
        let mut visible = self.visible.write().unwrap_or_else(PoisonError::into_inner);
        for (staged, (start, end)) in staged.iter().zip(&written.ends) {
            visible.readable.offsets.note(end.position, before + *start as u64);
            visible.ids.add(staged.recorded.event.id, end.position);
        }
        visible.readable.end = end;
        Ok(())
    }

    fn write_journal(&self, writer: &mut Writer, bytes: &[u8]) -> Result<(), String> {
        let (file, offset) = (&*writer.journal, writer.end.offset);
        let describe = |action: &str, error: io::Error| {
            // Nobody else knows of these bytes yet. Should cutting them fail as well, opening the log will.
            if let Err(error) = file.truncate(offset) {
                tracing::warn!(%error, "bytes of a failed write stay in the journal until the log is opened again");
            }
            format!("cannot {action} `{}`: {error}", self.root.join(JOURNAL).display())
        };
        writer.ahead.write(file, offset, bytes).map_err(|error| describe("write to", error))?;
        file.sync_data().map_err(|error| describe("sync", error))
    }

    /// Nothing to write: what has been put off is done when it is due.
    fn rest(&self, writer: &mut Writer) -> Result<(), String> {
        self.keep_index(writer)?;
        self.keep_head(writer)
    }

    /// Brings the index up to the journal if it has been behind for long enough, or by too much.
    fn keep_index(&self, writer: &mut Writer) -> Result<(), String> {
        let due = writer.behind.since.is_some_and(|since| writer.behind.most <= since.elapsed());
        if due || MOST_BEHIND <= writer.behind.bytes.len() { self.catch_index_up(writer) } else { Ok(()) }
    }

    /// Brings the index up to the journal.
    pub(super) fn catch_index_up(&self, writer: &mut Writer) -> Result<(), String> {
        if writer.behind.since.take().is_none() {
            return Ok(());
        }
        let bytes = std::mem::take(&mut writer.behind.bytes);
        self.index.add(&bytes).and_then(|()| self.index.barrier()).map_err(|failure| failure.to_string())?;
        writer.behind.bytes = bytes;
        writer.behind.bytes.clear();
        Ok(())
    }

    /// Writes the `HEAD` file if it has become too old.
    fn keep_head(&self, writer: &mut Writer) -> Result<(), String> {
        if HEAD_EVERY <= writer.head_at.elapsed() { self.put_head(writer) } else { Ok(()) }
    }

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

    /// Brings the index and the `HEAD` file up to the journal now, and leaves nothing behind its end.
    pub(super) fn settle(&self, writer: &mut Writer) -> Result<(), LogError> {
        writer.check_running(&self.root)?;
        writer.ahead.cut(&*writer.journal, writer.end.offset);
        self.catch_index_up(writer).and_then(|()| self.put_head(writer)).map_err(|cause| {
            writer.stop(&cause);
            writer.stopped_error(&self.root)
        })
    }
}
