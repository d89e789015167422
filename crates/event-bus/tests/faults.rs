//! Files that fail: the writer stops, readers go on, and nothing unacknowledged shows.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod support;

use std::{io::ErrorKind, path::Path, sync::Arc};

use event_bus::{
    Bus, BusError, EventLog, Expected, LogError, SetClock, SledLog, TextFiles, TextStore,
    files::{FailingFiles, Fault, Operation, SystemFiles},
};
use event_core::{Position, Recorded, Timestamp};
use support::{all, event, events};

const OPERATIONS: [Operation; 12] = [
    Operation::CreateDir,
    Operation::Open,
    Operation::Rename,
    Operation::Remove,
    Operation::List,
    Operation::SyncDir,
    Operation::Read,
    Operation::Write,
    Operation::Length,
    Operation::Truncate,
    Operation::Sync,
    Operation::Lock,
];

/// Appends one batch after the other until something fails, and says which were acknowledged.
fn write(log: &SledLog, batches: u64) -> (u64, Option<LogError>) {
    for batch in 0..batches {
        let appended = log.append(Expected::Any, Timestamp(batch), &events(batch * 3..batch * 3 + 3));
        if let Err(error) = appended.and_then(|_| log.sync()) {
            return (batch, Some(error));
        }
    }
    (batches, log.close().err())
}

/// What is there is what was appended, from the first on, and everything acknowledged is there.
fn is_a_prefix(facts: &[Recorded], acknowledged: u64, batches: u64) {
    let wanted = events(0..batches * 3);
    let found: Vec<_> = facts.iter().map(|fact| fact.event.clone()).collect();
    assert!(wanted.starts_with(&found), "what is there was not appended");
    assert!(acknowledged * 3 <= found.len() as u64, "{acknowledged} batches acknowledged, {} facts", found.len());
    assert!(found.len().is_multiple_of(3), "a part of a batch is there");
}

fn one_case(directory: &Path, fault: Fault) -> bool {
    const BATCHES: u64 = 4;
    let files = FailingFiles::over(SystemFiles);
    files.fail(Some(fault));
    let mut hit = false;
    let mut acknowledged = 0;
    match SledLog::open_with(directory, Arc::new(files.clone())) {
        Err(LogError::Io { .. } | LogError::Stopped { .. }) => hit = true,
        Err(other) => panic!("{fault:?}: {other}"),
        Ok((log, _)) => {
            let (written, error) = write(&log, BATCHES);
            acknowledged = written;
            if let Some(error) = error {
                hit = true;
                let LogError::Stopped { path, .. } = &error else { panic!("{fault:?}: {error}") };
                assert_eq!(path, directory);
                // The log stays stopped, even when the disk is well again; what is durable can be read.
                files.fail(None);
                let refused = log.append(Expected::Any, Timestamp(9), &[event(99)]);
                assert!(matches!(refused, Err(LogError::Stopped { .. })), "{fault:?}: {refused:?}");
                assert!(log.sync().is_err());
                let facts = all(&log);
                assert_eq!(facts.len() as u64, written * 3, "{fault:?}: something unacknowledged shows");
                is_a_prefix(&facts, written, BATCHES);
                assert_eq!(log.find(event(written * 3).id).unwrap_or(None), None);
            }
        }
    }
    files.fail(None);
    let (log, _) = SledLog::open(directory).unwrap_or_else(|error| panic!("{fault:?}: {error}"));
    is_a_prefix(&all(&log), acknowledged, BATCHES);
    let (written, error) = write(&log, BATCHES);
    assert!(error.is_none() && written == BATCHES, "{fault:?}: {error:?}");
    assert_eq!(log.head().unwrap(), Position(BATCHES * 3));
    hit
}

#[test]
fn whatever_fails_the_log_is_a_prefix_with_everything_acknowledged() {
    let mut hits = 0;
    for operation in OPERATIONS {
        for sticky in [false, true] {
            for call in 1.. {
                let directory = tempfile::tempdir().unwrap();
                let fault = Fault { operation, call, kind: ErrorKind::StorageFull, sticky };
                // The n-th call fails for every n, until there is no n-th call.
                if !one_case(&directory.path().join("log"), fault) {
                    break;
                }
                hits += 1;
            }
        }
    }
    assert!(60 < hits, "only {hits} faults were reached");
}

#[test]
fn an_interrupted_call_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let files = FailingFiles::over(SystemFiles);
    let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
    for operation in [Operation::Read, Operation::Write] {
        files.fail(Some(Fault { operation, call: 1, kind: ErrorKind::Interrupted, sticky: false }));
        let (written, error) = write(&log, 2);
        assert!(error.is_none() && written == 2, "{error:?}");
        assert_eq!(all(&log).len(), 6);
    }
}

#[test]
fn a_full_disk_answers_every_producer_and_says_what_to_do() {
    let directory = tempfile::tempdir().unwrap();
    let files = FailingFiles::over(SystemFiles);
    let (log, _) = SledLog::open_with(directory.path(), Arc::new(files.clone())).unwrap();
    let bus = Bus::start(Arc::new(log), SetClock::at(Timestamp(1))).unwrap();
    bus.append_blocking(Expected::Any, events(0..3)).unwrap();
    files.fail(Some(Fault { operation: Operation::Write, call: 1, kind: ErrorKind::StorageFull, sticky: true }));
    let producers: Vec<_> = (10..20)
        .map(|number| {
            let bus = bus.clone();
            std::thread::spawn(move || bus.append_blocking(Expected::Any, vec![event(number)]))
        })
        .collect();
    for producer in producers {
        let refused = producer.join().unwrap().unwrap_err();
        let BusError::Log(LogError::Stopped { .. }) = &refused else { panic!("{refused:?}") };
        let text = refused.to_string();
        for part in [&*directory.path().to_string_lossy(), "journal", "no storage space", "open the log again"] {
            assert!(text.contains(part), "`{part}` is missing in: {text}");
        }
    }
    assert_eq!(bus.head(), Position(3));
    assert_eq!(all(&**bus.log()).len(), 3, "readers go on");
    assert!(bus.close_blocking().is_err());
}

#[test]
fn a_text_that_cannot_be_written_is_not_there() {
    for operation in [Operation::Write, Operation::Sync, Operation::Rename, Operation::CreateDir, Operation::Open] {
        let directory = tempfile::tempdir().unwrap();
        let files = FailingFiles::over(SystemFiles);
        let texts = TextFiles::with_files(directory.path(), Arc::new(files.clone()));
        files.fail(Some(Fault { operation, call: 1, kind: ErrorKind::StorageFull, sticky: true }));
        assert!(matches!(texts.put("a text"), Err(LogError::Io { .. })), "{operation:?}");
        files.fail(None);
        assert_eq!(texts.get(*blake3::hash(b"a text").as_bytes()).unwrap(), None);
        assert!(texts.put("a text").is_ok());
    }
}
