//! Subscriptions that start at any position and time, while batches are appended, deliver the events of the reference.

use std::{cell::Cell, sync::Arc, thread};

use event_bus::{Appender, Bus, BusError, Delivery, EventLog, Expected, ManualClock, MemoryLog, SledLog, Subscription};
use event_core::{Position, Recorded, Timestamp};
use proptest::{collection::vec, prelude::*};

use super::{
    on_random,
    vector::{Answer, Vector, answer},
};
use crate::support::{in_memory, new_event, run, times};

/// Time at which every event is recorded.
const NOW: u64 = 1_000;

/// Batches to append, and subscriptions that follow them.
#[derive(Debug, Clone)]
struct Story {
    /// The expected head of each batch (`None` for any), and the numbers of its events.
    batches: Vec<(Option<u64>, Vec<u64>)>,
    /// The subscriptions.
    subscribers: Vec<Subscriber>,
}

/// A subscription, and when it starts.
#[derive(Debug, Clone)]
struct Subscriber {
    /// Length of the log at which the subscription starts; it also starts when the log is closed before.
    when: u64,
    /// Position after which it starts, possibly beyond the end.
    after: u64,
}

/// Generates stories.
fn story() -> impl Strategy<Value = Story> {
    let batch = (proptest::option::weighted(0.1, 0..90_u64), vec(0..300_u64, 0..10));
    let subscriber =
        (0..150_u64, prop_oneof![Just(0), 0..200_u64]).prop_map(|(when, after)| Subscriber { when, after });
    (vec(batch, 1..60), vec(subscriber, 1..6)).prop_map(|(batches, subscribers)| Story { batches, subscribers })
}

/// Appends the batches of a story, each after the result of the previous one. Returns the results.
fn tell(bus: &Bus, batches: &[(Option<u64>, Vec<u64>)]) -> Vec<Answer> {
    let tell = |(expected, numbers): &(Option<u64>, Vec<u64>)| {
        let expected = expected.map_or(Expected::Any, |expected| Expected::At(Position(expected)));
        match bus.append_blocking(expected, numbers.iter().copied().map(new_event).collect()) {
            Ok(appended) => answer(Ok(appended)),
            Err(BusError::Log(refused)) => answer(Err(refused)),
            Err(other) => panic!("{other}"),
        }
    };
    batches.iter().map(tell).collect()
}

/// Collects the delivered events until the bus is closed. Asserts that `CaughtUp` is never delivered twice in a row.
async fn follow(mut subscription: Subscription) -> Vec<Recorded> {
    let (mut delivered, mut caught_up) = (Vec::new(), false);
    while let Some(delivery) = subscription.next().await.unwrap() {
        match delivery {
            Delivery::Event(event) => {
                delivered.push(event);
                caught_up = false;
            }
            Delivery::CaughtUp => {
                assert!(!caught_up, "caught up twice without an event in between");
                caught_up = true;
            }
        }
    }
    delivered
}

/// Waits until the log has the length `position` or is closed. Returns the bus.
async fn comes_to(bus: Bus, position: u64) -> Bus {
    let mut waiting = bus.subscribe(Position::ORIGIN);
    while bus.head() < Position(position) && waiting.next().await.unwrap().is_some() {}
    bus
}

/// Runs a story on a log, and compares results and deliveries with the reference. Returns the number of delivered
/// events.
fn agrees(log: Arc<dyn EventLog>, story: &Story) -> u64 {
    let mut vector = Vector::default();
    let wanted: Vec<Answer> = story
        .batches
        .iter()
        .map(|(expected, numbers)| {
            vector.append(*expected, NOW, &numbers.iter().copied().map(new_event).collect::<Vec<_>>())
        })
        .collect();
    let bus = Bus::start(Appender::new(log, ManualClock::new(Timestamp(NOW)))).unwrap();
    run(async {
        let followers: Vec<_> = story
            .subscribers
            .iter()
            .cloned()
            .map(|Subscriber { when, after }| {
                let bus = bus.clone();
                tokio::spawn(async move {
                    let subscription = comes_to(bus, when).await.subscribe(Position(after));
                    (after, follow(subscription).await)
                })
            })
            .collect();
        let (teller, batches) = (bus.clone(), story.batches.clone());
        let teller = thread::spawn(move || tell(&teller, &batches));
        // The followers run meanwhile.
        while !teller.is_finished() {
            tokio::task::yield_now().await;
        }
        assert_eq!(teller.join().unwrap(), wanted);
        bus.close().await.unwrap();
        let mut events = 0;
        for follower in followers {
            let (after, delivered) = follower.await.unwrap();
            let wanted: Vec<_> =
                vector.events.iter().filter(|event| Position(after) < event.position).cloned().collect();
            assert_eq!(delivered, wanted, "what is delivered after position {after}");
            events += delivered.len() as u64;
        }
        events
    })
}

#[test]
fn subscribers_that_start_anywhere_see_what_the_vector_holds_in_order_and_once() {
    let stories = times(64);
    let (subscribers, delivered) = (Cell::new(0), Cell::new(0));
    on_random(stories, &story(), |story| {
        let directory = in_memory();
        let (disk, _) = SledLog::open(directory.path()).unwrap();
        let logs: [Arc<dyn EventLog>; 2] = [Arc::new(MemoryLog::new()), Arc::new(disk)];
        for log in logs {
            delivered.set(delivered.get() + agrees(log, &story));
            subscribers.set(subscribers.get() + story.subscribers.len());
        }
        Ok(())
    });
    let (subscribers, delivered) = (subscribers.get(), delivered.get());
    assert!(stories * 2 <= subscribers && stories as u64 * 100 <= delivered, "{subscribers}, {delivered}");
    println!(
        "kept: model test while subscribing: {stories} stories on memory and disk, followed by {subscribers} subscribers that started \
         anywhere: {delivered} events delivered, each once and in order"
    );
}
