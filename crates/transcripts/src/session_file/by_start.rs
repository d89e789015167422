//! [`TurnsByStart`], an iterator over the turns of several session files in the order of their start.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap, VecDeque},
    fs::File,
    io::BufReader,
};

use event_core::Timestamp;

use super::{
    discover::SessionFile,
    outcome::Issue,
    reader::{Format, OpenError, SessionReader},
};
use crate::observed::{ObservedSession, ObservedTurn};

/// The maximum number of files that are open at a time. If more sessions than this overlap, a further file is opened only
/// when another one ends, and its turns may be returned late.
const MAX_OPEN_FILES: usize = 200;

/// A reader of a file without a callback for progress.
type Reader<F> = SessionReader<'static, BufReader<File>, F>;

/// An iterator over the turns of several session files in the order of their start. Sessions that overlap in time are
/// interleaved (decision D40). A file is opened when its first time is reached and closed at its end.
#[derive(Debug)]
pub struct TurnsByStart<F: Format> {
    /// Files that are not open yet, with their place in the list, in the order of their first time.
    unopened: VecDeque<(usize, SessionFile)>,
    /// Open files by their place in the list, each with its next turn.
    open: BTreeMap<usize, OpenFile<F>>,
    /// Start of the next turn and place of each open file.
    next: BinaryHeap<Reverse<(Timestamp, usize)>>,
    /// Unusable lines of the files that ended.
    issues: Vec<Issue>,
    /// Number of files that ended.
    files_read: usize,
    /// Their size in bytes.
    closed_bytes: u64,
}

/// An open session file with the next turn, which was already read.
#[derive(Debug)]
struct OpenFile<F: Format> {
    /// The reader of the rest of the file.
    reader: Reader<F>,
    /// The session of the file.
    session: ObservedSession,
    /// The next turn, which was read already.
    turn: ObservedTurn,
}

impl<F: Format> TurnsByStart<F> {
    /// Creates an iterator over the turns of `files`, which may be in any order.
    pub fn new(mut files: Vec<SessionFile>) -> Self {
        files.sort_by(SessionFile::compare);
        Self {
            unopened: files.into_iter().enumerate().collect(),
            open: BTreeMap::new(),
            next: BinaryHeap::new(),
            issues: Vec::new(),
            files_read: 0,
            closed_bytes: 0,
        }
    }

    /// Returns the number of files that were read to their end.
    pub const fn files_read(&self) -> usize {
        self.files_read
    }

    /// Returns the number of bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        let open: u64 = self.open.values().map(|file| file.reader.bytes_read()).sum();
        self.closed_bytes.saturating_add(open)
    }

    /// Returns the unusable lines of the files that were read to their end.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Opens every session file whose first time is not after the start of the next turn.
    fn open_due_files(&mut self) -> Result<(), OpenError> {
        while let Some((_, file)) = self.unopened.front() {
            let is_due = match (self.next.peek(), file.first) {
                (Some(Reverse((next, _))), Some(first)) => first <= *next,
                (Some(_), None) => false,
                (None, _) => true,
            };
            if !is_due || MAX_OPEN_FILES <= self.open.len() {
                break;
            }
            if let Some((place, file)) = self.unopened.pop_front() {
                let reader = SessionReader::open(&file.path)?;
                self.read_turn(place, reader);
            }
        }
        Ok(())
    }

    /// Reads the next turn of a session file and queues it by its start. At the end of the file, adds its size and issues to
    /// the totals and closes it. `place` is the position in the list of files. A reader knows the session of its file before
    /// it returns a turn.
    fn read_turn(&mut self, place: usize, mut reader: Reader<F>) {
        let turn = reader.next();
        if let Some((turn, session)) = turn.zip(reader.session().cloned()) {
            self.next.push(Reverse((turn.started_at, place)));
            self.open.insert(place, OpenFile { reader, session, turn });
        } else {
            self.files_read += 1;
            self.closed_bytes = self.closed_bytes.saturating_add(reader.bytes_read());
            self.issues.extend_from_slice(reader.issues());
        }
    }
}

impl<F: Format> Iterator for TurnsByStart<F> {
    type Item = Result<(ObservedSession, ObservedTurn), OpenError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Err(error) = self.open_due_files() {
            return Some(Err(error));
        }
        let Reverse((_, place)) = self.next.pop()?;
        let OpenFile { reader, session, turn } = self.open.remove(&place)?;
        self.read_turn(place, reader);
        Some(Ok((session, turn)))
    }
}
