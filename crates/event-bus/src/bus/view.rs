//! [`View`], the state of a projection that a task folds new events into.

use std::sync::{Arc, PoisonError};

use event_core::{Position, Projected, Projection};

use super::{BusError, race::run_until};
use crate::{
    EventLog, fold,
    sync::{
        RwLock,
        task::{self, JoinHandle, spawn_blocking},
        watch,
    },
};

/// A handle for reading the state of projection `P`, which a background task keeps up to date: the task folds each new
/// event into the state, until the bus is closed or the last clone of the handle is dropped.
#[derive(Debug)]
pub struct View<P> {
    /// The state, shared with the task.
    state: Arc<RwLock<Projected<P>>>,
    /// Progress of the task. The channel is closed when the task has ended.
    progress: watch::Receiver<Progress>,
}

/// The progress of a view's task: the position up to which it has folded the log, and its error if it failed.
#[derive(Debug, Clone)]
struct Progress {
    /// Position of the last folded event.
    position: Position,
    /// Error that stopped the task; `None` while it runs or if it ended regularly.
    failure: Option<BusError>,
}

impl<P> Clone for View<P> {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state), progress: self.progress.clone() }
    }
}

impl<P: Projection> View<P> {
    /// Calls `reader` with the state and the position of the last event folded into it, and returns its result. No
    /// event is folded while `reader` runs.
    pub fn read<R>(&self, reader: impl FnOnce(&P, Position) -> R) -> R {
        let projected = self.state.read().unwrap_or_else(PoisonError::into_inner);
        reader(projected.state(), projected.position())
    }

    /// Waits until the event at `position` is folded into the state, so that a caller can read the effect of its own
    /// events.
    ///
    /// # Errors
    /// The error that stopped the task of the view, or [`BusError::Closed`] if the task ended before that position.
    pub async fn wait_for(&self, position: Position) -> Result<(), BusError> {
        let mut progress = self.progress.clone();
        let current_progress = progress
            .wait_for(|progress| position <= progress.position || progress.failure.is_some())
            .await
            .map_err(|_| BusError::Closed)?;
        match &current_progress.failure {
            Some(error) if current_progress.position < position => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

/// The task of a view: folds new events into the projection's state and saves checkpoints, from the start of the view
/// until the bus is closed.
struct ViewTask<P> {
    /// The log that events are read from and checkpoints are saved in.
    log: Arc<dyn EventLog>,
    /// Position of the last durable event. Closed when the bus thread has ended.
    heads: watch::Receiver<Position>,
    /// The state, shared with the handles of the view.
    state: Arc<RwLock<Projected<P>>>,
    /// Publishes the progress. Closed when the last clone of the view is dropped.
    progress: watch::Sender<Progress>,
    /// Position of the last checkpoint.
    saved: Position,
}

/// Starts a view of projection `P`: loads its checkpoint, folds the log up to its head, and starts the task that folds
/// new events. Returns the view and the task.
///
/// # Errors
/// [`BusError::Log`], [`BusError::Projection`] or [`BusError::Checkpoint`] if the projection cannot catch up or be
/// saved, [`BusError::FollowerLost`] if folding panics.
pub(super) async fn start<P: Projection + Sync>(
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
) -> Result<(View<P>, JoinHandle<Result<(), BusError>>), BusError> {
    let projection = {
        let log = Arc::clone(&log);
        spawn_blocking(move || fold::resume::<P>(&*log)).await.map_err(|_| BusError::FollowerLost)??
    };
    let saved = projection.position();
    let (progress, progress_receiver) = watch::channel(Progress { position: saved, failure: None });
    let state = Arc::new(RwLock::new(projection));
    let view = View { state: Arc::clone(&state), progress: progress_receiver };
    let mut task = ViewTask { log, heads, state, progress, saved };
    task.catch_up().await?;
    Ok((view, task::spawn(task.run())))
}

impl<P: Projection + Sync> ViewTask<P> {
    /// Folds new events into the view's state until the bus or the view is closed. A failure is logged, reported to the
    /// handles of the view, and returned.
    async fn run(mut self) -> Result<(), BusError> {
        let outcome = self.follow().await;
        if let Err(error) = &outcome {
            tracing::error!(projection = P::NAME, %error, "a view stopped");
            self.progress.send_modify(|progress| progress.failure = Some(error.clone()));
        }
        outcome
    }

    /// Folds new events until the bus is closed or the last clone of the view is dropped, then saves a checkpoint.
    async fn follow(&mut self) -> Result<(), BusError> {
        while let Some(Ok(())) = run_until(self.heads.changed(), self.progress.closed()).await {
            self.catch_up().await?;
        }
        self.catch_up().await?;
        self.save_if(|position, saved| position != saved).await
    }

    /// Folds all events up to the head of the log into the view's state. Saves a checkpoint whenever
    /// [`fold::is_checkpoint_due`] returns true.
    async fn catch_up(&mut self) -> Result<(), BusError> {
        let head = *self.heads.borrow_and_update();
        while self.progress.borrow().position < head {
            let (log, state) = (Arc::clone(&self.log), Arc::clone(&self.state));
            let step = spawn_blocking(move || {
                let mut projection = state.write().unwrap_or_else(PoisonError::into_inner);
                fold::advance(&*log, &mut projection)?;
                Ok::<_, BusError>(projection.position())
            });
            let position = step.await.map_err(|_| BusError::FollowerLost)??;
            self.progress.send_modify(|progress| progress.position = position);
            self.save_if(fold::is_checkpoint_due).await?;
        }
        Ok(())
    }

    /// Saves a checkpoint of the view's state if `is_due` returns true. Its arguments are the position of the state and
    /// the position of the last checkpoint.
    async fn save_if(&mut self, is_due: fn(Position, Position) -> bool) -> Result<(), BusError> {
        let position = self.progress.borrow().position;
        if !is_due(position, self.saved) {
            return Ok(());
        }
        let (log, state) = (Arc::clone(&self.log), Arc::clone(&self.state));
        let save = spawn_blocking(move || {
            // The state is encoded under the lock and written after it, so that readers do not wait for the disk.
            let checkpoint = fold::encode_checkpoint(&state.read().unwrap_or_else(PoisonError::into_inner))?;
            Ok::<_, BusError>(fold::save_checkpoint(&*log, P::NAME, &checkpoint)?)
        });
        save.await.map_err(|_| BusError::FollowerLost)??;
        self.saved = position;
        Ok(())
    }
}
