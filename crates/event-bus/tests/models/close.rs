//! Closing a bus: accepted jobs complete, later ones are refused, followers end, and it terminates.

use async_trait::async_trait;
use event_bus::{BusError, EventLog, Expected, Reactor, RetryAfter, State as _};
use event_core::{NewEvent, Position, Recorded};

use crate::{
    explore::{block_on, explore, thread},
    follow::follow,
    support::{all, new_event},
    watched_log,
};

/// An append that races with closing is recorded or fails with `Closed`; later appends fail.
#[test]
fn what_is_accepted_while_the_bus_closes_is_recorded_and_the_rest_is_refused() {
    explore("append against close", 3, || {
        let (log, bus) = watched_log::start();
        let producer = thread::spawn({
            let bus = bus.clone();
            move || bus.append_blocking(Expected::Any, vec![new_event(1)])
        });
        bus.close_blocking().unwrap();
        let recorded = match producer.join().unwrap() {
            Ok(appended) => appended.head,
            Err(BusError::Closed) => Position::ORIGIN,
            Err(other) => panic!("{other}"),
        };
        assert_eq!((log.head().unwrap(), bus.head()), (recorded, recorded));
        assert!(matches!(bus.append_blocking(Expected::Any, vec![new_event(2)]), Err(BusError::Closed)));
    });
}

#[test]
fn of_two_producers_each_is_recorded_or_refused_when_the_bus_closes() {
    explore("two producers against close", 2, || {
        let (log, bus) = watched_log::start();
        let producers = [1, 2].map(|number| {
            let bus = bus.clone();
            thread::spawn(move || bus.append_blocking(Expected::Any, vec![new_event(number)]))
        });
        bus.close_blocking().unwrap();
        let recorded = producers.map(|producer| u64::from(producer.join().unwrap().is_ok())).iter().sum();
        assert_eq!(log.head().unwrap(), Position(recorded));
    });
}

#[test]
fn a_notification_is_durable_after_close_although_no_caller_waits_for_it() {
    explore("notify and close", 3, || {
        let (log, bus) = watched_log::start();
        bus.notify(|state| state.append(Expected::Any, &[new_event(1)]).map(drop));
        bus.close_blocking().unwrap();
        assert_eq!((log.head().unwrap(), bus.head()), (Position(1), Position(1)));
    });
}

#[test]
fn a_notification_is_published_without_any_other_command() {
    explore("notify and subscribe", 2, || {
        let (_log, bus) = watched_log::start();
        bus.notify(|state| state.append(Expected::Any, &[new_event(1)]).map(drop));
        assert_eq!(block_on(bus.head_after(Position::ORIGIN)).unwrap(), Position(1));
    });
}

/// A reactor that records one further event, for the event at position 1.
struct Answers;

#[async_trait]
impl Reactor for Answers {
    fn name(&self) -> &'static str {
        "test.answers"
    }

    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter> {
        Ok(events.iter().filter(|event| event.position == Position(1)).map(|_| new_event(2)).collect())
    }
}

#[test]
fn closing_drains_a_reactor_before_the_log_is_closed() {
    explore("reactor against close", 1, || {
        let (log, bus) = watched_log::start();
        block_on(async {
            bus.run(Box::new(Answers)).await.unwrap();
            bus.append(Expected::Any, vec![new_event(1)]).await.unwrap();
            bus.close().await.unwrap();
        });
        assert_eq!(log.head().unwrap(), Position(2), "the answer is durable");
        assert_eq!(log.load_checkpoint("reactor.test.answers").unwrap().unwrap().position, Position(2));
    });
}

/// Two concurrent calls of `close` both return, and an accepted batch is recorded.
#[test]
fn closing_twice_at_once_comes_to_an_end() {
    explore("close against close", 3, || {
        let (log, bus) = watched_log::start();
        let other = thread::spawn({
            let bus = bus.clone();
            move || bus.close_blocking()
        });
        let accepted = bus.append_blocking(Expected::Any, vec![new_event(1)]).is_ok();
        bus.close_blocking().unwrap();
        other.join().unwrap().unwrap();
        assert_eq!(log.head().unwrap(), Position(u64::from(accepted)));
    });
}

/// A subscription delivers every recorded event before it ends with the bus.
#[test]
fn a_subscriber_gets_everything_that_was_accepted_before_it_ends() {
    explore("subscriber against close", 2, || {
        let (log, bus) = watched_log::start();
        let subscription = bus.subscribe(Position::ORIGIN);
        let follower = thread::spawn(move || follow(subscription));
        bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap();
        bus.close_blocking().unwrap();
        assert_eq!(follower.join().unwrap(), all(&*log));
    });
}

/// Dropping all handles records accepted batches, and ends subscriptions after their last event.
#[test]
fn a_bus_that_is_dropped_writes_what_it_accepted_and_ends() {
    explore("drop against drop", 2, || {
        let (log, bus) = watched_log::start();
        let producer = thread::spawn({
            let bus = bus.clone();
            move || bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap()
        });
        let subscription = bus.subscribe(Position::ORIGIN);
        drop(bus);
        assert_eq!(follow(subscription), all(&*log));
        producer.join().unwrap();
        assert_eq!(log.head().unwrap(), Position(1));
    });
}
