//! A purge removes payloads from every file; everything else is unchanged, and the chain remains valid.

use std::{fs, path::Path, sync::Arc};

use crate::support::{all, new_event};
use event_bus::{
    EventLog, Expected, JournalReader, MemoryLog, Repair, RepairAction, SledLog,
    files::{FailingFiles, Fault, FaultKind, Operation, SystemFiles},
    verify,
};
use event_core::{Checkpoint, NewEvent, Payload, Position, Recorded, Timestamp};

/// Content of every third payload.
const SECRET: &[u8] = b"the launch code is 0000";
/// Number of events in the log.
const FACTS: u64 = 30;

/// Returns whether a payload contains the secret.
fn is_secret(event: &Recorded) -> bool {
    event.event.payload.starts_with(SECRET)
}

/// Creates a log with private payloads, the position of a reactor and a checkpoint that contains the secret. Returns
/// its events.
fn secretive(directory: &Path) -> Vec<Recorded> {
    let (log, _) = SledLog::open(directory).unwrap();
    for number in 0..FACTS / 3 {
        let secret = NewEvent { payload: [SECRET, &[b'!'; 300]].concat().into(), ..new_event(number * 3 + 1) };
        let batch = [new_event(number * 3), secret, new_event(number * 3 + 2)];
        log.append(Expected::Any, Timestamp(number), &batch).unwrap();
        log.sync().unwrap();
    }
    log.save_checkpoint("reactor", &Checkpoint { version: 1, position: Position(12), state: Vec::new() }).unwrap();
    log.save_checkpoint("state", &Checkpoint { version: 1, position: Position(12), state: SECRET.to_vec() }).unwrap();
    log.close().unwrap();
    all(&log)
}

/// Returns the paths of the files under a directory that contain the secret.
fn holding_the_secret(directory: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding_the_secret(&path));
        } else if fs::read(&path).unwrap().windows(SECRET.len()).any(|window| window == SECRET) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// Returns the events as they must be after the purge.
fn without_payloads(events: &[Recorded]) -> Vec<Recorded> {
    let purge = |event: &Recorded| {
        let mut event = event.clone();
        if is_secret(&event) {
            event.purged = Some(*blake3::hash(&event.event.payload).as_bytes());
            event.event.payload = Payload::default();
        }
        event
    };
    events.iter().map(purge).collect()
}

/// After a purge no file contains the purged payloads. All other events, positions, ids, the chain and the reactor's
/// position are unchanged, and the checkpoint with a state is removed.
#[test]
fn removed_payloads_are_in_no_file_and_everything_else_is_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let events = secretive(directory.path());
    assert!(!holding_the_secret(directory.path()).is_empty());
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let chain = log.chain_at(Position(FACTS)).unwrap().unwrap();

    let (log, purged) = log.purge(is_secret).unwrap();
    assert_eq!((purged.events, purged.bytes), (FACTS / 3, FACTS / 3 * (SECRET.len() as u64 + 300)));
    assert_eq!(holding_the_secret(directory.path()), Vec::<String>::new());
    assert_eq!(all(&log), without_payloads(&events));
    assert_eq!(log.chain_at(Position(FACTS)).unwrap(), Some(chain));
    assert_eq!(log.find(new_event(1).id).unwrap(), Some(Position(2)));
    assert_eq!(log.load_checkpoint("reactor").unwrap().unwrap().position, Position(12));
    assert_eq!(log.load_checkpoint("state").unwrap(), None);

    // The log accepts more events, and the existing ones are unchanged after it is opened again.
    log.append(Expected::At(Position(FACTS)), Timestamp(99), &[new_event(FACTS)]).unwrap();
    log.close().unwrap();
    drop(log);
    let (log, repairs) = SledLog::open(directory.path()).unwrap();
    assert_eq!((all(&log).len() as u64, repairs), (FACTS + 1, Vec::new()));
    drop(log);
    let verified = verify(directory.path()).unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    assert_eq!((verified.events, verified.purged, verified.indexed), (FACTS + 1, FACTS / 3, Some(FACTS + 1)));
    assert_eq!(all(&JournalReader::open(directory.path()).unwrap())[..events.len()], without_payloads(&events));
}

#[test]
fn a_second_purge_finds_nothing_and_changes_nothing() {
    let directory = tempfile::tempdir().unwrap();
    secretive(directory.path());
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let (log, _) = log.purge(is_secret).unwrap();
    let before = fs::read(directory.path().join("journal")).unwrap();
    let (log, purged) = log.purge(is_secret).unwrap();
    assert_eq!(purged.events, 0);
    assert_eq!(before, fs::read(directory.path().join("journal")).unwrap());
    let left = all(&log).iter().filter(|event| !event.event.payload.is_empty()).count() as u64;
    let (_, purged) = log.purge(|_| true).unwrap();
    assert_eq!(purged.events, left, "a payload that is gone is not selected again");
}

/// Whichever call of a purge fails, the log afterwards is unchanged or completely purged, and a second purge succeeds.
#[test]
fn whatever_fails_on_the_way_the_log_is_as_it_was_or_as_it_should_be() {
    let original = tempfile::tempdir().unwrap();
    let events = secretive(original.path());
    let (mut undone, mut carried_on) = (0, 0);
    for operation in Operation::ALL {
        for call in 1.. {
            let directory = tempfile::tempdir().unwrap();
            crate::support::copy(original.path(), directory.path());
            let files = FailingFiles::new(SystemFiles);
            let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
            files.set_fault(Some(Fault { operation, call, kind: FaultKind::Full, sticky: true }));
            let outcome = log.purge(is_secret);
            files.set_fault(None);
            if outcome.is_ok() {
                break;
            }
            drop(outcome);
            let (log, repairs) = SledLog::open(directory.path()).unwrap();
            // An index that could not be opened because of the fault is rebuilt from the journal.
            let harmless = |repair: &Repair| repair.action == RepairAction::IndexRebuilt;
            assert!(repairs.iter().all(harmless), "{operation:?} {call}: {repairs:?}");
            if all(&log) == events {
                undone += 1;
            } else {
                assert_eq!(all(&log), without_payloads(&events), "{operation:?} {call}");
                assert_eq!(holding_the_secret(directory.path()), Vec::<String>::new(), "{operation:?} {call}");
                carried_on += 1;
            }
            // A second purge, without the fault.
            let (log, _) = log.purge(is_secret).unwrap();
            assert_eq!(all(&log), without_payloads(&events), "{operation:?} {call}");
            assert_eq!(holding_the_secret(directory.path()), Vec::<String>::new(), "{operation:?} {call}");
            let names: Vec<_> =
                fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            assert!(
                !names.iter().any(|name| name.to_string_lossy().contains("purg")),
                "{operation:?} {call}: {names:?}"
            );
        }
    }
    assert!(5 < undone && 5 < carried_on, "{undone} undone, {carried_on} carried on");
}

#[test]
fn a_purged_event_is_restored_as_purged_with_the_same_chain() {
    let directory = tempfile::tempdir().unwrap();
    secretive(directory.path());
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let (log, _) = log.purge(is_secret).unwrap();
    let other = tempfile::tempdir().unwrap();
    let (disk, _) = SledLog::open(other.path()).unwrap();
    let memory = MemoryLog::new();
    for copy in [&disk as &dyn EventLog, &memory] {
        copy.restore(&all(&log)).unwrap();
        copy.sync().unwrap();
        assert_eq!(all(copy), all(&log));
        for position in [0, 1, 2, FACTS] {
            let position = Position(position);
            assert_eq!(copy.chain_at(position).unwrap(), log.chain_at(position).unwrap());
        }
        assert_eq!(copy.chain_at(Position(FACTS + 1)).unwrap(), None);
    }
}
