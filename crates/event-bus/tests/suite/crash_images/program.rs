//! [`Program`], which writes a log on a recording file system, and records which events, texts and checkpoints were
//! acknowledged.

use std::{path::PathBuf, sync::Arc};

use event_bus::{
    EventLog as _, Expected, LogError, SledLog, TextFiles, TextStore as _,
    files::{Files as _, Mode, RecordingFiles, SystemFiles},
    plan_repair_with,
};
use event_core::{Checkpoint, NewEvent, Position, Recorded, Timestamp};
use fastrand::Rng;
use tempfile::TempDir;

use super::story::{Purge, STATE, State, Story, Text, is_private};
use crate::support::{in_memory, new_event};

/// Kind of the events whose payload is the hash of a stored text.
pub(crate) const NAMES_A_TEXT: &str = "test.text_named";

/// Content of the payloads that a purge removes.
pub(crate) const SECRET: &[u8] = b"the launch code is 0000. ";

/// Maximum length of a payload, in bytes.
const LARGEST: usize = 4 * 1024;

/// A program that writes a log, with its record.
pub(crate) struct Program {
    /// File system that records every change.
    files: RecordingFiles,
    /// Directory whose changes are recorded; contains the log.
    place: TempDir,
    /// The open log; `None` while it is closed.
    log: Option<SledLog>,
    /// The record so far.
    story: Story,
    /// Number of preallocated bytes behind the journal's end; 0 for no preallocation.
    pub(crate) ahead: usize,
    /// Generator for random scripts.
    pub(crate) random: Rng,
}

impl Program {
    /// Creates a program that starts without a log.
    pub(crate) fn new(name: &str, seed: u64) -> Self {
        Self::on(in_memory(), Story { name: name.to_owned(), ..Story::default() }, seed)
    }

    /// Creates a program that starts with the content of a directory, of which `story` is the record.
    pub(crate) fn on(place: TempDir, mut story: Story, seed: u64) -> Self {
        let files = RecordingFiles::new(SystemFiles, place.path()).unwrap();
        story.begin = files.count().unwrap();
        Self { files, place, log: None, story, ahead: 0, random: Rng::with_seed(seed) }
    }

    /// Returns the directory of the log.
    fn root(&self) -> PathBuf {
        self.place.path().join("log")
    }

    /// Returns the text store of the log.
    fn texts(&self) -> TextFiles {
        TextFiles::open_with(self.root(), Arc::new(self.files.clone()))
    }

    /// Returns the number of changes so far.
    fn now(&self) -> usize {
        self.files.count().unwrap()
    }

    /// Returns the open log.
    fn log(&self) -> &SledLog {
        self.log.as_ref().unwrap()
    }

    /// Records that all appended events are acknowledged now.
    fn acknowledged(&mut self) {
        self.story.acknowledged.push((self.now(), self.story.events.len()));
    }

    /// Opens the log, and asserts that it has all appended events.
    pub(crate) fn open(&mut self) {
        let (log, _) = SledLog::open_with(self.root(), Arc::new(self.files.clone())).unwrap();
        let log = log.with_journal_preallocation(self.ahead);
        assert_eq!(log.head().unwrap(), Position(self.story.events.len() as u64), "{}", self.story.name);
        self.log = Some(log);
        self.acknowledged();
    }

    /// Closes and drops the log.
    pub(crate) fn close(&mut self) {
        self.log().close().unwrap();
        self.log = None;
    }

    /// Stages a batch and records its events.
    pub(crate) fn stage(&mut self, batch: &[NewEvent]) {
        let at = Timestamp(self.story.events.len() as u64);
        self.log().append(Expected::Any, at, batch).unwrap();
        self.story.events.extend_from_slice(batch);
        self.story.batches.push(self.story.events.len());
    }

    /// Stages a batch of `events` new events.
    pub(crate) fn stage_some(&mut self, events: u64) {
        let first = self.story.events.len() as u64 + 1;
        let batch: Vec<NewEvent> = (first..first + events).map(new_event).collect();
        self.stage(&batch);
    }

    /// Makes the staged events durable, and records that they are acknowledged.
    pub(crate) fn sync(&mut self) {
        self.log().sync().unwrap();
        self.acknowledged();
    }

    /// Appends a batch of `events` new events, durably.
    pub(crate) fn append(&mut self, events: u64) {
        self.stage_some(events);
        self.sync();
    }

    /// Appends a batch of `events` new events with payloads of maximum length, durably.
    pub(crate) fn append_large(&mut self, events: u64) {
        let first = self.story.events.len() as u64 + 1;
        let payload = |number: u64| (0..LARGEST).map(|at| (at as u64 ^ number).to_le_bytes()[0]).collect();
        let batch: Vec<NewEvent> =
            (first..first + events).map(|number| NewEvent { payload: payload(number), ..new_event(number) }).collect();
        self.stage(&batch);
        self.sync();
    }

    /// Stores a text of `length` bytes, then appends an event with its hash, durably.
    pub(crate) fn append_text(&mut self, length: usize) {
        let number = self.story.events.len() as u64 + 1;
        let text: String = format!("text {number} ").chars().cycle().take(length).collect();
        let hash = self.texts().put(&text).unwrap();
        self.story.texts.push(Text { hash, kept: self.now(), removed: None });
        self.stage(&[NewEvent { kind: NAMES_A_TEXT.into(), payload: hash[..].into(), ..new_event(number) }]);
        self.sync();
    }

    /// Removes the oldest stored text; does nothing if there is none.
    pub(crate) fn remove_text(&mut self) {
        let (now, texts) = (self.now(), self.texts());
        let Some(text) = self.story.texts.iter_mut().find(|text| text.removed.is_none()) else { return };
        assert!(texts.remove(text.hash).unwrap());
        text.removed = Some((now, self.files.count().unwrap()));
    }

    /// Saves a checkpoint with a state of `length` bytes.
    pub(crate) fn save(&mut self, length: usize) {
        let began = self.now();
        let position = Position(self.story.events.len() as u64);
        let state = (0..length).map(|at| ((at as u64 * 31) ^ position.0).to_le_bytes()[0]).collect();
        let checkpoint = Checkpoint { version: 1, position, state };
        self.log().save_checkpoint(STATE, &checkpoint).unwrap();
        self.story.states.push(State { began, kept: self.now(), checkpoint });
    }

    /// Purges the events for which [`is_private`] returns true.
    pub(crate) fn purge(&mut self) {
        let (began, events) = (self.now(), self.story.events.len() as u64);
        let log = self.log.take().unwrap();
        let (log, purged) = log.purge(|event| is_private(event.position)).unwrap();
        assert_ne!(purged.events, 0, "{}", self.story.name);
        self.log = Some(log);
        self.story.purge = Some(Purge { began, done: self.now(), events, recorded: 0 });
    }

    /// Purges the events for which [`is_private`] returns true, and appends `recorded` new events in the same step, as
    /// the removal of old sessions does.
    pub(crate) fn purge_and_record(&mut self, recorded: u64) {
        let (began, events) = (self.now(), self.story.events.len() as u64);
        let totals: Vec<NewEvent> = (events + 1..=events + recorded).map(new_event).collect();
        let log = self.log.take().unwrap();
        let selected = |event: &Recorded| is_private(event.position);
        let (log, purged) = log.purge_and_record(selected, Timestamp(events), &totals).unwrap();
        assert_ne!(purged.events, 0, "{}", self.story.name);
        self.log = Some(log);
        // Each of them is a batch of its own.
        for event in totals {
            self.story.events.push(event);
            self.story.batches.push(self.story.events.len());
        }
        self.acknowledged();
        self.story.purge = Some(Purge { began, done: self.now(), events, recorded });
    }

    /// Appends a batch of `events` new events, durably. Those for which [`is_private`] returns true contain [`SECRET`].
    pub(crate) fn append_private(&mut self, events: u64) {
        let first = self.story.events.len() as u64 + 1;
        let payload =
            |number| if is_private(Position(number)) { SECRET.repeat(20).into() } else { new_event(number).payload };
        let batch: Vec<NewEvent> =
            (first..first + events).map(|number| NewEvent { payload: payload(number), ..new_event(number) }).collect();
        self.stage(&batch);
        self.sync();
    }

    /// Overwrites bytes in the middle of the journal of a closed log, then repairs the log. Asserts that no event is
    /// lost.
    pub(crate) fn damage_and_repair(&mut self) {
        let files = self.files.clone();
        let journal = files.open(&self.root().join("journal"), Mode::Write).unwrap();
        let done = self.now() + 1;
        journal.write_at(journal.length().unwrap() / 2, &[0xa5; 40]).unwrap();
        journal.sync_data().unwrap();
        assert!(matches!(SledLog::open(self.root()), Err(LogError::Damaged { .. })), "{}", self.story.name);
        let repaired = plan_repair_with(self.root(), Arc::new(files)).unwrap().execute().unwrap();
        assert!(repaired.lost.is_empty(), "{}", self.story.name);
        self.story.damage = Some((done, self.now()));
    }

    /// Ends the program and returns its record with all changes.
    pub(crate) fn end(mut self) -> Story {
        self.log = None;
        self.story.changes = self.files.changes().unwrap();
        self.story
    }
}
