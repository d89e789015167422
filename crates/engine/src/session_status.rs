//! The state of a session for a status line: its last turn, what was spent today, and the budgets that are nearly spent.

use contracts::{ModelId, NanoUsd, Reason, SessionId, Slot, events::TurnStarted};

use crate::{
    budgets::{BudgetLine, session_budget_lines},
    engine::Engine,
    error::EngineError,
    insight::{find_decision, read_event},
};

/// The spent share of a limit, in percent, from which the limit is part of the state (decision D46).
const SHOWN_PERCENT: u64 = 80;

/// The state of a session for a status line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionStatus {
    /// The last decided turn of the main conversation; `None` before the first.
    pub last: Option<LastTurn>,
    /// The costs of all sessions since midnight UTC.
    pub spent_today: NanoUsd,
    /// The budgets of the session that are at least 80 % spent, in the order of the policy.
    pub budgets: Vec<BudgetLine>,
    /// The smallest daily limit among the conditions of rules of which between 80 % and 100 % is spent; `None` if there is
    /// none.
    pub rule_limit: Option<NanoUsd>,
}

/// The last turn of a session: its model and the reason for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastTurn {
    /// The model that serves the turn, after fallbacks and overrides; `None` if the turn was refused.
    pub model: Option<ModelId>,
    /// The slot that decided; `None` if the turn was refused.
    pub slot: Option<Slot>,
    /// The rule that decided; `None` if another slot did.
    pub rule: Option<String>,
    /// Whether the policy selected the model because the client requested it.
    pub is_requested: bool,
    /// The model that failed last before `model` took the turn; `None` without a fallback.
    pub failed: Option<ModelId>,
    /// Whether the turn was imported, so that the decision was not applied.
    pub is_imported: bool,
}

impl Engine {
    /// Returns the last turn of a session, the spending of the day, and the limits that are nearly spent, at the
    /// engine's time. A session without events has no last turn.
    ///
    /// # Errors
    /// [`EngineError`] if the log cannot be read.
    pub fn session_status(&mut self, session: &SessionId) -> Result<SessionStatus, EngineError> {
        self.load_session(session)?;
        let (state, policy, at) = (self.state(), &self.policy().policy, self.now());
        let known = state.sessions.get(session);
        let log = self.log().as_ref();
        let (mut last, mut client) = (None, None);
        if let Some(turn) = known.and_then(|session| session.last_turn) {
            let recorded = find_decision(log, &turn.to_string())?;
            let decision = recorded.steps.last().map_or(&recorded.decided.decision, |(_, step)| &step.decision);
            let winner = decision.winner();
            let running = known.and_then(|session| session.open_turn(turn)).and_then(|open| open.model.clone());
            last = Some(LastTurn {
                model: running.or_else(|| recorded.model().cloned()),
                slot: winner.map(|winner| winner.slot),
                rule: winner.and_then(|winner| winner.reason.rule()).map(str::to_owned),
                is_requested: winner.is_some_and(|winner| {
                    winner.slot == Slot::WorkspaceDefault && matches!(winner.reason, Reason::ClientModel { .. })
                }),
                failed: recorded.steps.last().and_then(|(_, step)| Some(step.failed.last()?.model.clone())),
                is_imported: recorded.is_imported(),
            });
            let started = read_event::<TurnStarted>(log, turn, 0)?;
            client = started.and_then(|(_, started)| started.request?.client);
        }
        let project = known.and_then(|session| session.workspace.as_deref());
        let mut budgets = session_budget_lines(policy, &state.costs, session, project, client.as_deref(), at);
        budgets.retain(|budget| SHOWN_PERCENT <= budget.percent);
        let spent_today = state.costs.spent_today(at);
        let is_near = |limit: &NanoUsd| {
            spent_today < *limit && u128::from(limit.0) * u128::from(SHOWN_PERCENT) <= u128::from(spent_today.0) * 100
        };
        let rule_limit = policy.budgets().into_iter().filter(is_near).min();
        Ok(SessionStatus { last, spent_today, budgets, rule_limit })
    }
}
