//! One damage at a time: each is complete, cut, repaired or refused with its position; none is silent, none panics out.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::{fs, path::Path};

use event_bus::{EventLog, JournalReader, LogError, Repair, RepairAction, SledLog};
use event_core::{Position, Recorded};
use support::{all, copy, filled};

const HEADER: usize = 16;

/// What opening a log came to.
#[derive(Debug)]
enum Outcome {
    Opened { facts: Vec<Recorded>, repairs: Vec<Repair> },
    Refused { position: Position },
}

fn open(directory: &Path) -> Outcome {
    match SledLog::open(directory) {
        Ok((log, repairs)) => {
            let facts = all(&log);
            for fact in &facts {
                assert_eq!(log.find(fact.event.id).unwrap(), Some(fact.position));
            }
            Outcome::Opened { facts, repairs }
        }
        Err(LogError::Damaged { position, .. }) => Outcome::Refused { position },
        Err(other) => panic!("{other}"),
    }
}

fn actions(repairs: &[Repair]) -> Vec<RepairAction> {
    repairs.iter().map(|repair| repair.action).collect()
}

/// A copy of a log to damage.
struct Case {
    directory: tempfile::TempDir,
}

impl Case {
    fn of(original: &Path) -> Self {
        let directory = tempfile::tempdir().unwrap();
        copy(original, directory.path());
        Self { directory }
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn change(&self, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> &Self {
        let path = self.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
        self
    }

    /// Without the two witnesses the journal is on its own.
    fn forget(&self, names: &[&str]) -> &Self {
        for name in names {
            let path = self.path().join(name);
            if path.is_dir() { fs::remove_dir_all(path).unwrap() } else { fs::remove_file(path).unwrap() }
        }
        self
    }
}

/// Where each frame begins, and where the journal ends.
fn frames(journal: &[u8]) -> Vec<usize> {
    let mut begins = vec![HEADER];
    while let Some(length) = journal.get(begins[begins.len() - 1]..).and_then(|rest| rest.first_chunk()) {
        begins.push(begins[begins.len() - 1] + 8 + u32::from_le_bytes(*length) as usize);
    }
    begins
}

fn original(count: u64) -> (tempfile::TempDir, Vec<Recorded>, Vec<u8>) {
    let directory = tempfile::tempdir().unwrap();
    let facts = filled(directory.path(), count);
    let journal = fs::read(directory.path().join("journal")).unwrap();
    (directory, facts, journal)
}

#[test]
fn a_tail_that_nobody_knows_of_is_cut_at_every_byte() {
    let (directory, facts, journal) = original(20);
    let begins = frames(&journal);
    // The last three frames are the end of a batch of five: what is left of the batch goes with them.
    let readable = Case::of(directory.path());
    readable.forget(&["HEAD", "index"]);
    for cut in (begins[17]..journal.len()).rev() {
        readable.change("journal", |bytes| bytes.truncate(cut));
        assert_eq!(all(&JournalReader::open(readable.path()).unwrap()), facts[..15], "cut at {cut}");
        // Opening for writing takes a hundred times as long.
        if !cut.is_multiple_of(11) {
            continue;
        }
        let case = Case::of(readable.path());
        let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("cut at {cut} was refused") };
        assert_eq!(left, facts[..15], "cut at {cut}");
        assert_eq!(repairs[0].action, RepairAction::TailCut);
        assert_eq!(repairs[0].position, Position(16));
        assert!(repairs[0].detail.starts_with(&format!("{} bytes", cut - begins[15])), "{}", repairs[0].detail);
    }
}

#[test]
fn a_tail_that_the_head_or_the_index_knows_of_is_not_cut() {
    let (directory, _, journal) = original(20);
    for cut in (frames(&journal)[15]..journal.len()).step_by(61) {
        for forgotten in [&["HEAD"][..], &["index"], &[]] {
            let case = Case::of(directory.path());
            case.forget(forgotten).change("journal", |bytes| bytes.truncate(cut));
            let before = fs::read(case.path().join("journal")).unwrap();
            let Outcome::Refused { position } = open(case.path()) else {
                panic!("cut at {cut}, without {forgotten:?}")
            };
            assert_eq!(position, Position(16));
            assert_eq!(fs::read(case.path().join("journal")).unwrap(), before, "a refused log is not touched");
        }
    }
}

#[test]
fn bytes_after_the_last_fact_are_cut() {
    let (directory, facts, _) = original(20);
    for tail in [&[0_u8; 1][..], &[0; 5_000], &[0xff; 5_000], b"no frame at all"] {
        let case = Case::of(directory.path());
        case.change("journal", |bytes| bytes.extend_from_slice(tail));
        let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("refused") };
        assert_eq!(left, facts);
        assert_eq!(actions(&repairs), [RepairAction::TailCut]);
        let Outcome::Opened { repairs, .. } = open(case.path()) else { panic!("refused") };
        assert_eq!(repairs, [], "what was repaired stays repaired");
    }
}

#[test]
fn a_barrier_of_which_a_crash_kept_only_the_end_is_cut_and_an_older_hole_is_not() {
    let (_directory, facts, journal) = original(20);
    // The index and `HEAD` of the log as it was when 15 facts were acknowledged.
    let shorter = tempfile::tempdir().unwrap();
    filled(shorter.path(), 15);
    let begins = frames(&journal);
    for (hole, cut) in [(15, true), (17, true), (14, false), (7, false)] {
        let case = Case::of(shorter.path());
        let mut bytes = journal.clone();
        bytes[begins[hole]..begins[hole] + 40].fill(0);
        fs::write(case.path().join("journal"), bytes).unwrap();
        match open(case.path()) {
            Outcome::Opened { facts: left, repairs } => {
                assert!(cut, "a hole at {} was cut", hole + 1);
                assert_eq!(left, facts[..15]);
                assert_eq!(actions(&repairs), [RepairAction::TailCut]);
            }
            Outcome::Refused { position } => {
                assert!(!cut, "a hole at {} was refused", hole + 1);
                // The batch the hole is in is not whole.
                assert_eq!(position, Position(hole as u64 / 5 * 5 + 1));
            }
        }
    }
}

#[test]
fn one_flipped_bit_in_the_journal_is_never_silent() {
    let (directory, facts, journal) = original(20);
    let begins = frames(&journal);
    let (mut refused, mut cut) = (0, 0);
    // Every region of several frames: lengths, sums, marks, envelope, payload, chain; and the header.
    let mut places: Vec<usize> = (0..HEADER).collect();
    for frame in [0, 6, 13, 18, 19] {
        places.extend((begins[frame]..begins[frame + 1]).step_by(9));
    }
    for (turn, place) in places.into_iter().enumerate() {
        for forgotten in [&[][..], &["HEAD", "index"]] {
            let case = Case::of(directory.path());
            case.forget(forgotten).change("journal", |bytes| bytes[place] ^= 1 << (turn % 8));
            match open(case.path()) {
                Outcome::Refused { .. } => refused += 1,
                Outcome::Opened { facts: left, repairs } => {
                    // Only the last barrier, and only when nobody remembers it, can be taken for an unfinished write.
                    assert!(!forgotten.is_empty() && begins[18] <= place, "byte {place} was accepted: {repairs:?}");
                    assert_eq!(repairs[0].action, RepairAction::TailCut);
                    assert_eq!(left, facts[..15]);
                    cut += 1;
                }
            }
            // A reader refuses too, or ends before the damage.
            assert!(JournalReader::open(case.path()).map_or(true, |reader| {
                let read = all(&reader);
                facts.starts_with(&read) && (15 <= read.len() || !forgotten.is_empty() && place < HEADER)
            }));
        }
    }
    assert!(250 < refused + cut, "{refused} refused, {cut} cut");
}

#[test]
fn frames_swapped_or_doubled_are_refused() {
    let (directory, _, journal) = original(20);
    let begins = frames(&journal);
    for frame in [2, 9, 18] {
        let (a, b) = (&journal[begins[frame]..begins[frame + 1]], &journal[begins[frame + 1]..begins[frame + 2]]);
        let (before, after) = (&journal[..begins[frame]], &journal[begins[frame + 2]..]);
        for damaged in [[before, b, a, after].concat(), [before, a, a, b, after].concat(), [before, b, after].concat()]
        {
            for forgotten in [&[][..], &["HEAD", "index"]] {
                let case = Case::of(directory.path());
                case.forget(forgotten).change("journal", |bytes| bytes.clone_from(&damaged));
                assert!(matches!(open(case.path()), Outcome::Refused { .. }), "frame {frame}, {forgotten:?}");
            }
        }
    }
}

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

#[test]
fn a_journal_that_is_gone_is_refused_and_none_is_made() {
    let (directory, _, _) = original(20);
    for forgotten in [&["journal"][..], &["journal", "HEAD"], &["journal", "index"]] {
        let case = Case::of(directory.path());
        case.forget(forgotten);
        assert!(matches!(open(case.path()), Outcome::Refused { position: Position(1) }), "{forgotten:?}");
        assert!(!case.path().join("journal").exists());
    }
    let case = Case::of(directory.path());
    case.change("journal", Vec::clear);
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(1) }));
}

#[test]
fn a_head_that_is_gone_or_garbled_is_written_anew() {
    let (directory, facts, _) = original(20);
    for garble in [None, Some("nonsense"), Some("")] {
        let case = Case::of(directory.path());
        match garble {
            None => case.forget(&["HEAD"]),
            Some(text) => case.change("HEAD", |bytes| *bytes = text.into()),
        };
        let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("refused") };
        assert_eq!(left, facts);
        assert_eq!(actions(&repairs), [RepairAction::HeadRewritten]);
        let Outcome::Opened { repairs, .. } = open(case.path()) else { panic!("refused") };
        assert_eq!(repairs, []);
    }
}

#[test]
fn a_head_ahead_of_the_journal_or_of_another_log_is_refused() {
    let (directory, _, _) = original(20);
    let (longer, _, _) = original(25);
    let case = Case::of(directory.path());
    fs::copy(longer.path().join("HEAD"), case.path().join("HEAD")).unwrap();
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(21) }));

    let other = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(other.path()).unwrap();
    log.restore(&[Recorded::new(Position(1), event_core::Timestamp(9), support::event(77))]).unwrap();
    log.close().unwrap();
    fs::copy(other.path().join("HEAD"), case.path().join("HEAD")).unwrap();
    assert!(matches!(open(case.path()), Outcome::Refused { position: Position(1) }));
}

type Damage = fn(&Path, &Path);

#[test]
fn an_index_that_is_gone_emptied_or_garbled_is_built_from_the_journal() {
    let (directory, facts, _) = original(400);
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
        let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("{damage} was refused") };
        assert_eq!(left, facts, "{damage}");
        let action =
            if damage == "of a shorter log" { RepairAction::IndexExtended } else { RepairAction::IndexRebuilt };
        assert_eq!(actions(&repairs), [action], "{damage}: {repairs:?}");
        let verified = event_bus::verify(case.path()).unwrap();
        assert!(verified.is_sound() && verified.notes.is_empty(), "{damage}: {verified:?}");
        assert_eq!(verified.indexed, Some(400), "{damage}");
    }
}

#[test]
fn one_flipped_bit_in_the_index_costs_nothing() {
    let (directory, facts, _) = original(200);
    let length = fs::read(directory.path().join("index/db")).unwrap().len();
    let mut rebuilt = 0;
    for turn in 0..48_usize {
        // A step that visits the whole file, and every bit of a byte.
        let place = turn * 7_919 * 4_001 % length;
        let case = Case::of(directory.path());
        case.change("index/db", |bytes| bytes[place] ^= 1 << (turn % 8));
        let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("byte {place} was refused") };
        assert_eq!(left, facts, "byte {place}");
        rebuilt += usize::from(!repairs.is_empty());
    }
    assert!(0 < rebuilt, "some flips must hit something");
}

#[test]
fn an_index_of_another_log_is_set_aside() {
    let (directory, facts, _) = original(20);
    let other = tempfile::tempdir().unwrap();
    {
        let (log, _) = SledLog::open(other.path()).unwrap();
        log.append(event_bus::Expected::Any, event_core::Timestamp(3), &support::events(50..60)).unwrap();
        log.close().unwrap();
    }
    let case = Case::of(directory.path());
    case.forget(&["index"]);
    copy(&other.path().join("index"), &case.path().join("index"));
    let Outcome::Opened { facts: left, repairs } = open(case.path()) else { panic!("refused") };
    assert_eq!(left, facts);
    assert_eq!(actions(&repairs), [RepairAction::IndexRebuilt]);
    assert!(repairs[0].detail.contains("index.damaged-1"), "{}", repairs[0].detail);
    assert!(case.path().join("index.damaged-1").exists());
}

#[test]
fn a_reader_beside_a_writer_sees_whole_batches_only() {
    let (directory, facts, journal) = original(20);
    let case = Case::of(directory.path());
    let reader = JournalReader::open(case.path()).unwrap();
    assert_eq!(all(&reader), facts);
    assert_eq!(reader.find(facts[7].event.id).unwrap(), Some(Position(8)));
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
