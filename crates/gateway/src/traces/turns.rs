//! All turns that run, folded from the log; one that ends comes out as spans.

use std::collections::BTreeMap;

use contracts::{
    TurnId,
    facts::{
        LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFellThrough, RouteOverridden, ToolCalled,
        ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, Position, Recorded};

use super::{otlp::Span, turn::OpenTurn};
use crate::view::Chosen;

/// The most turns that are kept open. One that waits for a tool may wait for ever; the oldest goes without a trace.
const MOST_TURNS: usize = 10_000;

/// All turns that run.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    open: BTreeMap<TurnId, OpenTurn>,
    by_start: BTreeMap<Position, TurnId>,
}

impl Turns {
    /// Takes a fact in, and gives the spans of the turn that it ends. A turn whose start was not seen gives none.
    ///
    /// # Errors
    /// When the fact cannot be read; the turns are then as they were.
    pub(crate) fn apply(&mut self, event: &Recorded) -> Result<Option<Vec<Span>>, CodecError> {
        if let Some(fact) = event.read::<TurnStarted>()? {
            self.begin(event, fact);
        } else if let Some(fact) = event.read::<RouteDecided>()? {
            self.change(fact.turn, |turn| turn.decided(Chosen::from(&fact.decision)));
        } else if let Some(fact) = event.read::<RouteFellThrough>()? {
            self.change(fact.turn, |turn| turn.fell_through(event, &fact));
        } else if let Some(fact) = event.read::<RouteOverridden>()? {
            self.change(fact.turn, |turn| turn.overridden(fact.model));
        } else if let Some(fact) = event.read::<LlmCallStarted>()? {
            self.change(fact.turn, |turn| turn.call_started(event, &fact));
        } else if let Some(fact) = event.read::<LlmCallCompleted>()? {
            self.change(fact.turn, |turn| turn.call_completed(event, &fact));
        } else if let Some(fact) = event.read::<LlmCallFailed>()? {
            self.change(fact.turn, |turn| turn.call_failed(event, &fact));
        } else if let Some(fact) = event.read::<ToolCalled>()? {
            self.change(fact.turn, |turn| turn.tool_called(event, fact));
        } else if let Some(fact) = event.read::<ToolFinished>()? {
            self.change(fact.turn, |turn| turn.tool_finished(event, &fact));
        } else if let Some(fact) = event.read::<TurnEnded>()? {
            let ended = self.open.remove(&fact.turn);
            return Ok(ended.map(|turn| {
                self.by_start.remove(&turn.position);
                turn.end(event, &fact)
            }));
        }
        Ok(None)
    }

    fn begin(&mut self, event: &Recorded, fact: TurnStarted) {
        let id = fact.turn;
        if let Some(known) = self.open.insert(id, OpenTurn::new(event, fact)) {
            self.by_start.remove(&known.position);
        }
        self.by_start.insert(event.position, id);
        while MOST_TURNS < self.open.len() {
            let Some((_, oldest)) = self.by_start.pop_first() else { break };
            self.open.remove(&oldest);
        }
    }

    fn change(&mut self, id: TurnId, change: impl FnOnce(&mut OpenTurn)) {
        if let Some(turn) = self.open.get_mut(&id) {
            change(turn);
        }
    }
}

#[cfg(test)]
mod tests;
