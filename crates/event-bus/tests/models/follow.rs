//! Following a log: every acknowledged event is delivered once and in order; the head never decreases and never
//! precedes durability.

use event_bus::{Delivery, EventLog, Expected, Subscription};
use event_core::{Position, Recorded};

use crate::{
    explore::{block_on, explore, thread},
    support::{all, new_event, new_events},
    watched_log,
};

/// Collects the deliveries of a subscription until the bus is closed.
pub(crate) fn follow(mut subscription: Subscription) -> Vec<Recorded> {
    block_on(async move {
        let mut delivered = Vec::new();
        while let Some(delivery) = subscription.next().await.unwrap() {
            if let Delivery::Event(event) = delivery {
                delivered.push(event);
            }
        }
        delivered
    })
}

#[test]
fn a_subscriber_sees_every_acknowledged_event_in_order_and_once() {
    explore("publish and subscribe", 2, || {
        let (log, bus) = watched_log::start();
        let subscription = bus.subscribe(Position::ORIGIN);
        let follower = thread::spawn(move || follow(subscription));
        bus.append_blocking(Expected::Any, vec![new_event(1)]).unwrap();
        bus.append_blocking(Expected::Any, new_events(2..4)).unwrap();
        drop(bus);
        let delivered = follower.join().unwrap();
        assert_eq!(delivered.iter().map(|event| event.event.clone()).collect::<Vec<_>>(), new_events(1..4));
        assert_eq!(delivered, all(&*log));
    });
}

/// The published head never decreases, and all events up to it are readable.
#[test]
fn the_head_never_goes_back_and_is_never_ahead_of_what_can_be_read() {
    explore("head watch", 3, || {
        let (log, bus) = watched_log::start();
        let watcher = thread::spawn({
            let bus = bus.clone();
            move || {
                let mut before = Position::ORIGIN;
                for _ in 0..3 {
                    let head = bus.head();
                    assert!(before <= head, "the head went back from {before} to {head}");
                    let readable = log.read_after(Position::ORIGIN, usize::MAX).unwrap().len() as u64;
                    assert!(head <= Position(readable), "the head is {head} and {readable} events can be read");
                    before = head;
                }
            }
        });
        for number in 1..=2 {
            let appended = bus.append_blocking(Expected::Any, vec![new_event(number)]).unwrap();
            assert_eq!(appended.head, Position(number));
        }
        watcher.join().unwrap();
    });
}
