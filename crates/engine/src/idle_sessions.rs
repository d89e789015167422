//! Moves the state of idle sessions and workspaces out of memory into the index of the log, and back before an event of
//! the session or the workspace is folded (ADR 24).

use std::{collections::BTreeSet, sync::Arc};

use contracts::{BoundedMap, Event, SessionId};
use costs::{Costs, SessionCosts};
use event_bus::{BusError, EventLog, LogError, ProjectionSet as _, advance_all, resume_all};
use event_core::{
    Checkpoint, DecodedEvent, Position, Projected, Projection as _, ProjectionError, decode_state, encode_state,
};

use crate::{
    budgets::MAX_LINES,
    idle_workspaces::IdleWorkspaces,
    router_state::RouterState,
    sessions::{Session, SessionEvent, Sessions},
};

/// Name of the entries in the log. An entry has the states of both projections for one session.
const ENTRIES: &str = "idle-sessions";

/// The number of sessions in memory above which idle ones leave it.
const MAX_SESSIONS: usize = 2_000;

/// The saved state of a session: its part of [`Sessions`] and its part of [`Costs`]; `None` where it has no part.
type Entry = (Option<Box<Session>>, Option<Box<SessionCosts>>);

/// Decides which sessions are in memory, in the order of their latest use, and moves the state of the others to the log.
#[derive(Debug)]
pub(crate) struct IdleSessions {
    /// The number of sessions in memory above which idle ones leave it.
    limit: usize,
    /// The number of sessions in memory at which the next idle ones leave it, several at once.
    next: usize,
    /// The sessions in memory, the least recently used first.
    in_memory: BoundedMap<SessionId, ()>,
    /// Whether the log may have entries.
    has_entries: bool,
    /// Whether the checkpoints of both projections were removed, because the entries are newer.
    checkpoints_removed: bool,
    /// The workspaces whose patterns are in memory.
    workspaces: IdleWorkspaces,
    /// Whether all sessions and workspaces stay in memory, because the log cannot save or load entries.
    disabled: bool,
}

impl IdleSessions {
    /// Creates the selection without sessions, with the default limit of sessions in memory.
    pub(crate) fn new() -> Self {
        Self {
            limit: MAX_SESSIONS,
            next: next_eviction(MAX_SESSIONS),
            in_memory: BoundedMap::default(),
            has_entries: false,
            checkpoints_removed: false,
            workspaces: IdleWorkspaces::new(),
            disabled: false,
        }
    }

    /// Sets the number of sessions in memory above which idle ones leave it.
    pub(crate) const fn set_limit(&mut self, limit: usize) {
        (self.limit, self.next) = (limit, next_eviction(limit));
    }

    /// Sets the number of workspaces in memory above which the patterns of idle ones leave it.
    pub(crate) const fn set_workspace_limit(&mut self, limit: usize) {
        self.workspaces.set_limit(limit);
    }

    /// Folds the log into a state, from the checkpoints where possible. Sessions leave memory on the way.
    ///
    /// # Errors
    /// [`BusError`] if the log cannot be read or an event cannot be decoded.
    pub(crate) fn fold(&mut self, log: &dyn EventLog) -> Result<RouterState, BusError> {
        match self.try_fold(log) {
            Err(error @ BusError::Log(LogError::IndexUnavailable { .. })) => self.fold_in_memory(log, &error),
            folded => folded,
        }
    }

    /// Folds the log into a state; [`LogError::IndexUnavailable`] if an entry cannot be loaded.
    fn try_fold(&mut self, log: &dyn EventLog) -> Result<RouterState, BusError> {
        let mut state: RouterState = resume_all(log)?;
        let saved = state.sessions.position();
        // The entries belong to the checkpoints of both projections: without them they are too new.
        self.has_entries = !self.disabled && saved != Position::ORIGIN && saved == state.costs.position();
        self.checkpoints_removed = false;
        if !self.has_entries {
            state.sessions = Projected::default();
            state.costs = Projected::default();
            if !self.disabled {
                log.remove_entries(ENTRIES)?;
            }
        }
        self.workspaces.resume(log, &mut state, self.disabled)?;
        self.in_memory = BoundedMap::default();
        for (session, _) in state.sessions.iter() {
            self.in_memory.insert(session.clone(), (), usize::MAX);
        }
        for (session, _) in state.costs.sessions() {
            self.in_memory.insert(session.clone(), (), usize::MAX);
        }
        advance_all(log, &mut state, |state, event| {
            self.advance(log, state, event)?;
            self.evict(log, state);
            Ok(())
        })?;
        Ok(state)
    }

    /// Folds an event into the state, after the state of its session was loaded if it is not in memory.
    ///
    /// # Errors
    /// [`BusError`] if the event cannot be decoded, [`LogError::IndexUnavailable`] if an entry cannot be loaded: the
    /// caller folds the log again with [`IdleSessions::fold_in_memory`].
    pub(crate) fn advance(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        event: &DecodedEvent<'_, Event>,
    ) -> Result<(), BusError> {
        let position = event.recorded().position;
        if state.sessions.position() < position {
            let selected = event.select::<SessionEvent<'_>>();
            let name = Sessions::NAME;
            let selected =
                selected.map_err(|source| Arc::new(ProjectionError::Unreadable { name, position, source }))?;
            if let Some(event) = selected {
                self.load(log, state, event.session())?;
            }
        }
        self.workspaces.load_for(log, state, event)?;
        Ok(state.advance_decoded(event).map_err(Arc::new)?)
    }

    /// Marks a workspace as used, and loads its patterns if they are not in memory. The path is empty for turns without a
    /// workspace.
    ///
    /// # Errors
    /// Those of [`IdleSessions::advance`].
    pub(crate) fn load_workspace(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        workspace: &str,
    ) -> Result<(), BusError> {
        self.workspaces.load(log, state, workspace)
    }

    /// Marks a session as used, and loads its state if it is not in memory. Does nothing else for a new session.
    ///
    /// # Errors
    /// Those of [`IdleSessions::advance`].
    pub(crate) fn load(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        session: &SessionId,
    ) -> Result<(), BusError> {
        if self.in_memory.renew(session).is_some() {
            return Ok(());
        }
        if self.has_entries
            && let Some(bytes) = log.load_entry(ENTRIES, session.as_str())?
        {
            let (saved, costs): Entry = decode_state(ENTRIES, &bytes)
                .map_err(|source| BusError::Checkpoint { name: ENTRIES, source: Arc::new(source) })?;
            if let Some(saved) = saved {
                state.sessions.state_mut().restore(session.clone(), saved);
            }
            if let Some(costs) = costs {
                state.costs.state_mut().restore_session(session.clone(), costs);
            }
        }
        self.in_memory.insert(session.clone(), (), usize::MAX);
        Ok(())
    }

    /// Moves the least recently used idle sessions and workspaces out of memory if there are more than the limits. All
    /// events in `state` must be durable. If the log cannot save them, they stay in memory.
    pub(crate) fn evict(&mut self, log: &dyn EventLog, state: &mut RouterState) {
        if self.disabled {
            return;
        }
        let evicted = self.evict_sessions(log, state).and_then(|()| self.workspaces.evict(log, state));
        if let Err(error) = evicted {
            self.disable(&error);
        }
    }

    /// Moves the least recently used idle sessions out of memory if there are more than the limit.
    fn evict_sessions(&mut self, log: &dyn EventLog, state: &mut RouterState) -> Result<(), BusError> {
        if self.in_memory.len() < self.next {
            return Ok(());
        }
        let surplus = self.in_memory.len() - self.limit;
        let largest: BTreeSet<SessionId> = state.costs.largest_sessions(MAX_LINES).into_iter().cloned().collect();
        let is_idle = |session: &&SessionId| {
            !largest.contains(*session) && state.sessions.get(session).is_none_or(Session::is_idle)
        };
        let idle: Vec<SessionId> = self.in_memory.keys().filter(is_idle).take(surplus).cloned().collect();
        self.save(log, state, &idle)?;
        for session in idle {
            state.sessions.state_mut().remove(&session);
            state.costs.state_mut().remove_session(&session);
            self.in_memory.remove(&session);
        }
        // Sessions that run cannot leave memory; they are not searched again for every event.
        self.next = next_eviction(self.limit.max(self.in_memory.len()));
        Ok(())
    }

    /// Saves the states of sessions as entries of the log.
    fn save(&mut self, log: &dyn EventLog, state: &RouterState, sessions: &[SessionId]) -> Result<(), BusError> {
        if !self.checkpoints_removed {
            let none = Checkpoint { version: 0, position: Position::ORIGIN, state: Vec::new() };
            log.save_checkpoint(Sessions::NAME, &none)?;
            log.save_checkpoint(Costs::NAME, &none)?;
            (self.checkpoints_removed, self.has_entries) = (true, true);
        }
        let mut entries = Vec::with_capacity(sessions.len());
        for session in sessions {
            // A session that was only looked up has no state.
            let entry = (state.sessions.get(session), state.costs.session(session));
            if entry == (None, None) {
                continue;
            }
            let bytes = encode_state(ENTRIES, &entry)
                .map_err(|source| BusError::Checkpoint { name: ENTRIES, source: Arc::new(source) })?;
            entries.push((session.as_str().to_owned(), bytes));
        }
        Ok(log.save_entries(ENTRIES, &entries)?)
    }

    /// Folds the log into a state of which all sessions and workspaces stay in memory.
    ///
    /// # Errors
    /// Those of [`IdleSessions::fold`].
    pub(crate) fn fold_in_memory(&mut self, log: &dyn EventLog, cause: &BusError) -> Result<RouterState, BusError> {
        self.disable(cause);
        self.try_fold(log)
    }

    /// Keeps all sessions and workspaces in memory from now on. Logs a warning, except for a log that is only read beside a running
    /// gateway: it never has entries.
    fn disable(&mut self, cause: &BusError) {
        if !self.disabled && !matches!(cause, BusError::Log(LogError::ReadOnly { .. })) {
            tracing::warn!(%cause, "the state of idle sessions and workspaces stays in memory until the log is opened again");
        }
        self.disabled = true;
    }
}

/// Returns the number of sessions at which idle ones leave memory, if `count` of them may stay: an eighth more.
const fn next_eviction(count: usize) -> usize {
    count.saturating_add(count / 8).saturating_add(1)
}
