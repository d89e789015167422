//! A projection's state that follows the log.

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

/// The state of `P`, following the log until the bus is closed or the last clone of the view is dropped.
#[derive(Debug)]
pub struct View<P> {
    state: Arc<RwLock<Projected<P>>>,
    progress: watch::Receiver<Progress>,
}

/// How far the view has come.
#[derive(Debug, Clone)]
struct Progress {
    position: Position,
    /// Why it will not come further.
    failed: Option<BusError>,
}

impl<P> Clone for View<P> {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state), progress: self.progress.clone() }
    }
}

impl<P: Projection> View<P> {
    /// Looks at the state and the position it stands at, together. The view stands still while `look` runs.
    pub fn read<R>(&self, look: impl FnOnce(&P, Position) -> R) -> R {
        let projected = self.state.read().unwrap_or_else(PoisonError::into_inner);
        look(projected.state(), projected.position())
    }

    /// Returns once the state includes a position: read your own writes.
    ///
    /// # Errors
    /// What stopped the projection, or [`BusError::Closed`] when the bus closed before that position.
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

/// The task behind a view.
struct Follower<P> {
    log: Arc<dyn EventLog>,
    heads: watch::Receiver<Position>,
    state: Arc<RwLock<Projected<P>>>,
    progress: watch::Sender<Progress>,
    saved: Position,
}

/// Catches up, then follows in a task of its own.
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
    async fn run(mut self) -> Result<(), BusError> {
        let outcome = self.follow().await;
        if let Err(error) = &outcome {
            tracing::error!(projection = P::NAME, %error, "a view stopped");
            self.progress.send_modify(|progress| progress.failed = Some(error.clone()));
        }
        outcome
    }

    async fn follow(&mut self) -> Result<(), BusError> {
        // Either the head moves, or the bus closes, or nobody looks any more.
        while let Some(Ok(())) = race(self.heads.changed(), self.progress.closed()).await {
            self.catch_up().await?;
        }
        self.catch_up().await?;
        self.save_if(|position, saved| position != saved).await
    }

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
