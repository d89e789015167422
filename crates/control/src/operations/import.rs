//! Turns of other clients' session files.

use std::collections::BTreeSet;

use contracts::{NanoUsd, SessionId};
use engine::Engine;
use serde::{Deserialize, Serialize};
use transcripts::observed::{ObservedSession, ObservedTurn, Step};

use crate::{error::ControlError, operation::Operation};

/// Records turns of one session and decides those that were not decided before.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportTurns {
    /// The session of the file.
    pub session: ObservedSession,
    /// Turns in the order of the file.
    pub turns: Vec<ObservedTurn>,
}

impl ImportTurns {
    /// The steps after which a request is sent. It bounds the time that other requests wait; a turn is not divided.
    pub const MAX_STEPS: usize = 256;
    /// The turns after which a request is sent.
    pub const MAX_TURNS: usize = 32;
}

/// The result of [`ImportTurns`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTurns {
    /// Turns that were imported, now or by an earlier import.
    pub turns: u64,
    /// Turns among them that were decided now.
    pub decisions: u64,
    /// Decisions that no model could take the turn.
    pub refused: u64,
    /// Calls of models that were answered completely.
    pub calls: u64,
    /// Calls of models that failed.
    pub failed_calls: u64,
    /// Calls of tools.
    pub tools: u64,
    /// Compactions of the history.
    pub compactions: u64,
    /// Events that the log did not have.
    pub new_events: u64,
    /// Turns that came through the gateway: the log has them, so they are not imported.
    pub gateway_turns: u64,
    /// The sessions of those turns.
    pub gateway_sessions: BTreeSet<SessionId>,
}

impl ImportedTurns {
    fn count(&mut self, turn: &ObservedTurn) {
        self.turns += 1;
        for step in &turn.steps {
            match step {
                // A call without an end is recorded by a later import, when the file has grown.
                Step::Call(call) => self.calls += u64::from(call.complete),
                Step::ToolCalled(_) => self.tools += 1,
                Step::Failed(_) => self.failed_calls += 1,
                Step::Compacted(_) => self.compactions += 1,
                Step::ToolFinished(_) | Step::Resumed(_) => {}
            }
        }
    }
}

impl Operation for ImportTurns {
    type Response = ImportedTurns;

    fn execute(self, engine: &mut Engine) -> Result<ImportedTurns, ControlError> {
        let Self { session, turns } = self;
        let mut imported = ImportedTurns::default();
        let before = engine.position();
        engine.observe_session(&session)?;
        for turn in &turns {
            if engine.came_through_gateway(turn) {
                imported.gateway_turns += 1;
                imported.gateway_sessions.insert(turn.session.clone());
                continue;
            }
            imported.count(turn);
            if let Some(made) = engine.observe_turn(&session, turn)? {
                imported.decisions += 1;
                imported.refused += u64::from(made.model().is_none());
            }
        }
        imported.new_events = engine.position().0 - before.0;
        Ok(imported)
    }
}

/// Sums up the whole log.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogTotals {}

/// The result of [`LogTotals`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// The cost of all calls with a known price.
    pub cost: NanoUsd,
    /// Calls of models without a known price.
    pub unpriced_calls: u64,
}

impl Operation for LogTotals {
    type Response = Totals;

    fn execute(self, engine: &mut Engine) -> Result<Totals, ControlError> {
        let overall = engine.state().costs.overall();
        let sessions = engine.state().sessions.iter().count() as u64;
        Ok(Totals { sessions, cost: overall.cost, unpriced_calls: overall.unpriced_calls })
    }
}
