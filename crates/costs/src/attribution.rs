//! [`Attribution`], which folds events into calls with everything that their costs can be grouped by.

use std::collections::BTreeMap;

use contracts::{
    ChainSlot as _, Decision, ModelId, SessionId, Thread, TurnId,
    events::{DecisionMode, LlmCallCompleted, LlmCallFailed, RouteDecided, RouteFallback, SessionStarted, TurnStarted},
};
use event_core::{CodecError, Recorded, Timestamp};

use crate::Total;

/// A billed call with everything that its cost can be grouped by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedCall {
    /// End of the call.
    pub at: Timestamp,
    /// Session of the call.
    pub session: SessionId,
    /// Thread of the call.
    pub thread: Thread,
    /// Model of the call.
    pub model: ModelId,
    /// Absolute path of the workspace; `None` if unknown.
    pub project: Option<String>,
    /// Name of the client, without its version; `None` if unknown.
    pub client: Option<String>,
    /// What decided the turn.
    pub decided_by: DecidedBy,
    /// Usage and cost of the call.
    pub total: Total,
}

/// What decided the model of a turn.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecidedBy {
    /// A rule, by its name.
    Rule(String),
    /// Another slot of the chain, by its name.
    Slot(&'static str),
    /// Nothing: the turn was imported, and ran on the model that it was asked for.
    Imported,
    /// The log has no decision.
    #[default]
    Unknown,
}

/// Folds events and returns an [`AttributedCall`] for each billed call. Its size grows with the number of sessions and
/// turns.
#[derive(Debug, Default)]
pub struct Attribution {
    /// Workspace and client of each session.
    sessions: BTreeMap<SessionId, Origin>,
    /// Workspace, client and decision of each turn.
    turns: BTreeMap<TurnId, (Origin, DecidedBy)>,
}

/// Where a session or a turn came from.
#[derive(Debug, Clone, Default)]
struct Origin {
    project: Option<String>,
    client: Option<String>,
}

impl Attribution {
    /// Folds one event. Returns the call if the event ends one that was billed.
    ///
    /// # Errors
    /// [`CodecError`] if the event cannot be decoded.
    pub fn advance(&mut self, event: &Recorded) -> Result<Option<AttributedCall>, CodecError> {
        let at = event.event.at;
        if let Some(call) = event.read::<LlmCallCompleted>()? {
            let total = Total::of_call(call.usage, call.cost);
            return Ok(Some(self.attribute(at, call.turn, call.session, call.thread, call.model, total)));
        }
        if let Some(call) = event.read::<LlmCallFailed>()? {
            let Some(usage) = call.usage else { return Ok(None) };
            let total = Total::of_call(usage, call.cost);
            return Ok(Some(self.attribute(at, call.turn, call.session, call.thread, call.model, total)));
        }
        if let Some(started) = event.read::<SessionStarted>()? {
            let client = started.client.as_deref().and_then(|client| client.split(' ').next()).map(str::to_owned);
            self.sessions.insert(started.session, Origin { project: started.workspace, client });
        } else if let Some(turn) = event.read::<TurnStarted>()? {
            let session = self.sessions.get(&turn.session).cloned().unwrap_or_default();
            let client = turn.request.and_then(|request| request.client).or(session.client);
            let origin = Origin { project: turn.workspace.or(session.project), client };
            self.turns.insert(turn.turn, (origin, DecidedBy::Unknown));
        } else if let Some(decided) = event.read::<RouteDecided>()? {
            let decided_by = match decided.mode {
                DecisionMode::Observed => DecidedBy::Imported,
                DecisionMode::Live => decided_by(&decided.decision),
            };
            self.turns.entry(decided.turn).or_default().1 = decided_by;
        } else if let Some(fallback) = event.read::<RouteFallback>()? {
            self.turns.entry(fallback.turn).or_default().1 = decided_by(&fallback.decision);
        }
        Ok(None)
    }

    /// Adds the origin and the decision of a call's turn to it.
    fn attribute(
        &self,
        at: Timestamp,
        turn: TurnId,
        session: SessionId,
        thread: Thread,
        model: ModelId,
        total: Total,
    ) -> AttributedCall {
        let (origin, decided_by) = match self.turns.get(&turn) {
            Some(turn) => turn.clone(),
            None => (self.sessions.get(&session).cloned().unwrap_or_default(), DecidedBy::Unknown),
        };
        let Origin { project, client } = origin;
        AttributedCall { at, session, thread, model, project, client, decided_by, total }
    }
}

/// Returns what decided a live turn.
fn decided_by(decision: &Decision) -> DecidedBy {
    decision.winner().map_or(DecidedBy::Unknown, |winner| match winner.reason.rule() {
        Some(rule) => DecidedBy::Rule(rule.to_owned()),
        None => DecidedBy::Slot(winner.slot.name()),
    })
}
