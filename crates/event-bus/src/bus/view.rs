//! [`View`], the state of a projection that follows the log.

use std::sync::{Arc, PoisonError};

use event_core::{Position, Projected, Projection};

use super::{BusError, race::race};
use crate::{
    EventLog, fold,
    sync::{
        RwLock,
        task::{self, JoinHandle, spawn_blocking},
        watch,
    },
};

/// State of the projection `P`, which follows the log until the bus is closed or the last clone of the view is dropped.
#[derive(Debug)]
pub struct View<P> {
    /// State and position, written by the task.
    state: Arc<RwLock<Projected<P>>>,
    /// Progress of the task, for waiting.
    progress: watch::Receiver<Progress>,
}

/// Progress of a view's task, for which callers of [`View::wait_for`] wait.
#[derive(Debug, Clone)]
struct Progress {
    /// Last folded position.
    position: Position,
    /// Error that stopped the view.
    failed: Option<BusError>,
}

impl<P> Clone for View<P> {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state), progress: self.progress.clone() }
    }
}

impl<P: Projection> View<P> {
    /// Calls `look` with the state and its position. The view does not advance meanwhile.
    pub fn read<R>(&self, look: impl FnOnce(&P, Position) -> R) -> R {
        let projected = self.state.read().unwrap_or_else(PoisonError::into_inner);
        look(projected.state(), projected.position())
    }

    /// Waits until the state includes a position, so that a program can read its own writes.
    ///
    /// # Errors
    /// The error that stopped the projection; [`BusError::Closed`] if the bus closed before that position.
    pub async fn wait_for(&self, position: Position) -> Result<(), BusError> {
        let mut progress = self.progress.clone();
        let reached = progress
            .wait_for(|progress| position <= progress.position || progress.failed.is_some())
            .await
            .map_err(|_| BusError::Closed)?;
        match &reached.failed {
            Some(error) if reached.position < position => Err(error.clone()),
            _ => Ok(()),
        }
    }
}

/// Task that keeps a view up to date and saves its checkpoints.
struct Follower<P> {
    /// The log that events are read from.
    log: Arc<dyn EventLog>,
    /// The last durable position.
    heads: watch::Receiver<Position>,
    /// State and position, shared with the views.
    state: Arc<RwLock<Projected<P>>>,
    /// Progress, published to the views.
    progress: watch::Sender<Progress>,
    /// Position of the last checkpoint.
    saved: Position,
}

/// Resumes a projection from its checkpoint, folds the log to its head, and starts the task that follows it.
pub(super) async fn follow<P: Projection + Sync>(
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
) -> Result<(View<P>, JoinHandle<Result<(), BusError>>), BusError> {
    let resumed = {
        let log = Arc::clone(&log);
        spawn_blocking(move || fold::resume::<P>(&*log)).await.map_err(|_| BusError::FollowerLost)??
    };
    let saved = resumed.position();
    let (progress, watched) = watch::channel(Progress { position: saved, failed: None });
    let state = Arc::new(RwLock::new(resumed));
    let view = View { state: Arc::clone(&state), progress: watched };
    let mut follower = Follower { log, heads, state, progress, saved };
    follower.catch_up().await?;
    Ok((view, task::spawn(follower.run())))
}

impl<P: Projection + Sync> Follower<P> {
    /// Runs the task, and reports an error to the views.
    async fn run(mut self) -> Result<(), BusError> {
        let outcome = self.follow().await;
        if let Err(error) = &outcome {
            tracing::error!(projection = P::NAME, %error, "a view stopped");
            self.progress.send_modify(|progress| progress.failed = Some(error.clone()));
        }
        outcome
    }

    /// Folds new events until the bus closes or the last view is dropped, then saves a checkpoint.
    async fn follow(&mut self) -> Result<(), BusError> {
        // Ends when the bus closes or the last view is dropped.
        while let Some(Ok(())) = race(self.heads.changed(), self.progress.closed()).await {
            self.catch_up().await?;
        }
        self.catch_up().await?;
        self.save_if(|position, saved| position != saved).await
    }

    /// Folds the events up to the head, and saves a checkpoint where one is due.
    async fn catch_up(&mut self) -> Result<(), BusError> {
        let head = *self.heads.borrow_and_update();
        while self.progress.borrow().position < head {
            let (log, state) = (Arc::clone(&self.log), Arc::clone(&self.state));
            let step = spawn_blocking(move || {
                let mut projected = state.write().unwrap_or_else(PoisonError::into_inner);
                fold::advance(&*log, &mut projected)?;
                Ok::<_, BusError>(projected.position())
            });
            let position = step.await.map_err(|_| BusError::FollowerLost)??;
            self.progress.send_modify(|progress| progress.position = position);
            self.save_if(fold::is_due).await?;
        }
        Ok(())
    }

    /// Saves a checkpoint if `due`, which is called with the current and the last saved position.
    async fn save_if(&mut self, due: fn(Position, Position) -> bool) -> Result<(), BusError> {
        let position = self.progress.borrow().position;
        if !due(position, self.saved) {
            return Ok(());
        }
        let (log, state) = (Arc::clone(&self.log), Arc::clone(&self.state));
        let save = spawn_blocking(move || {
            // The state is encoded under the lock and written after it, so that readers do not wait for the disk.
            let checkpoint = fold::checkpoint(&state.read().unwrap_or_else(PoisonError::into_inner))?;
            Ok::<_, BusError>(log.save_checkpoint(P::NAME, &checkpoint)?)
        });
        save.await.map_err(|_| BusError::FollowerLost)??;
        self.saved = position;
        Ok(())
    }
}
