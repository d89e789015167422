//! Folds the log into open turns, and converts each turn that ends into spans.

use std::collections::BTreeMap;

use contracts::{
    TurnId,
    events::{
        LlmCallCompleted, LlmCallFailed, LlmCallStarted, RouteDecided, RouteFallback, RouteOverridden, ToolCalled,
        ToolFinished, TurnEnded, TurnStarted,
    },
};
use event_core::{CodecError, Position, Recorded};

use super::{otlp::Span, turn::OpenTurn};
use crate::view::DecisionSummary;

/// The maximum number of open turns. Beyond it the oldest is dropped and never exported; a turn that waits for a tool
/// may never end.
const MAX_OPEN_TURNS: usize = 10_000;

/// The turns that have started and not ended, with their OpenTelemetry spans so far.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The open turns by id.
    open: BTreeMap<TurnId, OpenTurn>,
    /// The ids of the open turns by the position of their start, to find the oldest.
    by_start: BTreeMap<Position, TurnId>,
}

impl Turns {
    /// Adds an event of the log to its turn. If it ends the turn, returns the turn's spans; `None` otherwise, and for a
    /// turn whose start is unknown.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded; the state is then unchanged.
    pub(crate) fn apply(&mut self, event: &Recorded) -> Result<Option<Vec<Span>>, CodecError> {
        if let Some(body) = event.read::<TurnStarted>()? {
            self.begin(event, body);
        } else if let Some(body) = event.read::<RouteDecided>()? {
            self.update(body.turn, |turn| turn.set_decision(DecisionSummary::from(&body.decision)));
        } else if let Some(body) = event.read::<RouteFallback>()? {
            self.update(body.turn, |turn| turn.fallback(event, &body));
        } else if let Some(body) = event.read::<RouteOverridden>()? {
            self.update(body.turn, |turn| turn.set_model(body.model));
        } else if let Some(body) = event.read::<LlmCallStarted>()? {
            self.update(body.turn, |turn| turn.call_started(event, &body));
        } else if let Some(body) = event.read::<LlmCallCompleted>()? {
            self.update(body.turn, |turn| turn.call_completed(event, &body));
        } else if let Some(body) = event.read::<LlmCallFailed>()? {
            self.update(body.turn, |turn| turn.call_failed(event, &body));
        } else if let Some(body) = event.read::<ToolCalled>()? {
            self.update(body.turn, |turn| turn.tool_called(event, body));
        } else if let Some(body) = event.read::<ToolFinished>()? {
            self.update(body.turn, |turn| turn.tool_finished(event, &body));
        } else if let Some(body) = event.read::<TurnEnded>()? {
            let ended = self.open.remove(&body.turn);
            return Ok(ended.map(|turn| {
                self.by_start.remove(&turn.position);
                turn.end(event, &body)
            }));
        }
        Ok(None)
    }

    /// Adds a turn that has started, and drops the oldest one if there are more than [`MAX_OPEN_TURNS`]. A turn that is
    /// already open starts again.
    fn begin(&mut self, event: &Recorded, body: TurnStarted) {
        let id = body.turn;
        if let Some(known) = self.open.insert(id, OpenTurn::new(event, body)) {
            self.by_start.remove(&known.position);
        }
        self.by_start.insert(event.position, id);
        while MAX_OPEN_TURNS < self.open.len() {
            let Some((_, oldest)) = self.by_start.pop_first() else { break };
            self.open.remove(&oldest);
        }
    }

    /// Calls `update` with an open turn, and does nothing if the turn is not open.
    fn update(&mut self, id: TurnId, update: impl FnOnce(&mut OpenTurn)) {
        if let Some(turn) = self.open.get_mut(&id) {
            update(turn);
        }
    }
}

#[cfg(test)]
mod tests;
