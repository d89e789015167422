//! Operations of `import`: turns of other clients' session files, and totals.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use contracts::{NanoUsd, SessionId};
use engine::{Engine, PreparedSkills, SkillLibrary};
use serde::{Deserialize, Serialize};
use transcripts::observed::{ObservedSession, ObservedTurn, Step};

use crate::{error::ControlError, operation::Operation};

/// The request to record turns of session files, and to decide the turns without a decision.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportTurns {
    /// The parts in the order in which their first turns started.
    parts: Vec<ImportedPart>,
    /// Skills of the workspaces, once they are prepared.
    #[serde(skip)]
    skills: BTreeMap<String, Arc<PreparedSkills>>,
}

/// Consecutive turns of one session file, as a part of an import request ([`ImportTurns`]).
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedPart {
    /// Session of the file.
    pub session: ObservedSession,
    /// Consecutive turns of the file, in its order.
    pub turns: Vec<ObservedTurn>,
}

impl ImportTurns {
    /// Creates a request with parts in the order in which their first turns started.
    pub const fn new(parts: Vec<ImportedPart>) -> Self {
        Self { parts, skills: BTreeMap::new() }
    }

    /// Returns the parts.
    pub fn parts(&self) -> &[ImportedPart] {
        &self.parts
    }

    /// Reads the skills of the workspaces. The thread that owns the engine of a gateway must not call it.
    pub(crate) fn prepare(&mut self, library: &SkillLibrary) {
        for workspace in self.parts.iter().filter_map(|part| part.session.workspace.as_deref()) {
            if let Some(prepared) = library.prepare(Some(workspace), &[]) {
                self.skills.insert(workspace.to_owned(), prepared);
            }
        }
    }

    /// Number of steps (model calls, tool results and so on) after which a request is sent, although more turns follow.
    /// This limits the time that other requests wait. A turn is not divided.
    pub const MAX_STEPS: usize = 256;
    /// Number of turns after which a request is sent, although more turns follow.
    pub const MAX_TURNS: usize = 32;
    /// Number of bytes of messages after which a request is sent, although more turns follow. This limits the time that
    /// the request itself takes under a policy with expensive regular expressions.
    pub const MAX_MESSAGE_BYTES: usize = 512 * 1024;
}

/// Result of [`ImportTurns`]: counts of the imported turns, calls and events, for the summary of the command.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportedTurns {
    /// Number of imported turns, including those of earlier imports.
    pub turns: u64,
    /// Number of turns that were decided by this import.
    pub decisions: u64,
    /// Number of the decided turns for which the policy would have chosen another model than the model that ran.
    pub other_model: u64,
    /// Number of decisions without a model.
    pub refused: u64,
    /// Number of completed model calls.
    pub calls: u64,
    /// Number of failed model calls.
    pub failed_calls: u64,
    /// Number of tool calls.
    pub tools: u64,
    /// Number of compactions.
    pub compactions: u64,
    /// Number of events that were recorded.
    pub new_events: u64,
    /// Number of turns that were not imported because the gateway recorded them.
    pub gateway_turns: u64,
    /// Sessions of those turns.
    pub gateway_sessions: BTreeSet<SessionId>,
}

impl ImportedTurns {
    /// Adds an imported turn and its steps to the counts.
    fn count(&mut self, turn: &ObservedTurn) {
        self.turns += 1;
        for step in &turn.steps {
            match step {
                // An incomplete call is recorded by a later import, when the file has grown.
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
        let mut imported = ImportedTurns::default();
        let first_position = engine.position();
        for ImportedPart { session, turns } in &self.parts {
            engine.observe_session(session)?;
            let skills = session.workspace.as_ref().and_then(|workspace| self.skills.get(workspace));
            for turn in turns {
                if engine.came_through_gateway(turn)? {
                    imported.gateway_turns += 1;
                    imported.gateway_sessions.insert(turn.session.clone());
                    continue;
                }
                imported.count(turn);
                if let Some(decision) = engine.observe_turn_with_skills(session, turn, skills)? {
                    imported.decisions += 1;
                    imported.refused += u64::from(decision.model().is_none());
                    let requested_model = decision.request().and_then(|request| request.named.as_ref());
                    imported.other_model += u64::from(
                        requested_model.is_some() && decision.model().is_some() && requested_model != decision.model(),
                    );
                }
            }
        }
        imported.new_events = engine.position().0 - first_position.0;
        Ok(imported)
    }
}

/// The request for totals of the whole log: sessions and costs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogTotals {}

/// Result of [`LogTotals`]: the number of sessions and the cost of all calls in the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of sessions.
    pub sessions: u64,
    /// Cost of all calls with a known price.
    pub cost: NanoUsd,
    /// Number of model calls without a known price.
    pub unpriced_calls: u64,
}

impl Operation for LogTotals {
    type Response = Totals;

    fn execute(self, engine: &mut Engine) -> Result<Totals, ControlError> {
        let overall = engine.state().costs.overall();
        let sessions = engine.state().sessions.count();
        Ok(Totals { sessions, cost: overall.cost, unpriced_calls: overall.unpriced_calls })
    }
}
