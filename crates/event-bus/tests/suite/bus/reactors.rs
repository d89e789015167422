//! Reactors: their start position, the events they record, failures, and closing the bus.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use async_trait::async_trait;
use event_bus::{Delivery, EventLog as _, Expected, MemoryLog, Reactor, RetryAfter, SledLog, View};
use event_core::{NewEvent, Position, Recorded};

use super::{numbers, start};
use crate::support::{Kinds, run};

/// Creates an event that follows from `event`: the id is derived from it, and the cause is its id.
pub(super) fn answer(event: &Recorded) -> NewEvent {
    let mut answer = event.event.clone();
    answer.id = event.event.id.then("answer", 0);
    answer.kind = "test.answered".into();
    answer.caused_by(event.event.id)
}

/// A reactor that records one event for each `turn.started`.
struct Answers {
    /// Number of events recorded by all instances that share it.
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

/// A reactor ignores events before its first start, continues after the last handled event when it is started again,
/// and handles none twice after a regular close.
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

/// A reactor that never completes.
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

/// Closing a bus does not wait longer for a reactor than its drain limit. The unfinished events are not saved as
/// handled.
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

/// A reactor that fails twice, and records the arguments of all attempts.
#[derive(Default)]
struct Unreliable {
    /// Number of attempts.
    attempts: u32,
    /// Number of each attempt, and the last position it was called with.
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
