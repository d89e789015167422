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
    /// Messages of the panics after which the state was restored.
    recovered: Vec<String>,
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
    fn recover(&mut self, cause: &str) -> Result<(), BusError> {
        self.recovered.push(cause.to_owned());
        Ok(())
    }

    fn close(self) -> Result<(), BusError> {
        self.appender.close()
    }
}

/// Starts a bus with a [`Counter`].
fn counting(log: Arc<dyn EventLog>) -> Bus<Counter> {
    let appender = Appender::new(log, ManualClock::new(Timestamp(1_000)));
    Bus::start(Counter { appender, refreshed: 0, commands: 0, recovered: Vec::new() }).unwrap()
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

/// A panic is the error of its own command; the state is restored, and later commands run.
/// Attack: a command panics.
/// Holds: its caller gets an error, later commands run on a restored state.
#[test]
fn a_panic_in_a_command_is_the_error_of_that_command_alone() {
    let bus = counting(Arc::new(MemoryLog::new()));
    let panicked = run(bus.command(|state: &mut Counter| -> u64 { panic!("after {} commands", state.commands) }));
    let Err(BusError::CommandPanicked(message)) = panicked.map(drop) else { panic!("the command did not fail") };
    assert_eq!(&*message, "after 0 commands");
    let queried = run(bus.query(|_: &Counter| -> u64 { panic!("in a query") }));
    assert!(matches!(queried, Err(BusError::CommandPanicked(_))), "{queried:?}");
    bus.notify(|_: &mut Counter| -> Result<(), BusError> { panic!("in a notification") });
    let (commands, durable) = run(bus.command(|state| count(state, 1))).unwrap();
    run(durable.wait()).unwrap();
    let recovered = run(bus.query(|state| state.recovered.clone())).unwrap();
    assert_eq!((commands, bus.head()), (1, Position(1)));
    assert_eq!(recovered, ["after 0 commands", "in a query", "in a notification"]);
    run(bus.close()).unwrap();
}

/// A command whose caller is gone before it runs is not run, and further ones are refused when too many wait.
/// Attack: more requests than the log can decide.
/// Holds: the queue is bounded, and requests of clients that are gone are not decided.
#[test]
fn commands_of_callers_that_are_gone_are_dropped_and_the_queue_is_bounded() {
    use std::{
        future::Future as _,
        task::{Context, Waker},
    };
    let log = Arc::new(Slow::default());
    let bus = counting(log.clone());
    let gate = log.hooks.gate.lock().unwrap();
    let (_, durable) = run(bus.command(|state| count(state, 1))).unwrap();
    // From here the bus thread waits in the barrier of the first command.
    while log.hooks.waiting.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    let mut context = Context::from_waker(Waker::noop());
    let mut waiting = Vec::new();
    let refused = loop {
        let number = waiting.len() as u64 + 2;
        let mut command = Box::pin(bus.command(move |state| count(state, number)));
        match command.as_mut().poll(&mut context) {
            std::task::Poll::Pending => waiting.push(command),
            std::task::Poll::Ready(result) => break result.map(drop),
        }
        assert!(waiting.len() < 10_000, "the queue has no bound");
    };
    assert!(matches!(refused, Err(BusError::Busy)), "{refused:?}");
    assert!(4_000 < waiting.len(), "{} commands were accepted", waiting.len());
    // All callers but one leave.
    waiting.truncate(1);
    drop(gate);
    run(durable.wait()).unwrap();
    run(waiting.remove(0)).unwrap();
    assert_eq!(run(bus.query(|state| state.commands)).unwrap(), 2, "commands without a caller were run");
    run(bus.close()).unwrap();
}
