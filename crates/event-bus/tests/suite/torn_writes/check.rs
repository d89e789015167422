//! Opens a damaged log in all ways (reading, verifying, writing, repairing), and compares the outcomes with the
//! required ones.

use std::collections::BTreeSet;

use event_bus::{
    EventLog as _, JournalReader, LOST_KIND, LogError, PositionRange, Repair, RepairAction, SledLog, plan_repair,
    verify,
};
use event_core::{Position, Recorded};

use super::{
    expected::{Expected, Verdict, last_claimed, standing},
    matrix::{Class, Matrix},
    original::{Original, STATE, Witnesses, state},
};
use crate::damaged::Case;
use crate::support::all;

/// Checks a log with the damaged journal `journal` and counts the outcome in `matrix`. `name` identifies the case in
/// failures.
pub(crate) fn journal(
    original: &Original,
    journal: &[u8],
    witnesses: Witnesses,
    thorough: bool,
    name: &str,
    matrix: &mut Matrix,
) {
    let name = &format!("{name}, witnesses: {witnesses:?}");
    let expected = Expected::of(original, journal, witnesses);
    let case = original.copy(witnesses);
    case.write("journal", journal);
    read(original, &case, expected.reading, name);
    if thorough {
        walk(original, &case, expected, witnesses, name);
    }
    let class = match (SledLog::open(case.path()), expected.opening) {
        (Ok((log, repairs)), Verdict::Whole { events, behind }) => {
            let whole = &original.events[..usize::try_from(events).unwrap()];
            is_whole(&log, whole, thorough, name);
            assert_eq!(actions(&repairs), wanted(original, events, behind, witnesses), "{name}: {repairs:?}");
            if behind != 0 {
                assert!(repairs[0].detail.starts_with(&format!("{behind} bytes")), "{name}: {}", repairs[0].detail);
                assert_eq!(repairs[0].position, Position(events + 1), "{name}");
            }
            drop(log);
            if behind == 0 { Class::Complete } else { Class::TailCut }
        }
        (Err(LogError::Damaged { path, position, .. }), Verdict::Damaged(first)) => {
            assert_eq!((path, position), (case.path().join("journal"), Position(first)), "{name}");
            assert_eq!(case.read("journal"), journal, "{name}: a refused log was touched");
            Class::Damaged
        }
        (outcome, expected) => panic!("{name}: expected {expected:?}, not {outcome:?}"),
    };
    matrix.count(class);
    if thorough && class == Class::Damaged {
        mend(original, &case, journal, witnesses, name, matrix);
    } else if thorough {
        opens_quietly(&case, name);
    }
}

/// Checks that a log whose journal is missing is refused and can be repaired.
pub(crate) fn no_journal(original: &Original, witnesses: Witnesses, matrix: &mut Matrix) {
    let (name, case) = (&format!("no journal, witnesses: {witnesses:?}"), original.copy(witnesses));
    case.forget(&["journal"]);
    assert!(matches!(JournalReader::open(case.path()), Err(LogError::Io { .. })), "{name}");
    assert_eq!(verify(case.path()).unwrap().first_damaged(), Some(Position(1)), "{name}");
    let refused = SledLog::open(case.path());
    assert!(matches!(refused, Err(LogError::Damaged { position: Position(1), .. })), "{name}: {refused:?}");
    assert!(!case.path().join("journal").exists(), "{name}: a journal was made");
    matrix.count(Class::Damaged);
    mend(original, &case, &[], witnesses, name, matrix);
}

/// Checks that a log with an intact journal and a damaged index or `HEAD` opens with all events, and counts the repair
/// in `matrix`.
pub(crate) fn witness(original: &Original, case: &Case, thorough: bool, name: &str, matrix: &mut Matrix) {
    assert_eq!(all(&JournalReader::open(case.path()).unwrap()), original.events, "{name}");
    let (log, repairs) = SledLog::open(case.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
    is_whole(&log, &original.events, thorough, name);
    let saved = log.load_checkpoint(STATE).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(saved.is_none_or(|saved| saved == state(3)), "{name}: a saved state was altered");
    drop(log);
    matrix.count(match actions(&repairs)[..] {
        [] => Class::Complete,
        [RepairAction::HeadRewritten] => Class::HeadRewritten,
        [RepairAction::IndexRebuilt | RepairAction::IndexExtended] => Class::IndexRebuilt,
        _ => panic!("{name}: {repairs:?}"),
    });
    assert_eq!(case.read("journal"), original.journal, "{name}: the journal was touched");
    if thorough {
        opens_quietly(case, name);
        let verified = verify(case.path()).unwrap();
        assert!(verified.is_sound() && verified.events == original.head(), "{name}: {verified:?}");
        matrix.thin += usize::from(verified.indexed != Some(original.head()));
    }
}

/// Asserts that a reader returns the expected events or error.
fn read(original: &Original, case: &Case, expected: Verdict, name: &str) {
    match (JournalReader::open(case.path()), expected) {
        (Ok(reader), Verdict::Whole { events, .. }) => {
            assert_eq!(all(&reader), original.events[..usize::try_from(events).unwrap()], "{name}");
        }
        (Err(LogError::Damaged { position, .. }), Verdict::Damaged(first)) => {
            assert_eq!(position, Position(first), "{name}");
        }
        (outcome, expected) => panic!("{name}: a reader should have found {expected:?}, not {outcome:?}"),
    }
}

/// Asserts that `verify` finds the same events or damage that opening must find.
fn walk(original: &Original, case: &Case, expected: Expected, witnesses: Witnesses, name: &str) {
    let verified = verify(case.path()).unwrap();
    match expected.opening {
        Verdict::Whole { events: 0, .. } => {}
        Verdict::Whole { events, .. } => {
            assert!(verified.is_sound() && verified.events == events, "{name}: {verified:?}");
        }
        Verdict::Damaged(first) if witnesses.have_index() => {
            assert_eq!(verified.first_damaged(), Some(Position(first)), "{name}: {verified:?}");
        }
        Verdict::Damaged(first) => assert!(verified.events < first, "{name}: {verified:?}"),
    }
    assert!(verified.events <= original.head(), "{name}");
}

/// Asserts that a log has exactly these events; if `thorough`, also that each is found by its id.
fn is_whole(log: &SledLog, events: &[Recorded], thorough: bool, name: &str) {
    assert_eq!(all(log), events, "{name}");
    assert_eq!(log.head().unwrap(), Position(events.len() as u64), "{name}");
    for event in events.iter().filter(|_| thorough) {
        assert_eq!(log.find(event.event.id).unwrap(), Some(event.position), "{name}");
    }
}

/// Returns the kinds of repairs.
fn actions(repairs: &[Repair]) -> Vec<RepairAction> {
    repairs.iter().map(|repair| repair.action).collect()
}

/// Returns the repairs that opening must make if `events` events remain and `behind` bytes after them are truncated.
fn wanted(original: &Original, events: u64, behind: usize, witnesses: Witnesses) -> Vec<RepairAction> {
    let index = match (events, original.indexed(witnesses)) {
        (0, _) => None,
        (events, indexed) if indexed == events => None,
        (_, 0) => Some(RepairAction::IndexRebuilt),
        (_, _) => Some(RepairAction::IndexExtended),
    };
    let head = (events != 0 && !witnesses.have_head()).then_some(RepairAction::HeadRewritten);
    let cut = (behind != 0).then_some(RepairAction::TailCut);
    [cut, index, head].into_iter().flatten().collect()
}

/// Asserts that a repaired log needs no further repair.
fn opens_quietly(case: &Case, name: &str) {
    let (_, repairs) = SledLog::open(case.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(repairs, [], "{name}");
}

/// Repairs a refused log and counts that in `matrix`. Asserts that every event of which a copy exists is at its
/// position, and that the others are marked as lost or unverified.
fn mend(original: &Original, case: &Case, journal: &[u8], witnesses: Witnesses, name: &str, matrix: &mut Matrix) {
    let (standing, indexed) = (standing(original, journal), original.indexed(witnesses));
    let plan = plan_repair(case.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let unverified = positions(&plan.unverified);
    let repaired = plan.execute().unwrap_or_else(|error| panic!("{name}: {error}"));
    let known = last_claimed(journal).max(original.promised(witnesses)).max(indexed);
    assert_eq!(repaired.head, Position(known), "{name}");
    let (log, _) = SledLog::open(case.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let (events, lost) = (all(&log), positions(&repaired.lost));
    assert_eq!(events.len() as u64, known, "{name}");
    for (was, is) in original.events.iter().zip(&events) {
        let position = was.position.0;
        if standing.contains(&position) || position <= indexed {
            assert!(is == was && !lost.contains(&position), "{name}: position {position}");
        } else if lost.contains(&position) {
            assert_eq!((is.position, &*is.event.kind), (was.position, LOST_KIND), "{name}");
        } else {
            // A forged frame without another copy is not detected as such, but its chain value is reported as
            // unverified.
            assert!(unverified.contains(&position), "{name}: position {position} is neither right nor marked");
        }
    }
    let left: Vec<_> = events.iter().map(|event| event.event.clone()).collect();
    drop(log);
    opens_quietly(case, name);
    let verified = verify(case.path()).unwrap();
    assert!(verified.is_sound() && verified.events == known, "{name}: {verified:?}");
    matrix.mended += 1;
    let all_there = original.events.iter().map(|event| &event.event).eq(&left);
    matrix.mended_whole += usize::from(all_there);
    assert!(all_there || indexed < original.head(), "{name}: the index had everything");
}

/// Returns the positions in ranges.
fn positions(spans: &[PositionRange]) -> BTreeSet<u64> {
    spans.iter().flat_map(|span| span.first.0..=span.last.0).collect()
}
