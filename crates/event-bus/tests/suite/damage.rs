//! Examples of damaged files and their outcomes when the log is opened; `torn_writes` checks thousands of cases.

use std::{fs, path::Path};

use crate::damaged::{Case, begins};
use crate::support::{all, copy, filled, in_memory, new_events};
use event_bus::{EventLog, Expected, JournalReader, LogError, Repair, RepairAction, SledLog};
use event_core::{Checkpoint, Position, Recorded, Timestamp};

/// Result of opening a log.
#[derive(Debug)]
enum Outcome {
    /// The log was opened, with these events and repairs.
    Opened { events: Vec<Recorded>, repairs: Vec<Repair> },
    /// Opening failed with [`LogError::Damaged`] at this position.
    Refused { position: Position },
}

/// Opens a log and reads all its events. Asserts that each is found by its id. Panics on an error other than damage.
fn open(directory: &Path) -> Outcome {
    match SledLog::open(directory) {
        Ok((log, repairs)) => {
            let events = all(&log);
            for event in &events {
                assert_eq!(log.find(event.event.id).unwrap(), Some(event.position));
            }
            Outcome::Opened { events, repairs }
        }
        Err(LogError::Damaged { position, .. }) => Outcome::Refused { position },
        Err(other) => panic!("{other}"),
    }
}

/// Returns the kinds of repairs.
fn actions(repairs: &[Repair]) -> Vec<RepairAction> {
    repairs.iter().map(|repair| repair.action).collect()
}

/// Creates a log with `count` events in barriers of five. Returns its directory, its events and the bytes of its
/// journal.
fn original(count: u64) -> (tempfile::TempDir, Vec<Recorded>, Vec<u8>) {
    let directory = in_memory();
    let events = filled(directory.path(), count);
    let journal = fs::read(directory.path().join("journal")).unwrap();
    (directory, events, journal)
}

/// Bytes behind the last frame that are not a frame are truncated with a repair, and the next opening needs none.
#[test]
fn bytes_after_the_last_event_are_cut() {
    let (directory, events, _) = original(20);
    for tail in [&[0_u8; 1][..], &[0; 5_000], &[0xff; 5_000], b"no frame at all"] {
        let case = Case::of(directory.path());
        case.change("journal", |bytes| bytes.extend_from_slice(tail));
        let Outcome::Opened { events: left, repairs } = open(case.path()) else { panic!("refused") };
        assert_eq!(left, events);
        assert_eq!(actions(&repairs), [RepairAction::TailCut]);
        let Outcome::Opened { repairs, .. } = open(case.path()) else { panic!("refused") };
        assert_eq!(repairs, [], "what was repaired stays repaired");
    }
}

/// Damage in the last barrier is truncated if `HEAD` and index end before it, since it was never acknowledged; damage
/// in an earlier barrier is refused.
#[test]
fn a_barrier_of_which_a_crash_kept_only_the_end_is_cut_and_an_older_hole_is_not() {
    let (_directory, events, journal) = original(20);
    // Index and `HEAD` are those of the log after 15 acknowledged events.
    let shorter = in_memory();
    filled(shorter.path(), 15);
    let begins = begins(&journal);
    for (hole, cut) in [(15, true), (17, true), (14, false), (7, false)] {
        let case = Case::of(shorter.path());
        let mut bytes = journal.clone();
        bytes[begins[hole]..begins[hole] + 40].fill(0);
        fs::write(case.path().join("journal"), bytes).unwrap();
        match open(case.path()) {
            Outcome::Opened { events: left, repairs } => {
                assert!(cut, "a hole at {} was cut", hole + 1);
                assert_eq!(left, events[..15]);
                assert_eq!(actions(&repairs), [RepairAction::TailCut]);
            }
            Outcome::Refused { position } => {
                assert!(!cut, "a hole at {} was refused", hole + 1);
                // The position is that of the first event of the damaged batch.
                assert_eq!(position, Position(hole as u64 / 5 * 5 + 1));
            }
        }
    }
}

/// A journal with an unknown format version is neither opened, nor read, nor repaired.
#[test]
fn a_journal_of_a_newer_format_is_left_alone() {
    let (directory, _, _) = original(5);
    let case = Case::of(directory.path());
    case.change("journal", |bytes| {
        bytes[8] = 2;
        let sum = crc32fast::hash(&bytes[..12]).to_le_bytes();
        bytes[12..16].copy_from_slice(&sum);
    });
    assert!(matches!(SledLog::open(case.path()), Err(LogError::Format { found: 2, known: 1, .. })));
    assert!(matches!(JournalReader::open(case.path()), Err(LogError::Format { .. })));
    assert!(matches!(event_bus::plan_repair(case.path()), Err(LogError::Format { .. })));
}

/// Opening fails if the `HEAD` file has a position after the journal's end, or the chain value of another log.
#[test]
fn a_head_ahead_of_the_journal_or_of_another_log_is_refused() {
    let (directory, _, _) = original(20);
    let (longer, _, _) = original(25);
    let case = Case::of(directory.path());
    fs::copy(longer.path().join("HEAD"), case.path().join("HEAD")).unwrap();
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(21) }));

    let other = in_memory();
    let (log, _) = SledLog::open(other.path()).unwrap();
    log.restore(&[Recorded::new(Position(1), event_core::Timestamp(9), crate::support::new_event(77))]).unwrap();
    log.close().unwrap();
    fs::copy(other.path().join("HEAD"), case.path().join("HEAD")).unwrap();
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(1) }));
}

/// Damages the index of the log in the first directory. The second directory contains a shorter log.
type Damage = fn(&Path, &Path);

/// A missing, empty, overwritten or truncated index is rebuilt from the journal, and one of a shorter log is extended;
/// no event is lost.
#[test]
fn an_index_that_is_gone_emptied_or_garbled_is_built_from_the_journal() {
    let (directory, events, _) = original(400);
    let (other, _, _) = original(50);
    let damages: [(&str, Damage); 6] = [
        ("removed", |log, _| fs::remove_dir_all(log.join("index")).unwrap()),
        ("emptied", |log, _| {
            fs::remove_dir_all(log.join("index")).unwrap();
            fs::create_dir(log.join("index")).unwrap();
        }),
        ("garbled", |log, _| {
            let length = fs::metadata(log.join("index/db")).unwrap().len();
            fs::write(log.join("index/db"), vec![0x5a; usize::try_from(length).unwrap()]).unwrap();
        }),
        ("cut", |log, _| fs::write(log.join("index/db"), b"").unwrap()),
        ("no directory", |log, _| {
            fs::remove_dir_all(log.join("index")).unwrap();
            fs::write(log.join("index"), b"").unwrap();
        }),
        ("of a shorter log", |log, other| {
            fs::remove_dir_all(log.join("index")).unwrap();
            copy(&other.join("index"), &log.join("index"));
        }),
    ];
    for (damage, apply) in damages {
        let case = Case::of(directory.path());
        apply(case.path(), other.path());
        let Outcome::Opened { events: left, repairs } = open(case.path()) else { panic!("{damage} was refused") };
        assert_eq!(left, events, "{damage}");
        let action =
            if damage == "of a shorter log" { RepairAction::IndexExtended } else { RepairAction::IndexRebuilt };
        assert_eq!(actions(&repairs), [action], "{damage}: {repairs:?}");
        let verified = event_bus::verify(case.path()).unwrap();
        assert!(verified.is_sound() && verified.notes.is_empty(), "{damage}: {verified:?}");
        assert_eq!(verified.indexed, Some(400), "{damage}");
    }
}

/// A changed bit in a checkpoint stops the log at most once: the next opening rebuilds the index, without the
/// checkpoint and with all events.
#[test]
fn a_damaged_state_stops_the_log_once_and_not_for_ever() {
    let directory = in_memory();
    filled(directory.path(), 60);
    let state: Vec<u8> = (0..300_000_u32).map(|place| place.wrapping_mul(2_654_435_761).to_le_bytes()[2]).collect();
    let checkpoint = Checkpoint { version: 1, position: Position(60), state: state.clone() };
    let (log, _) = SledLog::open(directory.path()).unwrap();
    log.save_checkpoint("a state", &checkpoint).unwrap();
    // Enough events that sled seldom reads the state when it opens.
    for first in (1_000..4_000).step_by(50) {
        log.append(Expected::Any, Timestamp(first), &new_events(first..first + 50)).unwrap();
        log.sync().unwrap();
    }
    drop(log);
    for _ in 0..2 {
        assert_eq!(SledLog::open(directory.path()).unwrap().1, []);
    }
    let part = &state[150_100..150_140];
    let path = directory.path().join("index/db");
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.windows(part.len()).rposition(|there| there == part).unwrap();
    bytes[place] ^= 4;
    fs::write(path, bytes).unwrap();
    let (mut log, mut repairs) = SledLog::open(directory.path()).unwrap();
    // sled may or may not read the damaged page when it is opened. Otherwise reading it later stops the log.
    if repairs.is_empty() {
        let refused = log.load_checkpoint("a state").unwrap_err();
        assert!(matches!(refused, LogError::Stopped { .. }), "{refused}");
        drop(log);
        (log, repairs) = SledLog::open(directory.path()).unwrap();
    }
    assert_eq!(actions(&repairs), [RepairAction::IndexRebuilt]);
    assert_eq!(log.load_checkpoint("a state").unwrap(), None, "it is built again by who needs it");
    log.append(Expected::Any, Timestamp(5_000), &new_events(9_000..9_001)).unwrap();
    log.close().unwrap();
    assert_eq!(all(&log).len(), 3_061);
}

/// An index whose hash chain differs from the journal's is moved aside and rebuilt.
#[test]
fn an_index_of_another_log_is_set_aside() {
    let (directory, events, _) = original(20);
    let other = in_memory();
    {
        let (log, _) = SledLog::open(other.path()).unwrap();
        log.append(event_bus::Expected::Any, event_core::Timestamp(3), &crate::support::new_events(50..60)).unwrap();
        log.close().unwrap();
    }
    let case = Case::of(directory.path());
    case.forget(&["index"]);
    copy(&other.path().join("index"), &case.path().join("index"));
    let Outcome::Opened { events: left, repairs } = open(case.path()) else { panic!("refused") };
    assert_eq!(left, events);
    assert_eq!(actions(&repairs), [RepairAction::IndexRebuilt]);
    assert!(repairs[0].detail.contains("index.damaged-1"), "{}", repairs[0].detail);
    assert!(case.path().join("index.damaged-1").exists());
}

/// A reader of a journal that ends within a batch returns the complete batches before it.
#[test]
fn a_reader_beside_a_writer_sees_whole_batches_only() {
    let (directory, events, journal) = original(20);
    let case = Case::of(directory.path());
    let reader = JournalReader::open(case.path()).unwrap();
    assert_eq!(all(&reader), events);
    assert_eq!(reader.find(events[7].event.id).unwrap(), Some(Position(8)));
    assert!(matches!(
        reader.append(event_bus::Expected::Any, event_core::Timestamp(1), &[]),
        Err(LogError::ReadOnly { .. })
    ));

    let (_, longer, whole) = original(25);
    assert!(whole.starts_with(&journal));
    for length in (journal.len()..=whole.len()).step_by(11).chain([whole.len()]) {
        fs::write(case.path().join("journal"), &whole[..length]).unwrap();
        let expected = if length == whole.len() { 25 } else { 20 };
        assert_eq!(all(&reader), longer[..expected], "{length} of {} bytes", whole.len());
    }
}

/// Damage in the last barrier without `HEAD` and index is refused by opening and is a problem for `verify`. With an
/// index that ends before the barrier, both accept the events before it.
#[test]
fn a_hole_in_the_last_barrier_is_damage_for_verify_as_it_is_for_opening_unless_the_index_excuses_it() {
    let (directory, _, journal) = original(20);
    let case = Case::of(directory.path());
    let hole = begins(&journal)[16] + 40;
    case.change("journal", |bytes| bytes[hole] ^= 1).forget(&["HEAD", "index"]);
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(16) }));
    let verified = event_bus::verify(case.path()).unwrap();
    assert_eq!(verified.first_damaged(), Some(Position(16)), "{verified:?}");

    // An index that ends before the damage proves that the barrier was not acknowledged.
    let (shorter, _, _) = original(15);
    let case = Case::of(directory.path());
    case.change("journal", |bytes| bytes[hole] ^= 1).forget(&["HEAD"]).take(shorter.path(), &["index"]);
    assert!(event_bus::verify(case.path()).unwrap().is_sound());
    assert!(matches!(open(case.path()), Outcome::Opened { events, .. } if events.len() == 15));
}
