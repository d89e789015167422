//! Effects: events in, events out, the world in between.

use std::sync::Arc;

use async_trait::async_trait;
use event_core::{Checkpoint, NewEvent, Position, Recorded};

use super::{BusError, Delivery, Subscription, producer::Producer, race::race};
use crate::{
    EventLog, Expected,
    sync::{
        task::{self, JoinHandle, spawn_blocking},
        watch,
    },
};

/// Reactions after which the place is saved, should the reactor never catch up.
const SAVE_EVERY: u64 = 256;

/// The layout of a reactor's checkpoint: a position, no state.
const VERSION: u32 = 1;

/// Something that acts on the world because of an event. Never part of a rebuild.
#[async_trait]
pub trait Reactor: Send + 'static {
    /// Key of its place in the log; third parties prefix theirs, as in `acme.pager`.
    fn name(&self) -> &'static str;

    /// Acts on an event and says what came of it. A failure is an event too.
    ///
    /// Each event is dealt with at least once: after a crash, or when the bus is closed in the middle, the last ones
    /// come again. Derive ids from the cause (`event.event.id.then(kind, n)`) and the repetition is recorded once.
    async fn react(&mut self, event: &Recorded) -> Vec<NewEvent>;
}

/// The task behind a reactor.
struct Follower {
    reactor: Box<dyn Reactor>,
    log: Arc<dyn EventLog>,
    producer: Producer,
    heads: watch::Receiver<Position>,
    done: Position,
    saved: Position,
}

/// Finds the reactor's place, then follows in a task of its own.
pub(super) async fn follow(
    reactor: Box<dyn Reactor>,
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    producer: Producer,
) -> Result<JoinHandle<Result<(), BusError>>, BusError> {
    let head = *heads.borrow();
    let name = key(&*reactor);
    let place = {
        let log = Arc::clone(&log);
        spawn_blocking(move || log.load_checkpoint(&name)).await.map_err(|_| BusError::FollowerLost)??
    };
    // A place beyond the head is from another life of the log.
    let known = place.map(|place| place.position).filter(|position| *position <= head);
    let done = known.unwrap_or(head);
    let mut follower = Follower { reactor, log, producer, heads, done, saved: done };
    if known.is_none() {
        follower.save().await?;
    }
    Ok(task::spawn(follower.run()))
}

fn key(reactor: &dyn Reactor) -> String {
    format!("reactor.{}", reactor.name())
}

impl Follower {
    async fn run(mut self) -> Result<(), BusError> {
        let name = self.reactor.name();
        let followed = match self.follow().await {
            // The bus closed while events were on their way out: they come again.
            Err(BusError::Closed) => Ok(()),
            other => other,
        };
        let saved = if self.done == self.saved { Ok(()) } else { self.save().await };
        let outcome = followed.and(saved);
        if let Err(error) = &outcome {
            tracing::error!(reactor = name, %error, "a reactor stopped");
        }
        outcome
    }

    async fn follow(&mut self) -> Result<(), BusError> {
        let mut subscription = Subscription::new(Arc::clone(&self.log), self.heads.clone(), self.done);
        while let Some(delivery) = subscription.next().await? {
            match delivery {
                Delivery::Event(recorded) => {
                    // Work in progress when the bus closes is dropped and done again next time.
                    let closed = closed(self.heads.clone());
                    let Some(events) = race(self.reactor.react(&recorded), closed).await else { return Ok(()) };
                    if !events.is_empty() {
                        self.producer.append(Expected::Any, events).await?;
                    }
                    self.done = recorded.position;
                    if SAVE_EVERY <= self.done.0.saturating_sub(self.saved.0) {
                        self.save().await?;
                    }
                }
                Delivery::CaughtUp if self.saved < self.done => self.save().await?,
                Delivery::CaughtUp => {}
            }
        }
        Ok(())
    }

    async fn save(&mut self) -> Result<(), BusError> {
        let (log, name) = (Arc::clone(&self.log), key(&*self.reactor));
        let place = Checkpoint { version: VERSION, position: self.done, state: Vec::new() };
        spawn_blocking(move || log.save_checkpoint(&name, &place)).await.map_err(|_| BusError::FollowerLost)??;
        self.saved = self.done;
        Ok(())
    }
}

/// Done when the bus is closed.
async fn closed(mut heads: watch::Receiver<Position>) {
    while heads.changed().await.is_ok() {}
}
