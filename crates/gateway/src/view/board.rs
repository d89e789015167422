//! The board: the latest turns of an event log, for the page and for `watch`. Each turn is a *row* of the board.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use contracts::{
    SessionId, TurnId,
    events::{
        LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFallback, RouteOverridden, SessionStarted,
        TextBody, ToolCalled, TurnEnded, TurnStarted, TurnTextRecorded,
    },
};
use engine::RecordedPolicies;
use event_bus::{EventLog, LogError, LogFollower, TextStore};
use event_core::{CodecError, Position, Recorded};

use super::row::Row;

/// The maximum number of turns on the board.
const MAX_TURNS: usize = 500;
/// The maximum number of characters of a message in a row.
const MAX_CHARACTERS: usize = 200;
/// The maximum number of sessions whose client is remembered.
const MAX_SESSIONS: usize = 2_000;

/// How many events before the head the board starts. Earlier turns are not shown; `turnwise why` finds them.
const LOOKBACK: u64 = 20_000;

/// The event log and the store of long texts, for reading.
#[derive(Clone)]
pub(crate) struct Sources {
    /// The event log.
    pub(crate) log: Arc<dyn EventLog>,
    /// The store of long texts.
    pub(crate) texts: Arc<dyn TextStore>,
}

impl std::fmt::Debug for Sources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sources").finish_non_exhaustive()
    }
}

/// A board of the latest turns that follows a log: each [`BoardView::catch_up`] adds the events up to the head of the
/// log.
#[derive(Debug)]
pub(crate) struct BoardView {
    /// Applies the new events of the log to the board.
    follower: LogFollower<Board>,
    /// The log, and the store that long messages are read from.
    sources: Sources,
}

impl BoardView {
    /// Creates a board that will begin near the head of the log. Reads nothing.
    pub(crate) fn new(sources: Sources) -> Self {
        Self { follower: LogFollower::near_head(Arc::clone(&sources.log), LOOKBACK, Board::default()), sources }
    }

    /// Adds the new events of the log to the board, and returns the head of the log.
    ///
    /// # Errors
    /// [`LogError`] if the log cannot be read.
    pub(crate) fn catch_up(&mut self) -> Result<Position, LogError> {
        let texts = self.sources.texts.as_ref();
        self.follower.catch_up(|board, event| {
            // An event of an unknown version is skipped.
            if let Err(error) = board.apply(event, texts) {
                tracing::debug!(%error, "an event cannot be shown");
            }
            Ok(())
        })
    }

    /// Returns the board as of the last [`BoardView::catch_up`].
    pub(crate) const fn board(&self) -> &Board {
        self.follower.state()
    }
}

/// The latest turns of a log, each as a row, with the clients of their sessions.
#[derive(Debug, Default)]
pub(crate) struct Board {
    /// The row of each turn on the board.
    rows: BTreeMap<TurnId, Row>,
    /// The turns in the order of their start.
    order: VecDeque<TurnId>,
    /// The clients of sessions that started while the board followed the log.
    clients: BTreeMap<SessionId, String>,
    /// The policies of recorded decisions, which their banners need.
    policies: RecordedPolicies,
    /// Whether old turns are never removed.
    is_unbounded: bool,
}

impl Board {
    /// Creates an empty board that never removes old turns, for a bounded number of events.
    pub(crate) fn unbounded() -> Self {
        Self { is_unbounded: true, ..Self::default() }
    }

    /// Updates the board with an event of the log. Events of turns that are not on the board are ignored.
    pub(crate) fn apply(&mut self, event: &Recorded, texts: &dyn TextStore) -> Result<(), CodecError> {
        if let Some(body) = event.read::<TurnStarted>()? {
            self.begin(event, body);
        } else if let Some(body) = event.read::<TurnTextRecorded>()? {
            let text = match body.text {
                TextBody::Inline(text) => Some(text),
                // A text that cannot be read is shown as missing.
                TextBody::Stored { hash, .. } => texts.get(hash.0).ok().flatten(),
            };
            self.update(body.turn, event.position, |row| row.message = text.map(|text| message_start(&text)));
        } else if let Some(body) = event.read::<RouteDecided>()? {
            let policy = self.policies.get(texts, body.policy, body.catalogue);
            self.update(body.turn, event.position, |row| row.set_decision(&body.decision, policy.as_deref()));
        } else if let Some(body) = event.read::<RouteFallback>()? {
            let policy = self.policies.get(texts, body.policy, body.catalogue);
            self.update(body.turn, event.position, |row| {
                row.set_decision(&body.decision, policy.as_deref());
                row.fallback = row.fallback.saturating_add(1);
            });
        } else if let Some(body) = event.read::<RouteOverridden>()? {
            self.update(body.turn, event.position, |row| row.model = Some(body.model));
        } else if let Some(body) = event.read::<LlmCallStarted>()? {
            self.update(body.turn, event.position, |row| {
                row.adapted = body.adapted.iter().map(|feature| feature.name()).collect();
            });
        } else if let Some(body) = event.read::<LlmCallCompleted>()? {
            self.update(body.turn, event.position, |row| {
                row.set_ran(&body.thread, &body.model);
                row.calls = row.calls.saturating_add(1);
                row.add_cost(body.cost);
                row.input_tokens = row.input_tokens.saturating_add(body.usage.input_total());
                row.output_tokens = row.output_tokens.saturating_add(body.usage.output);
                row.latency_ms = body.latency_ms.map(|latency| row.latency_ms.unwrap_or(0).saturating_add(latency));
            });
        } else if let Some(body) = event.read::<LlmCallFailed>()? {
            self.update(body.turn, event.position, |row| {
                row.calls = row.calls.saturating_add(1);
                if body.usage.is_some() {
                    row.add_cost(body.cost);
                }
            });
        } else if let Some(body) = event.read::<ToolCalled>()? {
            self.update(body.turn, event.position, |row| row.tools = row.tools.saturating_add(1));
        } else if let Some(body) = event.read::<TurnEnded>()? {
            self.update(body.turn, event.position, |row| row.status = Some(body.status));
        } else if let Some(body) = event.read::<SessionStarted>()?
            && let Some(client) = body.client
            && self.clients.len() < MAX_SESSIONS
        {
            self.clients.insert(body.session, client);
        }
        Ok(())
    }

    /// Adds a turn that has started to the board, and removes the oldest turn if there are more than [`MAX_TURNS`].
    fn begin(&mut self, event: &Recorded, body: TurnStarted) {
        let turn = body.turn;
        let mut row = Row::new(body, event.event.at, event.position);
        if row.client.is_none() {
            row.client = self.clients.get(&row.started.session).cloned();
        }
        self.rows.insert(turn, row);
        self.order.push_back(turn);
        while !self.is_unbounded && MAX_TURNS < self.order.len() {
            if let Some(oldest) = self.order.pop_front() {
                self.rows.remove(&oldest);
            }
        }
    }

    /// Changes a turn on the board by calling `change`, and records `at` as the position of the change. Ignores a turn
    /// that is not on the board.
    fn update(&mut self, turn: TurnId, at: Position, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows.get_mut(&turn) {
            change(row);
            row.changed = at;
        }
    }

    /// Returns the latest turns that began before a position, newest first, at most `limit`.
    pub(crate) fn before(&self, before: Option<Position>, limit: usize) -> Vec<&Row> {
        let rows = self.order.iter().rev().filter_map(|turn| self.rows.get(turn));
        rows.filter(|row| before.is_none_or(|before| row.position < before)).take(limit).collect()
    }

    /// Returns the turns that changed after a position, oldest first.
    pub(crate) fn changed_after(&self, position: Position) -> Vec<&Row> {
        self.order.iter().filter_map(|turn| self.rows.get(turn)).filter(|row| position < row.changed).collect()
    }

    /// Returns the row of a turn; `None` if it is not on the board.
    pub(crate) fn get(&self, turn: TurnId) -> Option<&Row> {
        self.rows.get(&turn)
    }
}

/// Returns the start of a message on one line.
fn message_start(text: &str) -> String {
    let start: String = text.chars().take(MAX_CHARACTERS).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}
