//! Reactors: tasks that handle events by effects outside the log, and record the outcome as events.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use event_core::{Checkpoint, NewEvent, Position, Recorded};
use tracing::{Instrument as _, Span, field::Empty};

use super::{BusError, State, queue::Producer, race::race, subscription::read};
use crate::{
    EventLog, Expected, LogError, MAX_BATCH_EVENTS,
    sync::{
        sleep,
        task::{self, JoinHandle, spawn_blocking},
        watch,
    },
};

/// Maximum number of events that a reactor handles at once.
const CHUNK: usize = 512;

/// Number of events after which the position is saved if the reactor does not reach the head.
const SAVE_EVERY: u64 = 1_024;

/// Version of a reactor's checkpoint, which contains a position and no state.
const VERSION: u32 = 1;

/// A task that follows the log and has effects outside it. Never part of a rebuild.
///
/// Every event recorded after the reactor's first start is handled at least once: the position is saved after the
/// events were handled, and after a crash the events since then are delivered again.
#[async_trait]
pub trait Reactor: Send + 'static {
    /// Returns the name under which its position is saved. Third parties use a prefix, as in `acme.pager`.
    fn name(&self) -> &'static str;

    /// Restores state that depends on events before `handled`, the last position handled. Called once, on a thread that
    /// may block, before the first [`Reactor::react`].
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    fn resume(&mut self, log: &dyn EventLog, handled: Position) -> Result<(), LogError> {
        let _ = (log, handled);
        Ok(())
    }

    /// Returns the time to wait for further events after the first, so that they are handled together.
    fn batch_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the time limit for reaching the head when the bus closes. Remaining events are delivered at the next
    /// start.
    fn drain_limit(&self) -> Duration {
        Duration::from_secs(2)
    }

    /// Handles at most 512 consecutive events, and returns events that record the outcome. A failure is recorded as an
    /// event as well.
    ///
    /// Derive ids from the cause (`event.event.id.then(kind, n)`), so that a repetition is recorded once.
    ///
    /// # Errors
    /// [`RetryAfter`] if the same events are to be handled again later.
    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter>;
}

/// Error: the events cannot be handled now. Contains the time after which they are handled again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryAfter(pub Duration);

/// Task of a reactor, with its last handled and last saved position.
struct Follower<S> {
    /// The reactor.
    reactor: Box<dyn Reactor>,
    /// The log that events are read from.
    log: Arc<dyn EventLog>,
    /// Queue of the events that the reactor records.
    producer: Producer<S>,
    /// The last durable position.
    heads: watch::Receiver<Position>,
    /// Set when the bus closes.
    closing: watch::Receiver<bool>,
    /// Position of the last handled event.
    handled: Position,
    /// Last saved position.
    saved: Position,
}

/// Loads the reactor's position and starts its task.
pub(super) async fn follow<S: State>(
    reactor: Box<dyn Reactor>,
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    closing: watch::Receiver<bool>,
    producer: Producer<S>,
) -> Result<JoinHandle<Result<(), BusError>>, BusError> {
    let head = *heads.borrow();
    let load = {
        let log = Arc::clone(&log);
        let mut reactor = reactor;
        spawn_blocking(move || {
            let saved = log.load_checkpoint(&key(&*reactor))?.map(|saved| saved.position);
            // A position after the head belongs to a log that was replaced.
            let known = saved.filter(|position| *position <= head);
            reactor.resume(&*log, known.unwrap_or(head))?;
            Ok::<_, LogError>((reactor, known))
        })
    };
    let (reactor, known) = load.await.map_err(|_| BusError::FollowerLost)??;
    let handled = known.unwrap_or(head);
    let mut follower = Follower { reactor, log, producer, heads, closing, handled, saved: handled };
    if known.is_none() {
        follower.save().await?;
    }
    Ok(task::spawn(follower.run()))
}

/// Returns the key of a reactor's checkpoint.
fn key(reactor: &dyn Reactor) -> String {
    format!("reactor.{}", reactor.name())
}

impl<S: State> Follower<S> {
    async fn run(mut self) -> Result<(), BusError> {
        let name = self.reactor.name();
        let expired = expired(self.closing.clone(), self.reactor.drain_limit());
        let followed = match race(self.follow(), expired).await {
            // Closed: events whose outcome was not recorded come again.
            None | Some(Err(BusError::Closed)) => Ok(()),
            Some(other) => other,
        };
        let saved = if self.handled == self.saved { Ok(()) } else { self.save().await };
        let outcome = followed.and(saved);
        if let Err(error) = &outcome {
            tracing::error!(reactor = name, %error, "a reactor stopped");
        }
        outcome
    }

    /// Handles events until the bus closes and the head is reached.
    async fn follow(&mut self) -> Result<(), BusError> {
        loop {
            let closing = self.is_closing();
            let head = *self.heads.borrow_and_update();
            if self.handled == head {
                if self.saved != self.handled {
                    self.save().await?;
                }
                if closing || !self.wait_for_events().await {
                    return Ok(());
                }
                continue;
            }
            let events = read(Arc::clone(&self.log), self.handled, CHUNK).await?;
            let span = self.step_span(&events);
            if !self.handle(&events).instrument(span).await? {
                return Ok(());
            }
            if SAVE_EVERY <= self.handled.0.saturating_sub(self.saved.0) {
                self.save().await?;
            }
        }
    }

    fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Waits until there are new events and the batch delay has passed, or the bus closes. Returns false if the bus is
    /// gone.
    async fn wait_for_events(&mut self) -> bool {
        if race(self.heads.changed(), closed(self.closing.clone())).await.is_some_and(|changed| changed.is_err()) {
            return false;
        }
        let delay = self.reactor.batch_delay();
        self.pause(delay).await;
        true
    }

    /// Sleeps for a time, or until the bus closes.
    async fn pause(&mut self, time: Duration) {
        if time.is_zero() {
            return;
        }
        race(sleep(time), closed(self.closing.clone())).await;
    }

    /// Creates the span of one step: handling `events`, all attempts included, and recording the outcome.
    fn step_span(&self, events: &[Recorded]) -> Span {
        tracing::debug_span!(
            "reactor_step",
            reactor = self.reactor.name(),
            after = self.handled.0,
            events = events.len(),
            attempts = Empty,
            recorded = Empty,
        )
    }

    /// Handles events until the reactor succeeds, and records the outcome; false if the bus closes before that.
    async fn handle(&mut self, events: &[Recorded]) -> Result<bool, BusError> {
        for attempt in 1_u64.. {
            Span::current().record("attempts", attempt);
            // Read before the attempt: if the bus closes during it, the events get one more.
            let closing = self.is_closing();
            match self.reactor.react(events).await {
                Ok(outcome) => {
                    Span::current().record("recorded", outcome.len());
                    for batch in outcome.chunks(MAX_BATCH_EVENTS) {
                        self.producer.append(Expected::Any, batch.to_vec()).await?;
                    }
                    if let Some(last) = events.last() {
                        self.handled = last.position;
                    }
                    return Ok(true);
                }
                Err(RetryAfter(_)) if closing => return Ok(false),
                Err(RetryAfter(time)) => self.pause(time).await,
            }
        }
        Ok(false)
    }

    /// Saves the last handled position.
    async fn save(&mut self) -> Result<(), BusError> {
        let (log, name) = (Arc::clone(&self.log), key(&*self.reactor));
        let place = Checkpoint { version: VERSION, position: self.handled, state: Vec::new() };
        spawn_blocking(move || log.save_checkpoint(&name, &place)).await.map_err(|_| BusError::FollowerLost)??;
        self.saved = self.handled;
        Ok(())
    }
}

/// Waits until the bus closes.
async fn closed(mut closing: watch::Receiver<bool>) {
    drop(closing.wait_for(|closing| *closing).await);
}

/// Waits until the bus has been closing for `limit`.
async fn expired(closing: watch::Receiver<bool>, limit: Duration) {
    closed(closing).await;
    sleep(limit).await;
}
