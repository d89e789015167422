//! Readers that follow the log: subscriptions and views.

use std::sync::Arc;

use event_bus::{BusError, Delivery, EventLog as _, Expected, MemoryLog, SledLog, View, fold, save};
use event_core::{Checkpoint, Position, Projected, Timestamp};

use super::{numbers, start};
use crate::support::{Kinds, all, run};

/// A subscription that starts in a log to which events are appended delivers all of them, in order and once.
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

/// After `wait_for` a view includes the appended event. A later bus resumes the view from the checkpoint that closing
/// saved.
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

/// A projection that resumes from a checkpoint at any position has the same state as one folded from the first event. A
/// checkpoint after the head is ignored.
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
