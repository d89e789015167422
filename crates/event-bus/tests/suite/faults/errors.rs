//! Failing calls: the writer stops with an error, readers continue, and acknowledged events remain.

use std::{path::Path, sync::Arc};

use event_bus::{
    Appender, Bus, BusError, EventLog as _, Expected, JournalReader, LogError, ManualClock, SledLog,
    files::{FailingFiles, Fault, FaultKind, Files, Operation, SystemFiles},
};
use event_core::{Position, Timestamp};

use super::session::{FACTS, Session, goes_on, is_a_prefix};
use crate::support::{all, in_memory, new_event, new_events};

/// Numbers of cases by outcome.
#[derive(Debug, Default)]
struct Counts {
    /// Cases in which the log could not be opened, for writing or for reading.
    unopened: u64,
    /// Cases in which the writer was stopped.
    stopped: u64,
    /// The disk was full, and the log continued once there was room.
    full: u64,
    /// Cases in which the call was retried, or its failure had no effect.
    carried_on: u64,
}

/// Whichever call fails or is short, the log has a prefix of the appended events with all acknowledged ones, and
/// continues when it is opened without the fault.
#[test]
fn whatever_call_fails_the_log_is_a_prefix_with_everything_acknowledged() {
    let mut counts = Counts::default();
    for operation in Operation::ALL {
        for kind in
            [FaultKind::DeviceError, FaultKind::Full, FaultKind::TooManyFiles, FaultKind::Interrupted, FaultKind::Short]
        {
            for sticky in [false, true] {
                // Reads and writes that are always interrupted would be repeated forever.
                let for_ever = sticky && kind == FaultKind::Interrupted && FaultKind::Short.applies_to(operation);
                if !kind.applies_to(operation) || for_ever {
                    continue;
                }
                // The n-th call fails for every n, until there is no n-th call.
                for call in 1.. {
                    if !one_case(Fault { operation, call, kind, sticky }, &mut counts) {
                        break;
                    }
                }
            }
        }
    }
    let Counts { unopened, stopped, full, carried_on } = counts;
    let all = unopened + stopped + full + carried_on;
    assert!(800 < all && 200 < unopened && 150 < stopped && 50 < full && 50 < carried_on, "{counts:?}");
    println!(
        "kept: faults, errors and short calls: {all} cases, each at another call of {} operations: \
         {unopened} logs not opened or not read, {stopped} stopped and opened again, {full} full for a while, {carried_on} calls made again or not needed",
        Operation::ALL.len()
    );
}

/// Runs the session with one fault, checks and counts the outcome, and continues the log without the fault. Returns
/// whether the faulty call was reached.
fn one_case(fault: Fault, counts: &mut Counts) -> bool {
    let name = &format!("{fault:?}");
    let directory = in_memory();
    let directory = &directory.path().join("log");
    let failing = FailingFiles::new(SystemFiles);
    failing.set_fault(Some(fault));
    let session = Session::default();
    let files: Arc<dyn Files> = Arc::new(failing.clone());
    let outcome = session.run(directory, &files, |_| {}, |_| {});
    let hit = fault.call <= failing.calls(fault.operation);
    failing.set_fault(None);
    let acknowledged = session.acknowledged();
    match outcome {
        Ok(()) => {
            assert_eq!(acknowledged, FACTS, "{name}");
            counts.carried_on += u64::from(hit);
        }
        Err((error, log)) => {
            // Interrupted and short reads and writes are continued, so the session must not fail.
            let again = FaultKind::Short.applies_to(fault.operation)
                && fault.kind.error().is_none_or(|error| error.kind() == std::io::ErrorKind::Interrupted);
            assert!(!again, "{name}: {error}");
            says_what_to_do(&error, fault, directory, name);
            match (&error, &log) {
                (LogError::Stopped { .. }, Some(log)) => {
                    counts.stopped += 1;
                    is_stopped(log, directory, acknowledged, name);
                }
                (LogError::Full { .. } | LogError::IndexUnavailable { .. }, Some(log)) => {
                    counts.full += 1;
                    is_a_prefix(&all(log.as_ref()), acknowledged, name);
                    log.close().unwrap_or_else(|error| panic!("{name}: {error}"));
                    is_a_prefix(&all(log.as_ref()), acknowledged, name);
                }
                (LogError::Io { .. } | LogError::Stopped { .. }, None) => counts.unopened += 1,
                _ => panic!("{name}: {error}"),
            }
        }
    }
    if directory.join("journal").exists() || acknowledged != 0 {
        goes_on(directory, acknowledged, name);
    }
    hit
}

/// Asserts that a stopped log remains stopped after the fault is removed, and that its durable events and no others are
/// readable.
fn is_stopped(log: &SledLog, directory: &Path, acknowledged: u64, name: &str) {
    let refused = log.append(Expected::Any, Timestamp(9), &[new_event(99)]);
    assert!(matches!(refused, Err(LogError::Stopped { .. })), "{name}: {refused:?}");
    assert!(matches!(log.sync(), Err(LogError::Stopped { .. })), "{name}");
    assert!(matches!(log.close(), Err(LogError::Stopped { .. })), "{name}");
    let events = all(log);
    assert_eq!(events.len() as u64, acknowledged, "{name}: something unacknowledged shows");
    is_a_prefix(&events, acknowledged, name);
    assert_eq!(log.find(new_event(acknowledged).id).unwrap(), None, "{name}");
    let reader = JournalReader::open(directory).unwrap_or_else(|error| panic!("{name}: {error}"));
    is_a_prefix(&all(&reader), acknowledged, name);
}

/// Asserts that the error contains the path of the log or of a file in it, the message of the system, and for a stopped
/// log the next step.
fn says_what_to_do(error: &LogError, fault: Fault, directory: &Path, name: &str) {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    let cause = fault.kind.error().unwrap().to_string();
    let way_out = match error {
        LogError::Stopped { .. } => "remove the cause and open the log again",
        LogError::Full { .. } => "free some space",
        LogError::IndexUnavailable { .. } => "until the log is opened again",
        _ => "cannot ",
    };
    for part in [&*directory.to_string_lossy(), &cause, way_out] {
        assert!(text.contains(part), "{name}: `{part}` is missing in: {text}");
    }
}

/// On a full disk every waiting producer receives an error with the next step, and readers continue.
#[test]
fn a_full_disk_answers_every_producer_and_the_bus_continues_once_there_is_room() {
    let directory = in_memory();
    let files = FailingFiles::new(SystemFiles);
    let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
    let bus = Bus::start(Appender::new(Arc::new(log), ManualClock::new(Timestamp(1)))).unwrap();
    bus.append_blocking(Expected::Any, new_events(0..3)).unwrap();
    let fault = Fault { operation: Operation::Write, call: 1, kind: FaultKind::Full, sticky: true };
    files.set_fault(Some(fault));
    let producers: Vec<_> = (10..20)
        .map(|number| {
            let bus = bus.clone();
            std::thread::spawn(move || bus.append_blocking(Expected::Any, vec![new_event(number)]))
        })
        .collect();
    for producer in producers {
        let refused = producer.join().unwrap().unwrap_err();
        let BusError::Log(error @ LogError::Full { .. }) = &refused else { panic!("{refused:?}") };
        says_what_to_do(error, fault, directory.path(), "a producer");
    }
    assert_eq!(bus.head(), Position(3));
    assert_eq!(all(&**bus.log()).len(), 3, "readers go on");
    assert!(bus.out_of_room().is_some());
    files.set_fault(None);
    bus.append_blocking(Expected::Any, vec![new_event(20)]).unwrap();
    assert!(bus.out_of_room().is_none());
    // Of the refused producers, those that were staged before the first failure are recorded, each once.
    let events = all(&**bus.log());
    let ids: std::collections::BTreeSet<_> = events.iter().map(|event| event.event.id).collect();
    assert_eq!((ids.len(), bus.head()), (events.len(), Position(events.len() as u64)));
    assert!(ids.contains(&new_event(20).id));
    bus.close_blocking().unwrap();
}

/// `HEAD` is advisory: while it cannot be written, events are acknowledged, and a later barrier writes it.
/// Attack: no descriptor or room is left for the file `HEAD`.
/// Holds: events are acknowledged, and `HEAD` is written later.
#[test]
fn a_head_file_that_cannot_be_written_does_not_stop_the_log() {
    let kinds = [FaultKind::TooManyFiles, FaultKind::Full, FaultKind::DeviceError];
    for (kind, operation) in kinds.into_iter().flat_map(|kind| [(kind, Operation::Open), (kind, Operation::SyncDir)]) {
        let directory = in_memory();
        let files = FailingFiles::new(SystemFiles);
        let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
        let before = std::fs::read_to_string(directory.path().join("HEAD")).unwrap();
        files.set_fault(Some(Fault { operation, call: 1, kind, sticky: true }));
        let interval = std::time::Duration::from_millis(110);
        for number in 0..3 {
            std::thread::sleep(interval);
            log.append(Expected::Any, Timestamp(number), &[new_event(number)]).unwrap();
            log.sync().unwrap_or_else(|error| panic!("{kind:?} in {operation:?}: {error}"));
        }
        assert!(0 < files.calls(operation), "{kind:?} in {operation:?} was not reached");
        assert_eq!(all(&log).len(), 3, "{kind:?} in {operation:?}");
        files.set_fault(None);
        std::thread::sleep(interval);
        log.append(Expected::Any, Timestamp(3), &[new_event(3)]).unwrap();
        log.sync().unwrap();
        let after = std::fs::read_to_string(directory.path().join("HEAD")).unwrap();
        assert!(after != before && after.contains("position 4"), "{kind:?} in {operation:?}: {after}");
        drop(log);
        let verified = event_bus::verify(directory.path()).unwrap();
        assert!(verified.is_sound() && verified.notes.is_empty(), "{kind:?} in {operation:?}: {verified:?}");
    }
}

/// Opening a FIFO waits for its other end, so a log with one in place of a file is refused at once.
/// Attack: a FIFO in place of a file of the log.
/// Holds: opening is refused at once.
#[test]
fn a_fifo_in_place_of_a_file_of_the_log_is_refused() {
    for name in ["journal", "HEAD", "lock", "index/db", "index/conf"] {
        let directory = in_memory();
        drop(SledLog::open(directory.path()).unwrap());
        let path = directory.path().join(name);
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let error = SledLog::open(directory.path()).unwrap_err();
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("regular file"), "{name}: {error}: {source}");
        if name == "journal" {
            assert!(JournalReader::open(directory.path()).is_err());
            assert!(event_bus::verify(directory.path()).is_err(), "{name}");
        }
    }
}
