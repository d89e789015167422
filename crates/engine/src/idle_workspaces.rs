//! Moves the learned patterns of idle workspaces out of memory into the index of the log, and back before they are read
//! or changed (ADR 24).

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{BoundedMap, Event};
use event_bus::{BusError, EventLog};
use event_core::{
    Checkpoint, CodecError, DecodedEvent, Position, Projected, Projection as _, ProjectionError, decode_state,
    encode_state,
};
use patterns::{PatternEvent, Patterns};

use crate::router_state::RouterState;

/// Name of the entries in the log with the patterns of a workspace, by its path.
const STORES: &str = "idle-workspaces";

/// Name of the entries in the log with the workspaces that have a message, by the hash of the message. They are written
/// for messages with an embedder only.
const TEXTS: &str = "idle-workspaces-texts";

/// The number of workspaces in memory above which idle ones leave it.
const MAX_WORKSPACES: usize = 200;

/// Decides the patterns of which workspaces are in memory, in the order of their latest use, and moves the others to the
/// log.
#[derive(Debug)]
pub(crate) struct IdleWorkspaces {
    /// The number of workspaces in memory above which idle ones leave it.
    limit: usize,
    /// The number of workspaces in memory at which the next idle ones leave it, several at once.
    next: usize,
    /// The workspaces in memory, the least recently used first.
    in_memory: BoundedMap<String, ()>,
    /// Whether the log may have entries.
    has_entries: bool,
    /// Whether the checkpoint of the patterns was removed, because the entries are newer.
    checkpoint_removed: bool,
}

impl IdleWorkspaces {
    /// Creates the selection without workspaces, with the default limit of workspaces in memory.
    pub(crate) fn new() -> Self {
        Self {
            limit: MAX_WORKSPACES,
            next: next_eviction(MAX_WORKSPACES),
            in_memory: BoundedMap::default(),
            has_entries: false,
            checkpoint_removed: false,
        }
    }

    /// Sets the number of workspaces in memory above which idle ones leave it.
    pub(crate) const fn set_limit(&mut self, limit: usize) {
        (self.limit, self.next) = (limit, next_eviction(limit));
    }

    /// Starts with a state that was resumed from its checkpoints. If the entries do not belong to the checkpoint of the
    /// patterns, or `disabled` is set, the patterns become empty, so that they are folded from the first event.
    ///
    /// # Errors
    /// [`BusError`] if outdated entries cannot be removed.
    pub(crate) fn resume(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        disabled: bool,
    ) -> Result<(), BusError> {
        self.has_entries = !disabled && state.patterns.position() != Position::ORIGIN;
        self.checkpoint_removed = false;
        if !self.has_entries {
            state.patterns = Projected::default();
            if !disabled {
                log.remove_entries(STORES)?;
                log.remove_entries(TEXTS)?;
            }
        }
        self.in_memory = BoundedMap::default();
        for workspace in state.patterns.workspaces() {
            self.in_memory.insert(workspace.to_owned(), (), usize::MAX);
        }
        Ok(())
    }

    /// Loads the patterns that are read or changed when an event is folded, if they are not in memory.
    ///
    /// # Errors
    /// [`BusError`] if the event cannot be decoded or an entry cannot be loaded.
    pub(crate) fn load_for(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        event: &DecodedEvent<'_, Event>,
    ) -> Result<(), BusError> {
        let position = event.recorded().position;
        if position <= state.patterns.position() {
            return Ok(());
        }
        let unreadable = |source| Arc::new(ProjectionError::Unreadable { name: Patterns::NAME, position, source });
        let Some(event) = event.select::<PatternEvent<'_>>().map_err(unreadable)? else { return Ok(()) };
        for workspace in state.patterns.workspaces_of(&event) {
            self.load(log, state, &workspace)?;
        }
        match event {
            PatternEvent::TurnEmbedded(embedded) if self.has_entries => {
                for workspace in workspaces_with_text(log, embedded.text)? {
                    self.load(log, state, &workspace)?;
                }
            }
            PatternEvent::PatternsCleared(cleared) if cleared.all => self.in_memory = BoundedMap::default(),
            _ => {}
        }
        Ok(())
    }

    /// Marks a workspace as used, and loads its patterns if they are not in memory.
    ///
    /// # Errors
    /// [`BusError`] if its entry cannot be loaded.
    pub(crate) fn load(
        &mut self,
        log: &dyn EventLog,
        state: &mut RouterState,
        workspace: &str,
    ) -> Result<(), BusError> {
        let workspace = workspace.to_owned();
        if self.in_memory.renew(&workspace).is_some() {
            return Ok(());
        }
        if self.has_entries
            && let Some(bytes) = log.load_entry(STORES, &workspace)?
        {
            state.patterns.state_mut().restore_store(&workspace, &bytes).map_err(damaged)?;
        }
        self.in_memory.insert(workspace, (), usize::MAX);
        Ok(())
    }

    /// Moves the patterns of the least recently used workspaces out of memory if there are more than the limit. All
    /// events in `state` must be durable.
    ///
    /// # Errors
    /// [`BusError`] if they cannot be saved; they are then in memory.
    pub(crate) fn evict(&mut self, log: &dyn EventLog, state: &mut RouterState) -> Result<(), BusError> {
        if self.in_memory.len() < self.next {
            return Ok(());
        }
        let surplus = self.in_memory.len() - self.limit;
        let can_leave = |workspace: &&String| state.patterns.can_leave_memory(workspace);
        let idle: Vec<String> = self.in_memory.keys().filter(can_leave).take(surplus).cloned().collect();
        self.save(log, state, &idle)?;
        for workspace in idle {
            state.patterns.state_mut().remove_store(&workspace);
            self.in_memory.remove(&workspace);
        }
        self.next = next_eviction(self.limit.max(self.in_memory.len()));
        Ok(())
    }

    /// Saves the patterns of workspaces as entries of the log.
    fn save(&mut self, log: &dyn EventLog, state: &RouterState, workspaces: &[String]) -> Result<(), BusError> {
        if !self.checkpoint_removed {
            let none = Checkpoint { version: 0, position: Position::ORIGIN, state: Vec::new() };
            log.save_checkpoint(Patterns::NAME, &none)?;
            (self.checkpoint_removed, self.has_entries) = (true, true);
        }
        let (mut stores, mut texts) = (Vec::with_capacity(workspaces.len()), BTreeMap::<u64, BTreeSet<String>>::new());
        for workspace in workspaces {
            // A workspace that was only looked up, or was cleared, has no patterns.
            let Some(bytes) = state.patterns.encode_store(workspace).map_err(damaged)? else { continue };
            stores.push((workspace.clone(), bytes));
            for text in state.patterns.texts_of(workspace) {
                texts.entry(text).or_default().insert(workspace.clone());
            }
        }
        let mut entries = Vec::new();
        for (text, added) in texts {
            let mut all = workspaces_with_text(log, text)?;
            let known = all.len();
            all.extend(added);
            if known < all.len() {
                entries.push((text_key(text), encode_state(TEXTS, &all).map_err(damaged)?));
            }
        }
        log.save_entries(TEXTS, &entries)?;
        Ok(log.save_entries(STORES, &stores)?)
    }
}

/// Returns the workspaces whose patterns left memory with a message of this hash.
fn workspaces_with_text(log: &dyn EventLog, text: u64) -> Result<BTreeSet<String>, BusError> {
    let Some(bytes) = log.load_entry(TEXTS, &text_key(text))? else { return Ok(BTreeSet::new()) };
    decode_state(TEXTS, &bytes).map_err(damaged)
}

/// Returns the key of the entry with the workspaces that have a message.
fn text_key(text: u64) -> String {
    format!("{text:016x}")
}

/// Returns the error for an entry that cannot be encoded or decoded.
fn damaged(source: CodecError) -> BusError {
    BusError::Checkpoint { name: STORES, source: Arc::new(source) }
}

/// Returns the number of workspaces at which idle ones leave memory, if `count` of them may stay: an eighth more.
const fn next_eviction(count: usize) -> usize {
    count.saturating_add(count / 8).saturating_add(1)
}
