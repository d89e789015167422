//! Operations that report the state of the gateway. They record nothing.

use std::collections::BTreeSet;

use contracts::{ChainSlot as _, ModelId, NanoUsd, SessionId};
use engine::Engine;
use serde::{Deserialize, Serialize};

use crate::{error::ControlError, operation::Operation};

/// The request for the state of a session, for a status line: its last turn, and what was spent.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportSession {
    /// Id of the session; `None` for the session with the latest event.
    pub session: Option<SessionId>,
}

/// Result of [`ReportSession`]: the last turn of the session, the spending of the day, and the limits that are nearly
/// spent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionReport {
    /// The last decided turn of the main conversation; `None` before the first.
    pub turn: Option<TurnReport>,
    /// The costs of all sessions since midnight UTC.
    pub spent_today: NanoUsd,
    /// The limits of the session that are at least 80 % spent.
    pub limits: Vec<LimitReport>,
}

/// The last turn of a session in a [`SessionReport`]: its model, and why the model was chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnReport {
    /// The model that serves the turn, after fallbacks; `None` if the turn was refused.
    pub model: Option<ModelId>,
    /// The name of the slot that decided; `None` if the turn was refused.
    pub slot: Option<String>,
    /// The rule that decided; `None` if another slot did.
    pub rule: Option<String>,
    /// Whether the client requested this model.
    pub is_requested: bool,
    /// The model that failed last before `model`; `None` without a fallback.
    pub failed: Option<ModelId>,
    /// Whether the turn was imported, so that the gateway did not serve it.
    pub is_imported: bool,
}

/// A limit on spending that is nearly or entirely spent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReport {
    /// Name of the budget; `None` for a limit in the condition of a rule.
    pub budget: Option<String>,
    /// The limit per period.
    pub limit: NanoUsd,
    /// The part of the limit that is not spent.
    pub remaining: NanoUsd,
}

impl Operation for ReportSession {
    type Response = SessionReport;

    fn execute(self, engine: &mut Engine) -> Result<SessionReport, ControlError> {
        let latest_session = || engine.state().sessions.latest().map(|(session, _)| session.clone());
        // Before the first decision there is no latest session, and nothing was spent.
        let Some(session) = self.session.or_else(latest_session) else { return Ok(SessionReport::default()) };
        let status = engine.session_status(&session)?;
        let turn = status.last.map(|last| TurnReport {
            model: last.model,
            slot: last.slot.map(|slot| slot.name().to_owned()),
            rule: last.rule,
            is_requested: last.is_requested,
            failed: last.failed,
            is_imported: last.is_imported,
        });
        let budgets = status.budgets.into_iter().map(|budget| LimitReport {
            budget: Some(budget.name),
            limit: budget.limit,
            remaining: budget.remaining,
        });
        let rule_report = status.rule_limit.map(|limit| LimitReport {
            budget: None,
            limit,
            remaining: NanoUsd(limit.0.saturating_sub(status.spent_today.0)),
        });
        Ok(SessionReport { turn, spent_today: status.spent_today, limits: budgets.chain(rule_report).collect() })
    }
}

/// The request for the version, the process and the providers of the gateway.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReportGateway {}

/// Result of [`ReportGateway`]: the state of the process that executed the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayReport {
    /// Version of turnwise.
    pub version: String,
    /// Id of the process.
    pub process: u32,
    /// The providers with a model that the process has a key for, or that need none.
    pub providers: BTreeSet<String>,
    /// All providers with a model.
    pub known_providers: BTreeSet<String>,
}

impl Operation for ReportGateway {
    type Response = GatewayReport;

    fn execute(self, engine: &mut Engine) -> Result<GatewayReport, ControlError> {
        let registry = &engine.models().registry;
        let configured_models = registry.iter().filter(|model| model.configured);
        Ok(GatewayReport {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            process: std::process::id(),
            providers: configured_models.map(|model| model.provider.to_string()).collect(),
            known_providers: registry.providers().map(ToString::to_string).collect(),
        })
    }
}
