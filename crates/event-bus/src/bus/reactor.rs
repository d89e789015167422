//! Reactors: tasks that cause effects outside the log for its events, and record the outcome as further events.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use event_core::{Checkpoint, NewEvent, Position, Recorded};
use tracing::{Instrument as _, Span, field::Empty};

use super::{BusError, State, queue::JobSender, race::run_until, subscription::read_after};
use crate::{
    EventLog, Expected, LogError, MAX_BATCH_EVENTS, fold,
    sync::{
        sleep,
        task::{self, JoinHandle, spawn_blocking},
        watch,
    },
};

/// Maximum number of events in one call of [`Reactor::react`].
const EVENTS_PER_CALL: usize = 512;

/// Number of handled events after which the position is saved, even if the reactor has not reached the head.
const EVENTS_PER_SAVE: u64 = 1_024;

/// Version of a reactor's checkpoint, which has a position and no state.
const CHECKPOINT_VERSION: u32 = 1;

/// A handler that causes effects outside the log for its events, such as requests to a service.
///
/// Every event recorded after the reactor's first start is handled at least once: the position of the last handled
/// event is saved at the head and every 1,024 events, and after a crash the events since then are handled again.
/// Rebuilding projections runs no reactor.
#[async_trait]
pub trait Reactor: Send + 'static {
    /// Returns the name under which its position is saved in the log. Third parties use a prefix, as in `acme.pager`.
    fn name(&self) -> &'static str;

    /// Restores state that depends on events up to `handled`, the position of the last handled event. Called once, on a
    /// thread that may block, before the first [`Reactor::react`]. The default does nothing.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read. The reactor is then not started.
    fn resume(&mut self, log: &dyn EventLog, handled: Position) -> Result<(), LogError> {
        let _ = (log, handled);
        Ok(())
    }

    /// Returns the time to wait for more events after the first new one, so that they are handled in one call; zero by
    /// default.
    fn batch_delay(&self) -> Duration {
        Duration::ZERO
    }

    /// Returns the maximum time to reach the head once the bus closes; 2 s by default. Events not handled by then are
    /// handled at the next start.
    fn drain_limit(&self) -> Duration {
        Duration::from_secs(2)
    }

    /// Handles consecutive events, at most 512, and returns events that record the outcome; the bus appends them. A
    /// permanent failure is such an event too.
    ///
    /// Derive their ids from the cause (`event.event.id.then(kind, n)`), so that a repetition is recorded once.
    ///
    /// # Errors
    /// [`RetryAfter`] if the events cannot be handled now; the same events are then handled again.
    async fn react(&mut self, events: &[Recorded]) -> Result<Vec<NewEvent>, RetryAfter>;
}

/// A temporary failure to handle events; contains the time to wait before they are handled again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryAfter(pub Duration);

/// The time between two attempts to append to a full disk.
const FULL_DISK_DELAY: Duration = Duration::from_secs(1);

/// The task of one reactor: passes the log's new events to the reactor, and appends the events that it returns. Runs
/// from the start of the reactor until the bus closes.
struct ReactorTask<S> {
    /// The reactor.
    reactor: Box<dyn Reactor>,
    /// The log that events are read from and the position is saved in.
    log: Arc<dyn EventLog>,
    /// Appends the events that the reactor returns.
    jobs: JobSender<S>,
    /// Position of the last durable event. Closed when the bus thread has ended.
    heads: watch::Receiver<Position>,
    /// Whether the bus is closing.
    closing: watch::Receiver<bool>,
    /// Position of the last handled event.
    handled: Position,
    /// Position in the last saved checkpoint.
    saved: Position,
}

/// Loads a reactor's position in the log, resumes the reactor, and starts its task. Without a saved position, or with
/// one after the head, the reactor begins at the head of the log, and this position is saved.
///
/// # Errors
/// [`BusError::Log`] if the position cannot be read or saved or [`Reactor::resume`] fails, [`BusError::FollowerLost`]
/// if `resume` panics.
pub(super) async fn start<S: State>(
    reactor: Box<dyn Reactor>,
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    closing: watch::Receiver<bool>,
    jobs: JobSender<S>,
) -> Result<JoinHandle<Result<(), BusError>>, BusError> {
    let head = *heads.borrow();
    let resume = {
        let log = Arc::clone(&log);
        let mut reactor = reactor;
        spawn_blocking(move || {
            let checkpoint = fold::load_checkpoint(&*log, &checkpoint_name(&*reactor))?;
            // A position beyond the head belongs to a log that was replaced.
            let saved = checkpoint.map(|saved| saved.position).filter(|position| *position <= head);
            reactor.resume(&*log, saved.unwrap_or(head))?;
            Ok::<_, LogError>((reactor, saved))
        })
    };
    let (reactor, saved) = resume.await.map_err(|_| BusError::FollowerLost)??;
    let handled = saved.unwrap_or(head);
    let mut task = ReactorTask { reactor, log, jobs, heads, closing, handled, saved: handled };
    if saved.is_none() {
        task.save().await?;
    }
    Ok(task::spawn(task.run()))
}

/// Returns the name of the checkpoint that contains the reactor's position: `reactor.NAME`.
fn checkpoint_name(reactor: &dyn Reactor) -> String {
    format!("reactor.{}", reactor.name())
}

impl<S: State> ReactorTask<S> {
    /// Passes events to the reactor until the bus closes and all events are handled, or the reactor's drain limit has
    /// passed. Then saves the position. A failure is logged and returned.
    async fn run(mut self) -> Result<(), BusError> {
        let name = self.reactor.name();
        let drain_limit_passed = wait_for_drain_limit(self.closing.clone(), self.reactor.drain_limit());
        let follow_result = match run_until(self.follow(), drain_limit_passed).await {
            // Events whose outcome could not be recorded are handled at the next start.
            None | Some(Err(BusError::Closed)) => Ok(()),
            Some(outcome) => outcome,
        };
        let save_result = if self.handled == self.saved { Ok(()) } else { self.save().await };
        let outcome = follow_result.and(save_result);
        if let Err(error) = &outcome {
            tracing::error!(reactor = name, %error, "a reactor stopped");
        }
        outcome
    }

    /// Passes events to the reactor until the bus closes and all events are handled. Saves the position whenever all
    /// events are handled, and every [`EVENTS_PER_SAVE`] events.
    async fn follow(&mut self) -> Result<(), BusError> {
        loop {
            let is_closing = self.is_closing();
            let head = *self.heads.borrow_and_update();
            if self.handled == head {
                if self.saved != self.handled {
                    self.save().await?;
                }
                if is_closing || !self.wait_for_events().await {
                    return Ok(());
                }
                continue;
            }
            let events = read_after(Arc::clone(&self.log), self.handled, EVENTS_PER_CALL).await?;
            let span = self.step_span(&events);
            if !self.handle(&events).instrument(span).await? {
                return Ok(());
            }
            if EVENTS_PER_SAVE <= self.handled.0.saturating_sub(self.saved.0) {
                self.save().await?;
            }
        }
    }

    /// Returns whether the bus has begun to close.
    fn is_closing(&self) -> bool {
        *self.closing.borrow()
    }

    /// Waits for new events in the log and then for the reactor's batch delay; both waits end early if the bus closes.
    /// Returns false if the bus thread has ended.
    async fn wait_for_events(&mut self) -> bool {
        let head_change = run_until(self.heads.changed(), wait_for_closing(self.closing.clone())).await;
        if head_change.is_some_and(|head_change| head_change.is_err()) {
            return false;
        }
        let delay = self.reactor.batch_delay();
        self.pause(delay).await;
        true
    }

    /// Sleeps for `time`, or until the bus closes if that is earlier.
    async fn pause(&mut self, time: Duration) {
        if time.is_zero() {
            return;
        }
        run_until(sleep(time), wait_for_closing(self.closing.clone())).await;
    }

    /// Creates the tracing span of one step of the reactor: handling `events`, with all repeated attempts, and
    /// appending the events it returns.
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

    /// Calls the reactor with `events` until it succeeds, waiting between attempts as long as it asks for, and appends
    /// the events it returns. Returns false if the bus closes and the last attempt fails too; the events then count as
    /// not handled.
    async fn handle(&mut self, events: &[Recorded]) -> Result<bool, BusError> {
        for attempt in 1_u64.. {
            Span::current().record("attempts", attempt);
            // Read before the attempt: if the bus closes during the attempt, one more is made.
            let is_last_attempt = self.is_closing();
            match self.reactor.react(events).await {
                Ok(outcome) => {
                    Span::current().record("recorded", outcome.len());
                    for batch in outcome.chunks(MAX_BATCH_EVENTS) {
                        self.append(batch).await?;
                    }
                    if let Some(last) = events.last() {
                        self.handled = last.position;
                    }
                    return Ok(true);
                }
                Err(RetryAfter(_)) if is_last_attempt => return Ok(false),
                Err(RetryAfter(time)) => self.pause(time).await,
            }
        }
        Ok(false)
    }

    /// Appends a batch of the reactor's events to the log. While the disk is full, repeats the attempt every
    /// [`FULL_DISK_DELAY`], until there is room or the bus closes.
    async fn append(&mut self, batch: &[NewEvent]) -> Result<(), BusError> {
        loop {
            match self.jobs.append(Expected::Any, batch.to_vec()).await {
                Err(BusError::Log(error)) if error.is_out_of_room() && !self.is_closing() => {
                    self.pause(FULL_DISK_DELAY).await;
                }
                appended => return appended.map(drop),
            }
        }
    }

    /// Saves the position of the last event that the reactor has handled as its checkpoint in the log. A full disk is
    /// only logged.
    async fn save(&mut self) -> Result<(), BusError> {
        let (log, name) = (Arc::clone(&self.log), checkpoint_name(&*self.reactor));
        let checkpoint = Checkpoint { version: CHECKPOINT_VERSION, position: self.handled, state: Vec::new() };
        let save_task = spawn_blocking(move || fold::save_checkpoint(&*log, &name, &checkpoint));
        save_task.await.map_err(|_| BusError::FollowerLost)??;
        self.saved = self.handled;
        Ok(())
    }
}

/// Waits until the bus is closing or has ended.
async fn wait_for_closing(mut closing: watch::Receiver<bool>) {
    drop(closing.wait_for(|closing| *closing).await);
}

/// Waits until `limit` has passed since the bus began to close.
async fn wait_for_drain_limit(closing: watch::Receiver<bool>, limit: Duration) {
    wait_for_closing(closing).await;
    sleep(limit).await;
}
