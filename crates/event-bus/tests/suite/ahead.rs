//! A preallocated journal: only the writer uses the space behind the journal's end, and readers ignore it.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use crate::damaged::{Case, begins};
use crate::support::{all, in_memory, new_events, times};
use event_bus::{EventLog as _, Expected, JournalReader, RepairAction, SledLog, verify};
use event_core::{Position, Timestamp};

/// Number of preallocated bytes: space for about forty events.
const ROOM: usize = 10_000;

/// Opens a log with preallocation.
fn open(directory: &Path) -> SledLog {
    SledLog::open(directory).unwrap().0.with_journal_preallocation(ROOM)
}

/// Appends and syncs one batch of `events` events, starting with number `first`.
fn append(log: &SledLog, first: u64, events: u64) {
    log.append(Expected::Any, Timestamp(first), &new_events(first..first + events)).unwrap();
    log.sync().unwrap();
}

/// Returns a copy of a log of ten events as a killed process leaves it, with preallocated space, and the offset of the
/// journal's end.
fn killed() -> (Case, usize) {
    let directory = in_memory();
    let log = open(directory.path());
    append(&log, 1, 10);
    let case = Case::of(directory.path());
    let end = begins(&case.read("journal"))[10];
    (case, end)
}

/// Preallocated space behind the journal's end is neither a problem nor a note of `verify`. Opening truncates it
/// without a repair.
#[test]
fn a_log_that_was_killed_opens_without_a_word_about_its_room() {
    let (case, end) = killed();
    assert_eq!(case.read("journal").len(), end + ROOM);
    let verified = verify(case.path()).unwrap();
    assert_eq!((verified.problems, verified.notes, verified.events), (vec![], vec![], 10));
    let (log, repairs) = SledLog::open(case.path()).unwrap();
    assert_eq!((repairs, all(&log).len()), (vec![], 10));
    assert_eq!(case.read("journal").len(), end);
}

/// Closing truncates preallocated space, and the next append preallocates new space.
#[test]
fn closing_leaves_no_room_and_the_next_event_makes_new() {
    let directory = in_memory();
    let length = || directory.path().join("journal").metadata().unwrap().len();
    let log = open(directory.path());
    append(&log, 1, 10);
    let whole = begins(&std::fs::read(directory.path().join("journal")).unwrap())[10] as u64;
    assert_eq!(length(), whole + ROOM as u64);
    log.close().unwrap();
    assert_eq!(length(), whole);
    append(&log, 11, 1);
    assert!(whole + (ROOM as u64) < length());
    drop(log);
    assert_eq!(verify(directory.path()).unwrap().bytes, length());
}

/// One changed byte in the preallocated space is a note of `verify` and a reported truncation, and no event is lost.
#[test]
fn one_byte_in_the_room_that_nobody_wrote_ahead_is_said() {
    for (place, byte) in [(0, 0), (0, b'}'), (5_000, 0), (ROOM - 1, 0xff)] {
        let (case, end) = killed();
        case.change("journal", |bytes| bytes[end + place] = byte);
        let notes = verify(case.path()).unwrap().notes;
        assert_eq!(notes.len(), 1, "{place}: {notes:?}");
        let (log, repairs) = SledLog::open(case.path()).unwrap();
        assert_eq!(repairs.iter().map(|repair| repair.action).collect::<Vec<_>>(), [RepairAction::TailCut], "{place}");
        assert_eq!(all(&log).len(), 10);
    }
}

/// A frame that was overwritten with zeros before the preallocated space is damage, not an unfinished write.
#[test]
fn a_barrier_that_was_lost_is_not_taken_for_room() {
    let (case, end) = killed();
    // A disk that lost a write returns zeros or its earlier content.
    case.change("journal", |bytes| {
        let last = begins(bytes)[9];
        bytes[last..end].fill(0);
    });
    assert!(!verify(case.path()).unwrap().is_sound());
    assert!(SledLog::open(case.path()).is_err(), "the index knows of the event");
}

/// Readers and `verify` beside a process that appends to preallocated space see complete batches, no damage, and never
/// fewer events than before.
#[test]
fn whoever_reads_beside_the_writer_sees_whole_events_and_no_damage() {
    let directory = in_memory();
    let log = open(directory.path());
    append(&log, 1, 1);
    let follower = JournalReader::open(directory.path()).unwrap();
    let ended = AtomicBool::new(false);
    let rounds = thread::scope(|scope| {
        scope.spawn(|| {
            (2..=times(3_000) as u64).for_each(|number| append(&log, number, 1));
            ended.store(true, Ordering::SeqCst);
        });
        let (mut seen, mut rounds) = (Position::ORIGIN, 0);
        while !ended.load(Ordering::SeqCst) {
            let verified = verify(directory.path()).unwrap();
            assert_eq!(verified.problems, [], "round {rounds}");
            assert!(seen.0 <= verified.events, "round {rounds}");
            let fresh = JournalReader::open(directory.path()).unwrap().head().unwrap();
            seen = follower.head().unwrap();
            assert!(verified.events <= fresh.0 && fresh <= seen, "round {rounds}");
            rounds += 1;
        }
        rounds
    });
    assert!(3 < rounds, "{rounds} rounds say little");
    assert_eq!(follower.head().unwrap(), log.head().unwrap());
    assert_eq!(all(&follower), all(&log));
}
