//! Random sequences of all operations of a log, applied to the in-memory log, the log on disk and a vector.

use std::{cell::RefCell, collections::BTreeSet};

use event_bus::{EventLog, Expected, MemoryLog, SledLog};
use event_core::{Checkpoint, NewEvent, Position, Recorded, Timestamp};
use proptest::{collection::vec, prelude::*};

use super::{
    on_random,
    vector::{Answer, Vector, answer},
};
use crate::support::{all, in_memory, new_event, times};

/// An operation of a log. Events are given by number.
#[derive(Debug, Clone)]
enum Step {
    /// Appends a batch. Numbers repeat, so that ids do as well.
    Append {
        /// The expected head; `None` for any.
        expected: Option<Belief>,
        /// Current time.
        at: u64,
        /// Numbers of the events.
        numbers: Vec<u64>,
    },
    /// Restores events with positions and times, as an import does.
    Restore {
        /// Number by which the positions are too small; 0 continues the log.
        behind: u64,
        /// Numbers of the events.
        numbers: Vec<u64>,
    },
    /// Makes staged events durable.
    Sync,
    /// Reads events after a position.
    Read {
        /// Position before the first event.
        after: u64,
        /// Maximum number of events.
        limit: usize,
    },
    /// Looks up the id of the event with this number.
    Find(u64),
    /// Saves a checkpoint.
    Save {
        /// Name of the checkpoint.
        name: u8,
        /// Length of its state.
        bytes: usize,
    },
    /// Loads the checkpoint with this name.
    Load(u8),
    /// Closes the log on disk and opens it again.
    Reopen,
}

/// The head that the producer of a batch expects.
#[derive(Debug, Clone)]
enum Belief {
    /// The present head.
    Right,
    /// A random position.
    Guessed(u64),
}

/// Generates an operation of a log.
fn step() -> impl Strategy<Value = Step> {
    // Some ids are repeated within a batch, and most in a later one.
    let numbers = || prop_oneof![vec(0..40_u64, 0..6), vec(0..4_u64, 2..6), vec(100..160_u64, 1..9)];
    let belief = || prop_oneof![Just(Belief::Right), (0..30_u64).prop_map(Belief::Guessed)];
    prop_oneof![
        9 => (proptest::option::of(belief()), 0..50_u64, numbers())
            .prop_map(|(expected, at, numbers)| Step::Append { expected, at, numbers }),
        2 => (0..2_u64, vec(40..80_u64, 0..4)).prop_map(|(behind, numbers)| Step::Restore { behind, numbers }),
        2 => Just(Step::Sync),
        2 => (0..40_u64, 0..20_usize).prop_map(|(after, limit)| Step::Read { after, limit }),
        2 => (0..80_u64).prop_map(Step::Find),
        1 => (0..3_u8, 0..9_000_usize).prop_map(|(name, bytes)| Step::Save { name, bytes }),
        1 => (0..3_u8).prop_map(Step::Load),
        1 => Just(Step::Reopen),
    ]
}

/// Numbers of notable outcomes, which a run must reach so that the test is meaningful.
#[derive(Debug, Default)]
struct Seen {
    /// Number of operations.
    operations: u64,
    /// Batches with the same id twice.
    repeated_in_batch: u64,
    /// Batches with an id that is staged already.
    repeated_in_group: u64,
    /// Batches with an id that is recorded already.
    repeated_in_log: u64,
    /// Batches that expect the present head, or are retries.
    expected_and_met: u64,
    /// Batches that were refused because of the head.
    conflicts: u64,
    /// Events that were restored.
    restored: u64,
    /// Times that the log was opened again.
    reopened: u64,
    /// Checkpoints that were loaded after the log was opened again.
    loaded_after_reopening: u64,
}

impl Seen {
    /// Counts the outcome of appending a batch. `wanted` is the result of the reference, and `before` its length before
    /// the batch.
    fn append(&mut self, vector: &Vector, expected: Option<u64>, numbers: &[u64], wanted: &Answer, before: usize) {
        match wanted {
            Err(_) => self.conflicts += 1,
            Ok(_) if expected.is_some() => self.expected_and_met += 1,
            Ok(_) => {}
        }
        let distinct: BTreeSet<_> = numbers.iter().collect();
        self.repeated_in_batch += u64::from(distinct.len() < numbers.len());
        let known = |events: &[Recorded]| {
            numbers.iter().any(|number| events.iter().any(|event| event.event.id == new_event(*number).id))
        };
        self.repeated_in_log += u64::from(known(&vector.events[..vector.synced]));
        self.repeated_in_group += u64::from(known(&vector.events[vector.synced..before]));
    }
}

/// The reference and two logs to which the same operations are applied.
struct Three<'a> {
    /// The reference.
    vector: Vector,
    /// The log in memory.
    memory: MemoryLog,
    /// The log on disk.
    disk: SledLog,
    /// Directory of the log on disk.
    directory: tempfile::TempDir,
    /// Counts of outcomes.
    seen: &'a mut Seen,
}

impl Three<'_> {
    /// Returns the two logs.
    fn logs(&self) -> [&dyn EventLog; 2] {
        [&self.memory, &self.disk]
    }

    /// Applies an operation to all three and compares the results.
    fn take(mut self, step: Step) -> Self {
        self.seen.operations += 1;
        match step {
            Step::Append { expected, at, numbers } => self.append(expected.as_ref(), at, &numbers),
            Step::Restore { behind, numbers } => self.restore(behind, &numbers),
            Step::Sync => self.sync(),
            Step::Reopen => return self.reopen(),
            Step::Read { after, limit } => {
                let visible = &self.vector.events[..self.vector.synced];
                let wanted: Vec<Recorded> =
                    visible.iter().skip(usize::try_from(after).unwrap()).take(limit).cloned().collect();
                for log in self.logs() {
                    assert_eq!(log.read_after(Position(after), limit).unwrap(), wanted);
                    assert_eq!(log.head().unwrap(), Position(self.vector.synced as u64));
                }
            }
            Step::Find(number) => {
                let visible = &self.vector.events[..self.vector.synced];
                let wanted =
                    visible.iter().find(|event| event.event.id == new_event(number).id).map(|event| event.position);
                for log in self.logs() {
                    assert_eq!(log.find(new_event(number).id).unwrap(), wanted);
                }
            }
            Step::Save { name, bytes } => {
                let position = Position(self.vector.synced as u64);
                let saved = Checkpoint { version: u32::from(name), position, state: vec![name; bytes] };
                for log in self.logs() {
                    log.save_checkpoint(&name.to_string(), &saved).unwrap();
                }
                self.vector.saved.insert(name.to_string(), saved);
            }
            Step::Load(name) => self.loads(&name.to_string()),
        }
        self
    }

    /// Appends a batch to all three and compares the results.
    fn append(&mut self, belief: Option<&Belief>, at: u64, numbers: &[u64]) {
        let batch: Vec<NewEvent> = numbers.iter().copied().map(new_event).collect();
        let before = self.vector.events.len();
        let expected = belief.map(|belief| match belief {
            Belief::Right => self.vector.head(),
            Belief::Guessed(position) => *position,
        });
        let wanted = self.vector.append(expected, at, &batch);
        self.seen.append(&self.vector, expected, numbers, &wanted, before);
        let expected = expected.map_or(Expected::Any, |expected| Expected::At(Position(expected)));
        for log in self.logs() {
            assert_eq!(answer(log.append(expected, Timestamp(at), &batch)), wanted);
        }
    }

    /// Restores events in all three and compares the results.
    fn restore(&mut self, behind: u64, numbers: &[u64]) {
        let events: Vec<Recorded> = (1..)
            .zip(numbers)
            .map(|(index, number)| {
                let position = Position((self.vector.head() + index).saturating_sub(behind));
                Recorded::new(position, Timestamp(100 + number / 20), new_event(*number))
            })
            .collect();
        let wanted = self.vector.restore(&events);
        self.seen.restored += wanted.as_ref().map_or(0, |positions| positions.len() as u64);
        for log in self.logs() {
            assert_eq!(answer(log.restore(&events)), wanted);
        }
    }

    /// Makes the staged events of all three durable.
    fn sync(&mut self) {
        for log in self.logs() {
            log.sync().unwrap();
        }
        self.vector.synced = self.vector.events.len();
    }

    /// Asserts that both logs return the checkpoint of the reference.
    fn loads(&self, name: &str) {
        for log in self.logs() {
            assert_eq!(log.load_checkpoint(name).unwrap().as_ref(), self.vector.saved.get(name));
        }
    }

    /// Opens the log on disk again, and compares all events, ids and checkpoints of both logs with the reference.
    fn reopen(mut self) -> Self {
        self.sync();
        let Self { vector, memory, disk, directory, seen } = self;
        drop(disk);
        let (disk, repairs) = SledLog::open(directory.path()).unwrap();
        assert_eq!(repairs, []);
        let again = Self { vector, memory, disk, directory, seen };
        for log in again.logs() {
            assert_eq!(all(log), again.vector.events);
            for event in &again.vector.events {
                assert_eq!(log.find(event.event.id).unwrap(), Some(event.position));
            }
        }
        again.vector.saved.keys().for_each(|name| again.loads(name));
        again.seen.reopened += 1;
        again.seen.loaded_after_reopening += again.vector.saved.len() as u64;
        again
    }
}

#[test]
fn memory_disk_and_vector_agree_on_every_sequence_of_operations() {
    let sequences = times(128);
    let seen = RefCell::new(Seen::default());
    on_random(sequences, &vec(step(), 1..60), |steps| {
        let directory = in_memory();
        let (disk, _) = SledLog::open(directory.path()).unwrap();
        let mut seen = seen.borrow_mut();
        let three = Three { vector: Vector::default(), memory: MemoryLog::new(), disk, directory, seen: &mut seen };
        steps.into_iter().fold(three, Three::take).reopen();
        Ok(())
    });
    let seen = seen.into_inner();
    let least = sequences as u64;
    for (what, count) in [
        ("an id twice in a batch", seen.repeated_in_batch),
        ("an id staged before", seen.repeated_in_group),
        ("an id recorded before", seen.repeated_in_log),
        ("an expectation that holds", seen.expected_and_met),
        ("an expectation that does not", seen.conflicts),
        ("an event restored", seen.restored),
        ("a log opened again", seen.reopened),
        ("a state loaded from a log opened again", seen.loaded_after_reopening),
    ] {
        assert!(least <= count, "{what} came about {count} times only in {sequences} sequences");
    }
    println!(
        "kept: model test: {sequences} random sequences of {} operations on memory, disk and a vector: {} batches with \
         an id twice, {} with one known from before, {} that expect the right place and {} refused for a wrong one, \
         {} reopenings with {} saved states read back",
        seen.operations,
        seen.repeated_in_batch,
        seen.repeated_in_group + seen.repeated_in_log,
        seen.expected_and_met,
        seen.conflicts,
        seen.reopened,
        seen.loaded_after_reopening,
    );
}
