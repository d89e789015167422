//! Verification of a log by `verify`, and repair of a damaged one by `plan_repair`.

use std::{fs, path::Path};

use crate::support::{all, filled, new_event};
use event_bus::{EventLog, Expected, LOST_KIND, LogError, SledLog, TextFiles, TextStore, plan_repair, verify};
use event_core::{Position, Recorded, Timestamp};

/// Returns the offset of each frame in a journal file, then the offset of the end of the last.
fn begins(journal: &Path) -> Vec<usize> {
    let bytes = fs::read(journal).unwrap();
    let mut begins = vec![16];
    while let Some(length) = bytes.get(begins[begins.len() - 1]..).and_then(|rest| rest.first_chunk()) {
        begins.push(begins[begins.len() - 1] + 8 + u32::from_le_bytes(*length) as usize);
    }
    begins
}

/// Overwrites ten bytes in the frame of each position.
fn damage(log: &Path, positions: impl IntoIterator<Item = usize>) {
    let path = log.join("journal");
    let begins = begins(&path);
    let mut bytes = fs::read(&path).unwrap();
    for position in positions {
        bytes[begins[position - 1] + 30..begins[position - 1] + 40].fill(0xee);
    }
    fs::write(path, bytes).unwrap();
}

/// Opens a repaired log, appends an event, and asserts that the log verifies. Returns the events before that one.
fn opens_whole(log: &Path) -> Vec<Recorded> {
    let (open, _) = SledLog::open(log).unwrap();
    let events = all(&open);
    open.append(Expected::Any, Timestamp(1), &[new_event(9_999)]).unwrap();
    open.close().unwrap();
    drop(open);
    let verified = verify(log).unwrap();
    assert!(verified.is_sound() && verified.notes.is_empty(), "{verified:?}");
    assert_eq!(verified.indexed, Some(verified.events));
    events
}

#[test]
fn a_whole_log_verifies_and_needs_no_repair() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 60);
    TextFiles::open(directory.path()).put("a text").unwrap();
    let verified = verify(directory.path()).unwrap();
    assert!(verified.is_sound() && verified.notes.is_empty(), "{verified:?}");
    assert_eq!((verified.events, verified.indexed, verified.texts), (60, Some(60), 1));
    let plan = plan_repair(directory.path()).unwrap();
    assert!(!plan.is_needed(), "{plan}");
}

/// A repair restores frames that are damaged in the journal from the index, and renames the old files.
#[test]
fn damaged_frames_come_back_from_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 60);
    damage(directory.path(), [7, 8, 9, 31]);
    let refused = SledLog::open(directory.path()).unwrap_err();
    assert!(refused.to_string().contains("turnwise events repair"), "{refused}");
    assert_eq!(verify(directory.path()).unwrap().first_damaged(), Some(Position(6)), "the batch of five is not whole");

    let plan = plan_repair(directory.path()).unwrap();
    let path = directory.path().to_string_lossy().into_owned();
    insta::assert_snapshot!("plan", plan.to_string().replace(&path, "LOG"));
    let refused = SledLog::open(directory.path()).unwrap_err();
    assert!(matches!(refused, LogError::InUse { .. }), "nobody comes between the plan and the act: {refused}");
    let repaired = plan.execute().unwrap();
    assert_eq!((repaired.head, repaired.lost), (Position(60), vec![]));
    assert_eq!(opens_whole(directory.path()), events);
    for kept in ["journal.damaged-1", "index.damaged-1", "HEAD.damaged-1"] {
        assert!(directory.path().join(kept).exists(), "{kept}");
    }
}

/// Events that are damaged in the journal and not in the index are replaced by `log.lost` events; all others are
/// unchanged.
#[test]
fn what_neither_copy_has_is_marked_and_everything_else_keeps_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 60);
    damage(directory.path(), [7, 8, 31]);
    fs::remove_dir_all(directory.path().join("index")).unwrap();
    let plan = plan_repair(directory.path()).unwrap();
    let path = directory.path().to_string_lossy().into_owned();
    insta::assert_snapshot!("plan_with_losses", plan.to_string().replace(&path, "LOG"));
    plan.execute().unwrap();
    let left = opens_whole(directory.path());
    assert_eq!(left.len(), 60);
    for (was, is) in events.iter().zip(&left) {
        if [7, 8, 31].contains(&was.position.0) {
            assert_eq!((is.position, &*is.event.kind), (was.position, LOST_KIND));
        } else {
            assert_eq!(is, was);
        }
    }
}

/// A repair restores all events of a missing journal from the index.
#[test]
fn a_journal_that_is_gone_comes_back_from_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 60);
    fs::remove_file(directory.path().join("journal")).unwrap();
    assert_eq!(verify(directory.path()).unwrap().first_damaged(), Some(Position(1)));
    plan_repair(directory.path()).unwrap().execute().unwrap();
    assert_eq!(opens_whole(directory.path()), events);
}

/// A repair restores the events after a truncated journal's end from the index.
#[test]
fn a_lost_tail_comes_back_from_the_index() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 60);
    let path = directory.path().join("journal");
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..begins(&path)[50] + 9]).unwrap();
    assert!(matches!(SledLog::open(directory.path()), Err(LogError::Damaged { position: Position(51), .. })));
    let plan = plan_repair(directory.path()).unwrap();
    assert_eq!(plan.kept, 50);
    plan.execute().unwrap();
    assert_eq!(opens_whole(directory.path()), events);
}

/// A repair of a journal with a damaged header restores all events.
#[test]
fn a_damaged_header_costs_no_event() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 20);
    let path = directory.path().join("journal");
    let mut bytes = fs::read(&path).unwrap();
    bytes[3] ^= 1;
    fs::write(&path, bytes).unwrap();
    plan_repair(directory.path()).unwrap().execute().unwrap();
    assert_eq!(opens_whole(directory.path()), events);
}

/// A log whose repair was interrupted after the old journal was moved does not open as an empty log. A second repair
/// restores all events.
#[test]
fn an_interrupted_repair_is_noticed_and_finished() {
    let directory = tempfile::tempdir().unwrap();
    let events = filled(directory.path(), 20);
    // The state after a process was killed between moving the old files aside and renaming the new journal.
    fs::rename(directory.path().join("journal"), directory.path().join("journal.repaired")).unwrap();
    fs::write(directory.path().join("journal.damaged-1"), b"the old one").unwrap();
    fs::remove_dir_all(directory.path().join("index")).unwrap();
    fs::remove_file(directory.path().join("HEAD")).unwrap();
    assert!(matches!(SledLog::open(directory.path()), Err(LogError::Damaged { .. })));
    plan_repair(directory.path()).unwrap().execute().unwrap();
    assert_eq!(opens_whole(directory.path()), events);
}

#[test]
fn a_changed_text_is_found() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 5);
    TextFiles::open(directory.path()).put("a text").unwrap();
    let inside = fs::read_dir(directory.path().join("texts")).unwrap().next().unwrap().unwrap().path();
    let file = fs::read_dir(inside).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, "another text").unwrap();
    let verified = verify(directory.path()).unwrap();
    assert_eq!(verified.problems.iter().map(|problem| &problem.path).collect::<Vec<_>>(), [&file]);
}

/// `verify` skips the index of a log that is open, and a repair is refused.
#[test]
fn a_log_in_use_is_verified_without_its_index() {
    let directory = tempfile::tempdir().unwrap();
    filled(directory.path(), 20);
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let verified = verify(directory.path()).unwrap();
    assert!(verified.is_sound());
    assert_eq!((verified.events, verified.indexed), (20, None));
    assert!(verified.notes[0].detail.contains("in use by process"), "{:?}", verified.notes);
    assert!(matches!(plan_repair(directory.path()), Err(LogError::InUse { .. })));
    drop(log);
}
