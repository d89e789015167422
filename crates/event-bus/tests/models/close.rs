//! Closing: it loses nothing accepted, refuses the rest, ends everyone who follows, and comes to an end.

use event_bus::{BusError, EventLog, Expected};
use event_core::Position;

use crate::{
    explore::{explore, thread},
    follow::follow,
    support::{all, new_event},
    watched_log::WatchedLog,
};

#[test]
fn what_is_accepted_while_the_bus_closes_is_recorded_and_the_rest_is_refused() {
    explore("append against close", 3, || {
        let (log, bus) = WatchedLog::start();
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
fn a_producer_that_waits_for_room_is_refused_when_the_bus_closes() {
    explore("two producers against close", 2, || {
        let (log, bus) = WatchedLog::start();
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
fn closing_twice_at_once_comes_to_an_end() {
    explore("close against close", 3, || {
        let (log, bus) = WatchedLog::start();
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

#[test]
fn a_subscriber_gets_everything_that_was_accepted_before_it_ends() {
    explore("subscriber against close", 2, || {
        let (log, bus) = WatchedLog::start();
        let subscription = bus.subscribe(Position::ORIGIN);
        let follower = thread::spawn(move || follow(subscription));
        bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap();
        bus.close_blocking().unwrap();
        assert_eq!(follower.join().unwrap(), all(&*log));
    });
}

#[test]
fn a_bus_that_is_dropped_writes_what_it_accepted_and_ends() {
    explore("drop against drop", 2, || {
        let (log, bus) = WatchedLog::start();
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
