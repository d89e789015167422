//! Commands, queries and notifications on a state that a test defines.

use std::sync::{Arc, atomic::Ordering};

use event_bus::{Appended, Appender, Bus, BusError, EventLog, Expected, LogError, ManualClock, MemoryLog, State};
use event_core::{NewEvent, Position, Timestamp};

use super::{Slow, numbers};
use crate::support::run;

/// A state that counts its commands and refreshes.
struct Counter {
    /// The log and its clock.
    appender: Appender,
    /// Number of refreshes.
    refreshed: u64,
    /// Number of commands.
    commands: u64,
}

impl State for Counter {
    fn log(&self) -> &Arc<dyn EventLog> {
        self.appender.log()
    }
    fn append(&mut self, expected: Expected, batch: &[NewEvent]) -> Result<Appended, BusError> {
        self.appender.append(expected, batch)
    }
    fn commit(&mut self) -> Result<(), LogError> {
        self.appender.commit()
    }
    fn refresh(&mut self) -> bool {
        self.refreshed += 1;
        false
    }
    fn close(self) -> Result<(), BusError> {
        self.appender.close()
    }
}

/// Starts a bus with a [`Counter`].
fn counting(log: Arc<dyn EventLog>) -> Bus<Counter> {
    let appender = Appender::new(log, ManualClock::new(Timestamp(1_000)));
    Bus::start(Counter { appender, refreshed: 0, commands: 0 }).unwrap()
}

/// Records one event, counts the command, and returns the number of commands so far.
fn count(state: &mut Counter, number: u64) -> u64 {
    state.append(Expected::Any, &numbers(number, 1)).unwrap();
    state.commands += 1;
    state.commands
}

/// A command returns its result before the barrier, and its handle resolves after it. The head advances with the
/// barrier.
#[test]
fn a_command_answers_before_the_barrier_and_its_handle_resolves_after_it() {
    let log = Arc::new(Slow::default());
    let bus = counting(log.clone());
    let gate = log.hooks.gate.lock().unwrap();
    let (first, durable) = run(bus.command(|state| count(state, 1))).unwrap();
    assert_eq!((first, bus.head(), log.head().unwrap()), (1, Position(0), Position(0)));
    drop(gate);
    run(durable.wait()).unwrap();
    assert_eq!((bus.head(), log.head().unwrap()), (Position(1), Position(1)));
    let (second, _) = run(bus.command(|state| count(state, 2))).unwrap();
    assert_eq!((second, run(bus.query(|state| state.commands)).unwrap()), (2, 2));
    run(bus.close()).unwrap();
    assert!(matches!(run(bus.query(|state| state.commands)), Err(BusError::Closed)));
}

/// A notification becomes durable although no caller waits for it; closing makes the last one durable.
#[test]
fn a_notification_is_durable_within_the_linger_without_any_caller() {
    run(async {
        let bus = counting(Arc::new(MemoryLog::new()));
        bus.notify(|state| {
            count(state, 1);
            Ok::<_, BusError>(())
        });
        assert_eq!(bus.head_after(Position::ORIGIN).await.unwrap(), Position(1));
        bus.notify(|state| {
            count(state, 2);
            Ok::<_, BusError>(())
        });
        bus.close().await.unwrap();
        assert_eq!(bus.head(), Position(2), "closing makes the last notification durable");
    });
}

#[test]
fn one_barrier_answers_at_most_64_commands() {
    let log = Arc::new(Slow::default());
    let bus = counting(log.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let send = |number| {
        let bus = bus.clone();
        runtime.spawn(async move { bus.command(move |state| count(state, number)).await?.1.wait().await })
    };
    let gate = log.hooks.gate.lock().unwrap();
    let first = send(0);
    // The bus thread waits at the gate, in the barrier of the first command.
    while log.hooks.waiting.load(Ordering::SeqCst) == 0 {
        runtime.block_on(tokio::task::yield_now());
    }
    let commands: Vec<_> = (1..=128).map(send).collect();
    // Each yield lets the runtime poll some tens of tasks.
    (0..20).for_each(|_| runtime.block_on(tokio::task::yield_now()));
    drop(gate);
    runtime.block_on(async {
        first.await.unwrap().unwrap();
        for command in commands {
            command.await.unwrap().unwrap();
        }
    });
    assert_eq!(log.hooks.barriers.load(Ordering::SeqCst), 3, "one, 64 and 64");
    run(bus.close()).unwrap();
}

#[test]
fn the_state_is_refreshed_before_every_command() {
    run(async {
        let bus = counting(Arc::new(MemoryLog::new()));
        for number in 1..=20 {
            assert_eq!(bus.query(|state| state.refreshed).await.unwrap(), number);
        }
        bus.close().await.unwrap();
    });
}
