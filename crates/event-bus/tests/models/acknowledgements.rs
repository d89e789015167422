//! Acknowledgements: after the barrier, in order, and only for recorded events.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use event_bus::{Appended, Bus, BusError, EventLog, Expected, LogError, State as _};
use event_core::Position;

use crate::{
    explore::{block_on, explore, thread},
    support::{new_event, new_events},
    watched_log::{self, WatchedLog},
};

/// Appends one event, and asserts that an acknowledged event is durable and published.
fn append(bus: &Bus, log: &Arc<WatchedLog>, number: u64) -> Appended {
    let appended = bus.append_blocking(Expected::Any, vec![new_event(number)]).unwrap();
    assert_eq!(
        log.find(new_event(number).id).unwrap(),
        Some(appended.positions[0]),
        "acknowledged and not yet durable"
    );
    assert!(appended.head <= bus.head(), "acknowledged and not yet published");
    appended
}

#[test]
fn an_acknowledged_event_is_durable_and_published_and_positions_have_no_holes() {
    explore("two producers", 3, || {
        let (log, bus) = watched_log::start();
        let other = thread::spawn({
            let (log, bus) = (log.clone(), bus.clone());
            move || append(&bus, &log, 1)
        });
        let mine = append(&bus, &log, 2);
        let mut positions = vec![mine.positions[0], other.join().unwrap().positions[0]];
        positions.sort();
        assert_eq!(positions, [Position(1), Position(2)]);
    });
}

/// Results of two batches in flight arrive in the order in which the batches were sent.
#[test]
fn one_producer_gets_its_answers_in_the_order_of_its_batches() {
    explore("two batches in flight", 3, || {
        let (_log, bus) = watched_log::start();
        let mut first = pin!(bus.append(Expected::Any, vec![new_event(1)]));
        let mut second = pin!(bus.append(Expected::At(Position(1)), new_events(2..4)));
        let mut answered = None;
        let later = block_on(poll_fn(|context| {
            if answered.is_none() {
                answered = ready(first.as_mut().poll(context));
            }
            let later = ready(second.as_mut().poll(context));
            if later.is_some() && answered.is_none() {
                // The first result was sent before the second, so it is available now.
                answered = ready(first.as_mut().poll(context));
                assert!(answered.is_some(), "the second batch was answered before the first");
            }
            later.map_or(Poll::Pending, Poll::Ready)
        }));
        assert_eq!(answered.unwrap().unwrap().positions, [Position(1)]);
        assert_eq!(later.unwrap().positions, [Position(2), Position(3)]);
    });
}

/// Returns the value of a ready poll; `None` if it is pending.
fn ready<T>(poll: Poll<T>) -> Option<T> {
    match poll {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn a_command_is_durable_when_its_handle_resolves_and_is_seen_by_the_next_command() {
    explore("command and its handle", 2, || {
        let (log, bus) = watched_log::start();
        let other = thread::spawn({
            let (log, bus) = (log.clone(), bus.clone());
            move || record(&bus, &log, 1)
        });
        let mine = record(&bus, &log, 2);
        let mut staged_before = [mine, other.join().unwrap()];
        staged_before.sort_unstable();
        assert_eq!(staged_before, [0, 1], "commands run one after the other, and the second sees the first");
    });
}

/// Records one event by a command, waits until it is durable, and returns the number of events that were staged before
/// it.
fn record(bus: &Bus, log: &Arc<WatchedLog>, number: u64) -> u64 {
    block_on(async {
        let (staged_before, durable) = bus
            .command(move |state| {
                let appended = state.append(Expected::Any, &[new_event(number)]).unwrap();
                appended.head.0 - 1
            })
            .await
            .unwrap();
        durable.wait().await.unwrap();
        assert!(log.find(new_event(number).id).unwrap().is_some(), "the handle resolved before the barrier");
        assert!(Position(staged_before) < bus.head(), "durable and not yet published");
        staged_before
    })
}

#[test]
fn a_failed_barrier_reaches_every_caller_that_waits_for_it_and_nothing_is_published_after_it() {
    explore("a barrier that fails", 3, || {
        let (log, bus) = watched_log::failing_after(2);
        let other = thread::spawn({
            let bus = bus.clone();
            move || bus.append_blocking(Expected::Any, vec![new_event(1)])
        });
        let mine = bus.append_blocking(Expected::Any, vec![new_event(2)]);
        let answers = [mine, other.join().unwrap()];
        let acknowledged = answers.iter().flatten().count() as u64;
        for refused in answers.iter().filter_map(|answer| answer.as_ref().err()) {
            assert!(matches!(refused, BusError::Log(LogError::Stopped { .. })), "{refused}");
        }
        assert_eq!((log.head().unwrap(), bus.head()), (Position(acknowledged), Position(acknowledged)));
    });
}

#[test]
fn a_failed_barrier_reaches_the_handle_of_a_command_and_every_later_command() {
    explore("a barrier that fails under a command", 2, || {
        let (log, bus) = watched_log::failing_after(0);
        let other = thread::spawn({
            let bus = bus.clone();
            move || bus.append_blocking(Expected::Any, vec![new_event(1)])
        });
        block_on(async {
            let sent = bus.command(|state| drop(state.append(Expected::Any, &[new_event(2)]))).await;
            let failed = match sent {
                Ok(((), durable)) => durable.wait().await,
                Err(error) => Err(error),
            };
            assert!(matches!(failed, Err(BusError::Log(LogError::Stopped { .. }))), "{failed:?}");
            let later = bus.query(|_| ()).await;
            assert!(matches!(later, Err(BusError::Log(LogError::Stopped { .. }))), "{later:?}");
        });
        let appended = other.join().unwrap();
        assert!(matches!(appended, Err(BusError::Log(LogError::Stopped { .. }))), "{appended:?}");
        assert_eq!((log.head().unwrap(), bus.head()), (Position::ORIGIN, Position::ORIGIN));
    });
}
