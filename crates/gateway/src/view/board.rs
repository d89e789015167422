//! The latest turns of the log, folded from its facts.

use std::collections::{BTreeMap, VecDeque};

use contracts::{
    SessionId, TurnId,
    facts::{
        LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFellThrough, RouteOverridden, SessionStarted, TextBody,
        ToolCalled, TurnEnded, TurnStarted, TurnTextRecorded,
    },
};
use event_bus::TextStore;
use event_core::{CodecError, Position, Recorded};

use super::row::Row;

/// The most turns that are kept.
const MOST_TURNS: usize = 500;
/// The most characters of a message that a row shows.
const MOST_CHARACTERS: usize = 200;
/// The most sessions whose client is remembered.
const MOST_SESSIONS: usize = 2_000;

/// The latest turns.
#[derive(Debug, Default)]
pub(crate) struct Board {
    rows: BTreeMap<TurnId, Row>,
    /// In the order in which they began.
    order: VecDeque<TurnId>,
    clients: BTreeMap<SessionId, String>,
}

impl Board {
    /// Takes a fact in. A fact of a turn that is not kept changes nothing.
    pub(crate) fn apply(&mut self, event: &Recorded, texts: &dyn TextStore) -> Result<(), CodecError> {
        if let Some(fact) = event.read::<TurnStarted>()? {
            self.begin(event, fact);
        } else if let Some(fact) = event.read::<TurnTextRecorded>()? {
            let text = match fact.text {
                TextBody::Inline(text) => Some(text),
                // A text that cannot be read is shown as none; the log itself says what is wrong with it.
                TextBody::Stored { hash, .. } => texts.get(hash.0).ok().flatten(),
            };
            self.change(fact.turn, event.position, |row| row.message = text.map(|text| shortened(&text)));
        } else if let Some(fact) = event.read::<RouteDecided>()? {
            self.change(fact.turn, event.position, |row| row.decided(&fact.decision));
        } else if let Some(fact) = event.read::<RouteFellThrough>()? {
            self.change(fact.turn, event.position, |row| {
                row.decided(&fact.decision);
                row.fell_through = row.fell_through.saturating_add(1);
            });
        } else if let Some(fact) = event.read::<RouteOverridden>()? {
            self.change(fact.turn, event.position, |row| row.model = Some(fact.model));
        } else if let Some(fact) = event.read::<LlmCallCompleted>()? {
            self.change(fact.turn, event.position, |row| {
                row.calls = row.calls.saturating_add(1);
                row.spent(fact.cost);
                row.input_tokens = row.input_tokens.saturating_add(fact.usage.input_total());
                row.output_tokens = row.output_tokens.saturating_add(fact.usage.output);
                row.latency_ms = fact.latency_ms.map(|more| row.latency_ms.unwrap_or(0).saturating_add(more));
            });
        } else if let Some(fact) = event.read::<LlmCallFailed>()? {
            self.change(fact.turn, event.position, |row| row.calls = row.calls.saturating_add(1));
        } else if let Some(fact) = event.read::<ToolCalled>()? {
            self.change(fact.turn, event.position, |row| row.tools = row.tools.saturating_add(1));
        } else if let Some(fact) = event.read::<TurnEnded>()? {
            self.change(fact.turn, event.position, |row| row.status = Some(fact.status));
        } else if let Some(fact) = event.read::<SessionStarted>()?
            && let Some(client) = fact.client
            && self.clients.len() < MOST_SESSIONS
        {
            self.clients.insert(fact.session, client);
        }
        Ok(())
    }

    fn begin(&mut self, event: &Recorded, fact: TurnStarted) {
        let turn = fact.turn;
        let mut row = Row::new(fact, event.event.at, event.position);
        if row.client.is_none() {
            row.client = self.clients.get(&row.started.session).cloned();
        }
        self.rows.insert(turn, row);
        self.order.push_back(turn);
        while MOST_TURNS < self.order.len() {
            if let Some(oldest) = self.order.pop_front() {
                self.rows.remove(&oldest);
            }
        }
    }

    fn change(&mut self, turn: TurnId, at: Position, change: impl FnOnce(&mut Row)) {
        if let Some(row) = self.rows.get_mut(&turn) {
            change(row);
            row.changed = at;
        }
    }

    /// The turns that began before a position, the newest first.
    pub(crate) fn before(&self, before: Option<Position>, most: usize) -> Vec<&Row> {
        let rows = self.order.iter().rev().filter_map(|turn| self.rows.get(turn));
        rows.filter(|row| before.is_none_or(|before| row.position < before)).take(most).collect()
    }

    /// The turns that changed after a position, in the order in which they began.
    pub(crate) fn changed_after(&self, position: Position) -> Vec<&Row> {
        self.order.iter().filter_map(|turn| self.rows.get(turn)).filter(|row| position < row.changed).collect()
    }

    /// One turn, if it is kept.
    pub(crate) fn get(&self, turn: TurnId) -> Option<&Row> {
        self.rows.get(&turn)
    }
}

fn shortened(text: &str) -> String {
    let plain: String = text.chars().take(MOST_CHARACTERS).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}
