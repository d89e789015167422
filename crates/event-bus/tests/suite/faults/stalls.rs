//! Stalled calls: appenders wait, readers continue, and nothing is acknowledged before the disk completes.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use event_bus::{
    Appender, Bus, EventLog as _, Expected, JournalReader, ManualClock, SledLog,
    files::{FailingFiles, Fault, FaultKind, Files, Operation, SystemFiles},
};
use event_core::{Position, Timestamp};

use super::session::{FACTS, Session, goes_on, is_a_prefix};
use crate::support::{all, in_memory, new_event};

/// Operations with which a writer changes the disk.
const WRITING: [Operation; 7] = [
    Operation::CreateDir,
    Operation::Open,
    Operation::Rename,
    Operation::SyncDir,
    Operation::Write,
    Operation::Truncate,
    Operation::Sync,
];

/// Whichever call of a writer stalls, readers continue, no later event is acknowledged before the call completes, and
/// the session then completes.
#[test]
fn while_a_call_stalls_readers_read_and_nothing_is_acknowledged() {
    let (mut opening, mut writing) = (0, 0);
    for operation in WRITING {
        for call in 1.. {
            let fault = Fault { operation, call, kind: FaultKind::Stall, sticky: false };
            match one_case(fault) {
                Some(true) => writing += 1,
                Some(false) => opening += 1,
                None => break,
            }
        }
    }
    assert!(40 < opening && 40 < writing, "{opening} while opening, {writing} while writing");
    println!(
        "kept: faults, stalls: {} cases: {opening} while the log was opened, {writing} while it was written; \
         readers went on in each, and nothing was acknowledged before the call was done",
        opening + writing
    );
}

/// Runs the session with one stalled call, and checks the log meanwhile if it is open. Returns whether it was open;
/// `None` if the call was not reached.
fn one_case(fault: Fault) -> Option<bool> {
    let name = &format!("{fault:?}");
    let directory = in_memory();
    let directory = directory.path().join("log");
    let failing = FailingFiles::new(SystemFiles);
    failing.set_fault(Some(fault));
    // Locked while the log is checked, so that the session does not open it again meanwhile.
    let open = Mutex::new(None);
    let session = Session::default();
    let files: Arc<dyn Files> = Arc::new(failing.clone());
    let stalled = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let opened = |log: Option<&Arc<SledLog>>| *open.lock().unwrap() = log.cloned();
            let outcome = session.run(&directory, &files, opened, |_| {});
            // Ends `wait_for_stall` if the call was not reached.
            failing.release_stalled();
            outcome
        });
        let stalled = failing.wait_for_stall().then(|| {
            let log = open.lock().unwrap();
            if let Some(log) = &*log {
                meanwhile(log, &session, &failing, name);
            }
            failing.release_stalled();
            log.is_some()
        });
        worker.join().unwrap().unwrap_or_else(|(error, _)| panic!("{name}: {error}"));
        stalled
    });
    assert_eq!(session.acknowledged(), FACTS, "{name}: it goes on as if nothing had happened");
    goes_on(&directory, FACTS, name);
    stalled
}

/// Checks an open log while one of its calls stalls: acknowledged events are readable and another barrier waits. Then
/// releases the call.
fn meanwhile(log: &SledLog, session: &Session, failing: &FailingFiles, name: &str) {
    let acknowledged = session.acknowledged();
    let answered = AtomicBool::new(false);
    thread::scope(|scope| {
        let other = scope.spawn(|| {
            let synced = log.sync();
            answered.store(true, Ordering::SeqCst);
            synced
        });
        let events = all(log);
        is_a_prefix(&events, acknowledged, name);
        assert_eq!(events.len() as u64, acknowledged, "{name}: what is not acknowledged shows");
        assert_eq!(log.head().unwrap(), Position(acknowledged), "{name}");
        let reader = JournalReader::open(log.directory()).unwrap_or_else(|error| panic!("{name}: {error}"));
        is_a_prefix(&all(&reader), acknowledged, name);
        assert!(!answered.load(Ordering::SeqCst), "{name}: a barrier was made beside one that stalls");
        assert_eq!(session.acknowledged(), acknowledged, "{name}: acknowledged while the disk stalls");
        failing.release_stalled();
        other.join().unwrap().unwrap_or_else(|error| panic!("{name}: {error}"));
    });
}

/// While a sync stalls, producers on a bus wait and readers continue; after it every producer is acknowledged.
#[test]
fn while_a_sync_stalls_every_producer_waits_and_a_view_reads() {
    let directory = in_memory();
    let files = FailingFiles::new(SystemFiles);
    let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
    let bus = Bus::start(Appender::new(Arc::new(log), ManualClock::new(Timestamp(1)))).unwrap();
    bus.append_blocking(Expected::Any, vec![new_event(1), new_event(2)]).unwrap();
    files.set_fault(Some(Fault { operation: Operation::Sync, call: 1, kind: FaultKind::Stall, sticky: true }));
    let answered = Arc::new(AtomicBool::new(false));
    let producers: Vec<_> = (10..18)
        .map(|number| {
            let (bus, answered) = (bus.clone(), Arc::clone(&answered));
            thread::spawn(move || {
                let appended = bus.append_blocking(Expected::Any, vec![new_event(number)]);
                answered.store(true, Ordering::SeqCst);
                appended
            })
        })
        .collect();
    assert!(files.wait_for_stall());
    assert_eq!((bus.head(), all(&**bus.log()).len()), (Position(2), 2), "readers read what is durable");
    assert!(!answered.load(Ordering::SeqCst), "acknowledged while the disk stalls");
    files.release_stalled();
    for producer in producers {
        producer.join().unwrap().unwrap();
    }
    assert_eq!((bus.head(), all(&**bus.log()).len()), (Position(10), 10));
    bus.close_blocking().unwrap();
}
