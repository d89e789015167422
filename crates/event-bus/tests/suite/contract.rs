//! Contract tests for all implementations of the log.

use crate::support::new_event;
use event_bus::{
    EventLog, Expected, LogError, MemoryLog, SledLog,
    testing::{HookedLog, LogHooks, check_contract},
};
use event_core::{Position, Timestamp};

#[test]
fn the_log_in_memory_keeps_the_contract() {
    check_contract(&MemoryLog::new());
}

#[test]
fn a_log_with_hooks_keeps_the_contract() {
    struct NoHooks;
    impl LogHooks for NoHooks {}
    check_contract(&HookedLog::new(NoHooks));
}

#[test]
fn the_log_on_the_disk_keeps_the_contract() {
    let directory = tempfile::tempdir().unwrap();
    let (log, repairs) = SledLog::open(directory.path().join("a/new/log")).unwrap();
    assert_eq!(repairs, []);
    check_contract(&log);
}

/// Entries of a state are found by projection and key, replaced and removed, whatever their length; on the disk also
/// after the log was opened again.
#[test]
fn an_entry_is_loaded_as_it_was_saved_last() {
    fn save(log: &dyn EventLog) {
        let long = vec![7; 10_000];
        log.save_entries("one", &[("a".to_owned(), long.clone()), ("b".to_owned(), Vec::new())]).unwrap();
        log.save_entries("on", &[("a".to_owned(), vec![1])]).unwrap();
        log.save_entries("other", &[("a".to_owned(), vec![2])]).unwrap();
        assert_eq!(log.load_entry("one", "a").unwrap(), Some(long));
        log.save_entries("one", &[("a".to_owned(), vec![3; 5_000])]).unwrap();
        log.remove_entries("on").unwrap();
    }
    fn check(log: &dyn EventLog) {
        assert_eq!(log.load_entry("one", "a").unwrap(), Some(vec![3; 5_000]));
        assert_eq!(log.load_entry("one", "b").unwrap(), Some(Vec::new()));
        assert_eq!(log.load_entry("one", "c").unwrap(), None);
        assert_eq!(log.load_entry("on", "a").unwrap(), None, "it was removed");
        assert_eq!(log.load_entry("other", "a").unwrap(), Some(vec![2]));
    }
    let memory = MemoryLog::new();
    save(&memory);
    check(&memory);
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    save(&log);
    check(&log);
    drop(log);
    let (log, _) = SledLog::open(directory.path()).unwrap();
    check(&log);
}

/// A log that is closed and opened again has the same events, ids and checkpoints, and later events continue its
/// positions and times.
#[test]
fn a_reopened_log_is_the_same_log() {
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    check_contract(&log);
    let events = log.read_after(Position::ORIGIN, 1_000).unwrap();
    drop(log);
    let (log, repairs) = SledLog::open(directory.path()).unwrap();
    assert_eq!(repairs, []);
    assert_eq!(log.read_after(Position::ORIGIN, 1_000).unwrap(), events);
    assert!(log.load_checkpoint("a.state").unwrap().is_some());
    for event in &events {
        assert_eq!(log.find(event.event.id).unwrap(), Some(event.position));
    }
    log.append(Expected::At(Position(262)), Timestamp(1), &[new_event(9)]).unwrap();
    log.sync().unwrap();
    let last = log.read_after(Position(262), 1).unwrap().remove(0);
    assert_eq!(last.recorded_at, Timestamp(77), "time goes on from the last event");
}

/// Opening a log that is open fails with the id of the process that has it open.
#[test]
fn a_second_process_is_told_who_has_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let (_log, _) = SledLog::open(directory.path()).unwrap();
    let refused = SledLog::open(directory.path()).unwrap_err();
    let LogError::InUse { by, .. } = &refused else { panic!("{refused:?}") };
    assert!(by.starts_with(&format!("process {}", std::process::id())), "{by}");
    assert!(refused.to_string().contains("is in use by process"), "{refused}");
}

/// The directory of a log has mode 0700 and its files have mode 0600.
#[test]
fn nobody_else_may_look_into_the_log() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("log");
    let (log, _) = SledLog::open(&root).unwrap();
    log.append(Expected::Any, Timestamp(1), &[new_event(1)]).unwrap();
    log.close().unwrap();
    let mode = |path: &str| std::fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(""), 0o700);
    for file in ["journal", "HEAD", "lock"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
}
