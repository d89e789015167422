//! Producers, subscriptions, views and reactors on one log.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod support;

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
};

use async_trait::async_trait;
use event_bus::{
    Appended, Bus, BusError, Delivery, EventLog, Expected, LogError, MemoryLog, Reactor, SetClock, SledLog, View, fold,
    save,
};
use event_core::{Checkpoint, EventId, NewEvent, Position, Projected, Recorded, Timestamp};
use support::{Kinds, all, new_event, new_events, run};

fn start(log: Arc<dyn EventLog>) -> Bus {
    Bus::start(log, SetClock::at(Timestamp(1_000))).unwrap()
}

fn numbers(first: u64, count: u64) -> Vec<NewEvent> {
    new_events(first..first + count)
}

/// A log that counts its barriers and can be held up in one.
#[derive(Default)]
struct Slow {
    log: MemoryLog,
    gate: Mutex<()>,
    barriers: AtomicU64,
}

impl EventLog for Slow {
    fn append(&self, expected: Expected, at: Timestamp, batch: &[NewEvent]) -> Result<Appended, LogError> {
        self.log.append(expected, at, batch)
    }
    fn restore(&self, events: &[Recorded]) -> Result<Appended, LogError> {
        self.log.restore(events)
    }
    fn sync(&self) -> Result<(), LogError> {
        let _open = self.gate.lock().unwrap();
        self.barriers.fetch_add(1, Ordering::Relaxed);
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
    thread::sleep(std::time::Duration::from_millis(100));
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
fn many_tasks_append_through_a_small_queue() {
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
        // More than the queue has room for, so that some wait for room.
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
                view.reaches(appended.head).await.unwrap();
                assert!(appended.head <= view.read(|_, position| position));
            }
            bus.close().await.unwrap();
            let rebuilt = Projected::<Kinds>::default();
            let rebuilt = all(&*log).iter().fold(rebuilt, |mut state, event| {
                state.advance(event).unwrap();
                state
            });
            view.read(|state, position| assert_eq!((state, position), (rebuilt.state(), rebuilt.position())));
            assert!(matches!(view.reaches(Position(9_999)).await, Err(BusError::Closed)));
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

/// Answers each `turn.started` with an event that follows from it.
struct Answers {
    seen: Arc<AtomicU64>,
}

#[async_trait]
impl Reactor for Answers {
    fn name(&self) -> &'static str {
        "test.answers"
    }

    async fn react(&mut self, event: &Recorded) -> Vec<NewEvent> {
        if event.event.kind != "turn.started" {
            return Vec::new();
        }
        self.seen.fetch_add(1, Ordering::Relaxed);
        let mut answer = event.event.clone();
        answer.id = event.event.id.then("answer", 0);
        answer.kind = "test.answered".into();
        vec![answer.caused_by(event.event.id)]
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

/// Never done with anything.
struct Stuck;

#[async_trait]
impl Reactor for Stuck {
    fn name(&self) -> &'static str {
        "test.stuck"
    }

    async fn react(&mut self, _: &Recorded) -> Vec<NewEvent> {
        std::future::pending().await
    }
}

#[test]
fn closing_does_not_wait_for_a_reaction_and_leaves_it_to_be_done_again() {
    run(async {
        let log = Arc::new(MemoryLog::new());
        let bus = start(log.clone());
        bus.run(Box::new(Stuck)).await.unwrap();
        bus.append(Expected::Any, numbers(0, 5)).await.unwrap();
        tokio::task::yield_now().await;
        bus.close().await.unwrap();
        assert_eq!(log.load_checkpoint("reactor.test.stuck").unwrap().unwrap().position, Position::ORIGIN);
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
