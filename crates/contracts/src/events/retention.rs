//! Events that replace the removed events of old sessions by totals.

use event_core::{Position, Timestamp};
use serde::{Deserialize, Serialize};

use super::{DecisionMode, event, sample};
use crate::{CallRole, ModelId, NanoUsd, Slot, Usage};

/// Event: the contents of old sessions were removed from the log with `events retain`. The events keep their positions
/// and hashes. [`CostsRetained`] and [`DecisionsRetained`] before it in the log have their totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogRetained {
    /// Sessions whose last event is earlier were removed.
    pub before: Timestamp,
    /// Number of removed sessions.
    pub sessions: u64,
    /// Number of turns of these sessions.
    pub turns: u64,
    /// Number of events whose payload was replaced by its hash.
    pub events: u64,
    /// Position of the last of them.
    pub until: Position,
}

event!(
    LogRetained,
    "log.retained",
    1,
    Internal,
    "The contents of old sessions were removed from the log; their decisions and costs are kept as totals.",
    LogRetained { before: Timestamp(1_778_250_185_000_000), sessions: 3, turns: 40, events: 412, until: Position(900) }
);

/// Event: the usage and cost of removed calls that ended on one day, of one model, role, project, client and rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CostsRetained {
    /// UTC day on which the calls ended, counted from 1970-01-01.
    pub day: u64,
    /// Model of the calls.
    pub model: ModelId,
    /// Role of the calls.
    pub role: CallRole,
    /// Workspace of the sessions; `None` if unknown.
    pub project: Option<String>,
    /// Client of the sessions; `None` if unknown.
    pub client: Option<String>,
    /// Rule that chose the model; `None` if no rule did, or if the turns were imported.
    pub rule: Option<String>,
    /// Number of calls, including those without a known price.
    pub calls: u64,
    /// Number of calls without a known price.
    pub unpriced_calls: u64,
    /// Usage of all calls.
    pub usage: Usage,
    /// Cost of the calls with a known price.
    pub cost: NanoUsd,
}

event!(
    CostsRetained,
    "costs.retained",
    1,
    Internal,
    "The total of removed calls of one day, model, role, project, client and rule.",
    CostsRetained {
        day: 20_580,
        model: sample::model(),
        role: CallRole::Planner,
        project: Some("/home/you/project".to_owned()),
        client: Some("claude-code".to_owned()),
        rule: Some("fast for commits".to_owned()),
        calls: 12,
        unpriced_calls: 0,
        usage: Usage { input: 120_000, output: 9_000, ..Usage::default() },
        cost: NanoUsd(180_000_000),
    }
);

/// Event: the number of removed turns that one slot decided; for the slot of rules, that one rule decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionsRetained {
    /// Slot of the chain that decided; `None` for refused turns.
    pub slot: Option<Slot>,
    /// Rule that decided; `None` if another slot did.
    pub rule: Option<String>,
    /// Whether the decisions were applied, or are about imported turns.
    pub mode: DecisionMode,
    /// UTC day of the latest of these decisions, counted from 1970-01-01.
    pub day: u64,
    /// Number of turns.
    pub turns: u64,
}

event!(
    DecisionsRetained,
    "decisions.retained",
    1,
    Internal,
    "The number of removed turns that a slot or a rule decided.",
    DecisionsRetained {
        slot: Some(Slot::ConfiguredRules),
        rule: Some("fast for commits".to_owned()),
        mode: DecisionMode::Live,
        day: 20_580,
        turns: 31,
    }
);
