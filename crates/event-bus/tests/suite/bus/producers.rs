//! Batches appended from threads and tasks.

use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::Duration,
};

use event_bus::{BusError, EventLog as _, Expected, LogError, MemoryLog, SledLog};
use event_core::{Position, Timestamp};

use super::{Slow, numbers, start};
use crate::support::{new_event, run};

/// Batches that wait behind a slow barrier share the next barriers, and each producer receives the result of its own
/// batch, including conflicts.
#[test]
fn waiting_producers_share_a_barrier_and_each_gets_its_own_answer() {
    let log = Arc::new(Slow::default());
    let bus = start(log.clone());
    let closed = log.hooks.gate.lock().unwrap();
    // The writer waits in the barrier of the first batch while the other batches are queued.
    let first = thread::spawn({
        let bus = bus.clone();
        move || bus.append_blocking(Expected::Any, numbers(0, 1))
    });
    while log.append(Expected::At(Position(1)), Timestamp(0), &[]).is_err() {
        thread::yield_now();
    }
    let others: Vec<_> = (1..=50)
        .map(|number| {
            let bus = bus.clone();
            let expected = if number % 10 == 0 { Expected::At(Position(999)) } else { Expected::Any };
            thread::spawn(move || bus.append_blocking(expected, numbers(number, 1)))
        })
        .collect();
    thread::sleep(Duration::from_millis(100));
    drop(closed);
    assert_eq!(first.join().unwrap().unwrap().positions, [Position(1)]);
    let answers: Vec<_> = others.into_iter().map(|thread| thread.join().unwrap()).collect();
    let conflicts = answers.iter().filter(|answer| matches!(answer, Err(BusError::Log(LogError::Conflict { .. }))));
    assert_eq!(conflicts.count(), 5);
    let mut positions: Vec<_> = answers.into_iter().flatten().flat_map(|appended| appended.positions).collect();
    positions.sort();
    assert_eq!(positions, (2..=46).map(Position).collect::<Vec<_>>());
    bus.close_blocking().unwrap();
    let barriers = log.hooks.barriers.load(Ordering::Relaxed);
    assert!(barriers < 15, "51 batches took {barriers} barriers");
}

#[test]
fn thousands_of_tasks_append_at_once() {
    run(async {
        let bus = start(Arc::new(MemoryLog::new()));
        let tasks: Vec<_> = (0..3_000)
            .map(|number| {
                let bus = bus.clone();
                tokio::spawn(async move { bus.append(Expected::Any, numbers(number, 1)).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(bus.head(), Position(3_000));
        bus.close().await.unwrap();
        assert!(matches!(bus.append(Expected::Any, numbers(0, 1)).await, Err(BusError::Closed)));
        bus.close().await.unwrap();
    });
}

/// If the bus thread panics, every waiting append and `close` fail with `WriterLost`.
#[test]
fn a_writer_that_panics_leaves_nobody_waiting() {
    let log = Arc::new(Slow::default());
    let breaks = Arc::clone(&log);
    // A poisoned gate makes the next barrier panic.
    let broken = thread::spawn(move || {
        let _closed = breaks.hooks.gate.lock().unwrap();
        panic!("the gate breaks");
    });
    broken.join().unwrap_err();
    run(async {
        let bus = start(log);
        let appends: Vec<_> = (0..3_000)
            .map(|number| {
                let bus = bus.clone();
                tokio::spawn(async move { bus.append(Expected::Any, numbers(number, 1)).await })
            })
            .collect();
        for append in appends {
            let lost = append.await.unwrap();
            assert!(matches!(lost, Err(BusError::WriterLost)), "{lost:?}");
        }
        assert!(matches!(bus.close().await, Err(BusError::WriterLost)));
    });
}

#[test]
fn what_was_accepted_before_the_close_is_recorded() {
    run(async {
        let log = Arc::new(MemoryLog::new());
        let bus = start(log.clone());
        let appends: Vec<_> = (0..500)
            .map(|number| {
                let bus = bus.clone();
                tokio::spawn(async move { bus.append(Expected::Any, numbers(number, 1)).await })
            })
            .collect();
        tokio::task::yield_now().await;
        bus.close().await.unwrap();
        let mut recorded = 0;
        for append in appends {
            match append.await.unwrap() {
                Ok(_) => recorded += 1,
                Err(error) => assert!(matches!(error, BusError::Closed), "{error}"),
            }
        }
        assert_eq!(log.head().unwrap(), Position(recorded));
        assert_ne!(recorded, 0);
    });
}

#[test]
fn a_bus_that_is_dropped_writes_what_it_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let bus = start(Arc::new(log));
    bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap();
    drop(bus);
    // The bus thread closes the log in the background.
    let log = loop {
        match SledLog::open(directory.path()) {
            Err(LogError::InUse { .. }) => thread::yield_now(),
            other => break other.unwrap().0,
        }
    };
    assert_eq!(log.head().unwrap(), Position(1));
}
