//! Producers, subscriptions, views and reactors on one log.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use async_trait::async_trait;
use event_bus::{
    Appended, Appender, Bus, BusError, Delivery, EventLog, Expected, LogError, ManualClock, MemoryLog,
    REFRESH_INTERVAL, Reactor, RetryAfter, SledLog, State, View, fold, save,
};
use event_core::{Checkpoint, EventId, NewEvent, Position, Projected, Recorded, Timestamp};
use support::{Kinds, all, new_event, new_events, run};

fn start(log: Arc<dyn EventLog>) -> Bus {
    Bus::start(Appender::new(log, ManualClock::new(Timestamp(1_000)))).unwrap()
}

fn numbers(first: u64, count: u64) -> Vec<NewEvent> {
    new_events(first..first + count)
}

/// A log that counts its barriers and can be held up in one.
#[derive(Default)]
struct Slow {
    log: MemoryLog,
    gate: Mutex<()>,
    staged: AtomicU64,
    /// Barriers begun, and those with events that passed the gate.
    waiting: AtomicU64,
    barriers: AtomicU64,
}

impl EventLog for Slow {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.staged.fetch_add(batch.len() as u64, Ordering::SeqCst);
        self.log.append(expected, at, batch)
    }
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }
    fn sync(&self) -> Result<(), LogError> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let _open = self.gate.lock().unwrap();
        self.barriers.fetch_add(self.staged.swap(0, Ordering::SeqCst).min(1), Ordering::SeqCst);
        self.log.sync()
    }
    fn read_after(&self, after: Position, limit: usize) -> Result<Vec<Recorded>, LogError> {
        self.log.read_after(after, limit)
    }
    fn head(&self) -> Result<Position, LogError> {
        self.log.head()
    }
    fn find(&self, id: EventId) -> Result<Option<Position>, LogError> {
        self.log.find(id)
    }
    fn load_checkpoint(&self, name: &str) -> Result<Option<Checkpoint>, LogError> {
        self.log.load_checkpoint(name)
    }
    fn save_checkpoint(&self, name: &str, checkpoint: &Checkpoint) -> Result<(), LogError> {
        self.log.save_checkpoint(name, checkpoint)
    }
}

#[test]
fn waiting_producers_share_a_barrier_and_each_gets_its_own_answer() {
    let log = Arc::new(Slow::default());
    let bus = start(log.clone());
    let closed = log.gate.lock().unwrap();
    // The first takes the writer into its barrier; the others gather behind it meanwhile.
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
    let barriers = log.barriers.load(Ordering::Relaxed);
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

#[test]
fn a_writer_that_panics_leaves_nobody_waiting() {
    let log = Arc::new(Slow::default());
    let breaks = Arc::clone(&log);
    // A barrier cannot be taken through a poisoned gate.
    let broken = thread::spawn(move || {
        let _closed = breaks.gate.lock().unwrap();
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
fn a_subscription_sees_what_is_appended_while_it_catches_up() {
    run(async {
        let bus = start(Arc::new(MemoryLog::new()));
        for first in (0..2_000).step_by(200) {
            bus.append(Expected::Any, numbers(first, 200)).await.unwrap();
        }
        let mut subscription = bus.subscribe(Position(10));
        let producer = tokio::spawn({
            let bus = bus.clone();
            async move {
                for first in (2_000..4_000).step_by(10) {
                    bus.append(Expected::Any, numbers(first, 10)).await.unwrap();
                }
                bus.close().await.unwrap();
            }
        });
        let (mut seen, mut caught_up) = (Vec::new(), 0);
        while let Some(delivery) = subscription.next().await.unwrap() {
            match delivery {
                Delivery::Event(event) => seen.push(event.position),
                Delivery::CaughtUp => caught_up += 1,
            }
        }
        producer.await.unwrap();
        assert_eq!(seen, (11..=4_000).map(Position).collect::<Vec<_>>());
        assert_ne!(caught_up, 0);
        assert_eq!(subscription.next().await.unwrap(), None);
    });
}

#[test]
fn a_view_reads_its_own_writes_and_resumes_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..3_u64 {
        let (log, repairs) = SledLog::open(directory.path()).unwrap();
        assert_eq!(repairs, []);
        let log = Arc::new(log);
        run(async {
            let bus = start(log.clone());
            let view: View<Kinds> = bus.project().await.unwrap();
            assert_eq!(view.read(|_, position| position), Position(round * 300));
            for first in 0..30 {
                let appended = bus.append(Expected::Any, numbers(round * 300 + first * 10, 10)).await.unwrap();
                view.wait_for(appended.head).await.unwrap();
                assert!(appended.head <= view.read(|_, position| position));
            }
            bus.close().await.unwrap();
            let rebuilt = Projected::<Kinds>::default();
            let rebuilt = all(&*log).iter().fold(rebuilt, |mut state, event| {
                state.advance(event).unwrap();
                state
            });
            view.read(|state, position| assert_eq!((state, position), (rebuilt.state(), rebuilt.position())));
            assert!(matches!(view.wait_for(Position(9_999)).await, Err(BusError::Closed)));
        });
        let saved = log.load_checkpoint("test.kinds").unwrap().unwrap();
        assert_eq!(saved.position, Position((round + 1) * 300));
    }
}

#[test]
fn resumed_from_any_place_the_state_is_the_same() {
    let log = MemoryLog::new();
    log.append(Expected::Any, Timestamp(1), &numbers(0, 120)).unwrap();
    log.sync().unwrap();
    let whole = fold::<Kinds>(&log).unwrap();
    let mut state = Projected::<Kinds>::default();
    for event in all(&log) {
        state.advance(&event).unwrap();
        save(&log, &state).unwrap();
        assert_eq!(fold::<Kinds>(&log).unwrap(), whole, "resumed at {}", event.position);
    }
    let beyond = Checkpoint { position: Position(121), ..state.checkpoint().unwrap() };
    log.save_checkpoint("test.kinds", &beyond).unwrap();
    assert_eq!(fold::<Kinds>(&log).unwrap(), whole, "a place beyond the end is of no use");
}

fn answer(event: &Recorded) -> NewEvent {
    let mut answer = event.event.clone();
    answer.id = event.event.id.then("answer", 0);
    answer.kind = "test.answered".into();
    answer.caused_by(event.event.id)
}

/// Answers each `turn.started` with an event that follows from it.
struct Answers {
    seen: Arc<AtomicU64>,
}

#[async_trait]
impl Reactor for Answers {
    fn name(&self) -> &'static str {
        "test.answers"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        let started = events.iter().filter(|event| event.event.kind == "turn.started");
        let answers: Vec<_> = started.map(answer).collect();
        self.seen.fetch_add(answers.len() as u64, Ordering::Relaxed);
        Ok(answers)
    }
}

#[test]
fn a_reactor_starts_at_the_end_goes_on_where_it_was_and_repeats_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let seen = Arc::new(AtomicU64::new(0));
    for round in 0..3 {
        let (log, _) = SledLog::open(directory.path()).unwrap();
        let log = Arc::new(log);
        run(async {
            let bus = start(log.clone());
            if round == 0 {
                bus.append(Expected::Any, numbers(0, 30)).await.unwrap();
            }
            bus.run(Box::new(Answers { seen: Arc::clone(&seen) })).await.unwrap();
            // Every third of these starts a turn.
            bus.append(Expected::Any, numbers(30 + round * 30, 30)).await.unwrap();
            let mut subscription = bus.subscribe(Position::ORIGIN);
            let mut answers = 0;
            while answers < 10 * (round + 1) {
                if let Some(Delivery::Event(event)) = subscription.next().await.unwrap() {
                    answers += u64::from(event.event.kind == "test.answered");
                }
            }
            bus.close().await.unwrap();
        });
    }
    assert_eq!(seen.load(Ordering::Relaxed), 30, "the ten turns before the reactor was there are history");
}

/// Never completes.
struct Stuck;

#[async_trait]
impl Reactor for Stuck {
    fn name(&self) -> &'static str {
        "test.stuck"
    }

    fn drain_limit(&self) -> Duration {
        Duration::from_millis(20)
    }

    async fn react(&mut self, _: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        std::future::pending().await
    }
}

#[test]
fn closing_waits_no_longer_for_a_reaction_than_its_limit_and_the_events_come_again() {
    run(async {
        let log = Arc::new(MemoryLog::new());
        let bus = start(log.clone());
        bus.run(Box::new(Stuck)).await.unwrap();
        bus.append(Expected::Any, numbers(0, 5)).await.unwrap();
        bus.close().await.unwrap();
        assert_eq!(log.load_checkpoint("reactor.test.stuck").unwrap().unwrap().position, Position::ORIGIN);
    });
}

/// Handles nothing until its third attempt, and records what it is given.
#[derive(Default)]
struct Unreliable {
    attempts: u32,
    given: Arc<Mutex<Vec<(u32, Position)>>>,
}

#[async_trait]
impl Reactor for Unreliable {
    fn name(&self) -> &'static str {
        "test.unreliable"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        self.attempts += 1;
        self.given.lock().unwrap().push((self.attempts, events.last().unwrap().position));
        if self.attempts < 3 { Err(RetryAfter(Duration::from_millis(1))) } else { Ok(Vec::new()) }
    }
}

#[test]
fn a_reactor_that_fails_is_given_the_same_events_again_and_none_after_them() {
    run(async {
        let log = Arc::new(MemoryLog::new());
        let bus = start(log.clone());
        let unreliable = Unreliable::default();
        let given = Arc::clone(&unreliable.given);
        bus.run(Box::new(unreliable)).await.unwrap();
        bus.append(Expected::Any, numbers(0, 2)).await.unwrap();
        while given.lock().unwrap().len() < 3 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bus.append(Expected::Any, numbers(2, 2)).await.unwrap();
        bus.close().await.unwrap();
        let expected = [(1, Position(2)), (2, Position(2)), (3, Position(2)), (4, Position(4))];
        assert_eq!(*given.lock().unwrap(), expected);
        assert_eq!(log.load_checkpoint("reactor.test.unreliable").unwrap().unwrap().position, Position(4));
    });
}

#[test]
fn closing_drains_reactors_and_what_they_record_is_durable_and_seen_by_views() {
    run(async {
        let log = Arc::new(MemoryLog::new());
        let bus = start(log.clone());
        let view: View<Kinds> = bus.project().await.unwrap();
        let seen = Arc::new(AtomicU64::new(0));
        bus.run(Box::new(Answers { seen: Arc::clone(&seen) })).await.unwrap();
        bus.append(Expected::Any, numbers(0, 30)).await.unwrap();
        bus.close().await.unwrap();
        assert_eq!(seen.load(Ordering::Relaxed), 10);
        assert_eq!(log.head().unwrap(), Position(40));
        assert_eq!(view.read(|kinds, position| (kinds.counts["test.answered"], position)), (10, Position(40)));
    });
}

/// A state that counts its commands and how often it was refreshed.
struct Counter {
    appender: Appender,
    refreshed: u64,
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
    fn refresh(&mut self) {
        self.refreshed += 1;
    }
    fn close(self) -> Result<(), BusError> {
        self.appender.close()
    }
}

fn counting(log: Arc<dyn EventLog>) -> Bus<Counter> {
    let appender = Appender::new(log, ManualClock::new(Timestamp(1_000)));
    Bus::start(Counter { appender, refreshed: 0, commands: 0 }).unwrap()
}

/// Records one event and counts the command.
fn count(state: &mut Counter, number: u64) -> u64 {
    state.append(Expected::Any, &numbers(number, 1)).unwrap();
    state.commands += 1;
    state.commands
}

#[test]
fn a_command_answers_before_the_barrier_and_its_handle_resolves_after_it() {
    let log = Arc::new(Slow::default());
    let bus = counting(log.clone());
    let gate = log.gate.lock().unwrap();
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
    let gate = log.gate.lock().unwrap();
    let first = send(0);
    // The bus thread waits at the gate, in the barrier of the first command.
    while log.waiting.load(Ordering::SeqCst) == 0 {
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
    assert_eq!(log.barriers.load(Ordering::SeqCst), 3, "one, 64 and 64");
    run(bus.close()).unwrap();
}

#[test]
fn the_state_is_refreshed_before_the_first_command_and_then_at_intervals() {
    run(async {
        let bus = counting(Arc::new(MemoryLog::new()));
        assert_eq!(bus.query(|state| state.refreshed).await.unwrap(), 1);
        assert_eq!(bus.query(|state| state.refreshed).await.unwrap(), 1);
        tokio::time::sleep(REFRESH_INTERVAL).await;
        assert_eq!(bus.query(|state| state.refreshed).await.unwrap(), 2);
        bus.close().await.unwrap();
    });
}

#[test]
fn a_bus_that_is_dropped_writes_what_it_accepted() {
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let bus = start(Arc::new(log));
    bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap();
    drop(bus);
    // The writer lets go of the log behind the scenes.
    let log = loop {
        match SledLog::open(directory.path()) {
            Err(LogError::InUse { .. }) => thread::yield_now(),
            other => break other.unwrap().0,
        }
    };
    assert_eq!(log.head().unwrap(), Position(1));
}
