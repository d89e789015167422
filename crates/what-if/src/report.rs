//! The result of a backtest.

use std::collections::BTreeMap;

use contracts::{SessionId, Slot, TurnId};
use event_core::Timestamp;
use serde::Serialize;

use engine::RuleHits;

use crate::{
    accuracy::AccuracyReport,
    success::KnownSuccess,
    totals::{GroupTotal, Totals},
};

/// Maximum number of turns that a report keeps with their decision chains.
pub(crate) const MAX_LARGEST_CHANGES: usize = 20;

/// The assumptions behind every estimate, for the reader of a report.
pub(crate) const ASSUMPTIONS: [&str; 7] = [
    "The number of calls of a turn and the tokens of each response are taken as recorded: another model may need more or fewer.",
    "The size of each prompt is taken as recorded, scaled to the other model's tokenizer by the estimates made when the turn started.",
    "The provider's prompt cache is simulated for every model and thread. An estimate is the recorded cost plus the simulated change, \
     and at least what the provider bills if the whole prompt is read from the cache.",
    "Only the calls of a turn's own model change with the turn; calls of other models and of sub-agents inside it stay as recorded.",
    "Outages, session models and what was learned are those of the log; what was spent on a day, and which models signed the thinking \
     of a session, follow the policy that is tried.",
    "A model that failed before its response has also failed for a policy that chooses it; any other model is taken to work.",
    "Failed calls that were billed cost the same on both sides.",
];

/// The assumption about imported turns, whose session files do not record everything.
pub(crate) const IMPORTED_ASSUMPTION: &str = "Of imported turns the session files show the model, the thinking, the prompt cache and some tools, \
     but not the settings of a request, its tool definitions or its documents: a model that does not support those is taken to work.";

/// The result of a backtest: a comparison of policies over the same recorded turns. It is rendered as HTML, CSV or
/// JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The baseline: `recorded`, or the name of a policy.
    pub against: String,
    /// Turns that could be compared.
    pub turns: u64,
    /// The recorded cost of the compared turns, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// Those of them that were imported.
    pub imported: u64,
    /// The times at which the first and the last of the compared turns started; `None` without turns.
    pub period: Option<(Timestamp, Timestamp)>,
    /// The error of simulating the recorded run without any change.
    pub calibration: AccuracyReport,
    /// The totals of the baseline.
    pub old: Totals,
    /// The cost of the baseline in nano-dollars if a change of model lost no part of the prompt cache.
    pub old_same_cache_nano_usd: i64,
    /// The policies that were tried, cheapest first.
    pub new: Vec<PolicyResult>,
    /// The recorded hits of each rule, as on the page and in `rules show`, for the turns in the range.
    pub hits: RuleHits,
    /// The known success rates of each model, by project and over all projects.
    pub success: KnownSuccess,
    /// Turns that could not be compared, by reason, at their recorded cost.
    pub excluded: BTreeMap<String, GroupTotal>,
    /// The first thousand of them.
    pub excluded_turns: Vec<ExcludedTurn>,
    /// Calls in the range that belong to no turn in it.
    pub outside: OutsideCalls,
    /// Questions of turnwise in the range to a model which skill a message loads; no other figure includes them.
    pub skill_routing: OutsideCalls,
    /// The turns whose cost changes most under the cheapest policy, largest change first.
    pub largest: Vec<TurnRow>,
    /// The index of the cheapest policy in the order in which the policies were given.
    pub largest_of: usize,
    /// The assumptions behind the estimates.
    pub assumptions: Vec<&'static str>,
}

/// Model calls that belong neither to a compared nor to an excluded turn, such as those of turns that started before
/// the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct OutsideCalls {
    /// Number of calls.
    pub calls: u64,
    /// Cost of the calls with a known price, in nano-dollars.
    pub nano_usd: i64,
}

/// The totals of one policy in a backtest, and how they differ from the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PolicyResult {
    /// The name of the policy.
    pub name: String,
    /// Turns, calls and cost under the policy.
    pub totals: Totals,
    /// Turns that another model takes.
    pub changed: u64,
    /// The number of turns and the difference in nano-dollars, by baseline model and then by new model.
    pub switches: BTreeMap<String, BTreeMap<String, (u64, i64)>>,
    /// The changed turns by project, baseline model and new model. With [`Report::success`] they show the risk.
    pub changes: Vec<ModelChange>,
    /// The cost in nano-dollars if a change of model lost no part of the prompt cache.
    pub same_cache_nano_usd: i64,
}

/// The turns of a project whose model changes from one given model to another under a policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelChange {
    /// The folder of the project; `(none)` for turns without one.
    pub project: String,
    /// The model of the baseline.
    pub from: String,
    /// The new model.
    pub to: String,
    /// The number of turns.
    pub turns: u64,
    /// Their cost under the baseline, in nano-dollars.
    pub old_nano_usd: i64,
    /// Their cost under the policy, in nano-dollars.
    pub new_nano_usd: i64,
}

/// A turn that could not be compared in a backtest, and the reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcludedTurn {
    /// The id of the turn.
    pub turn: TurnId,
    /// The session of the turn.
    pub session: SessionId,
    /// The time when the turn started.
    pub at: Timestamp,
    /// The reason, as a text for people.
    pub reason: String,
}

/// The model that one policy chooses for a turn, with the reason and the estimated cost.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The id of the chosen model.
    pub model: String,
    /// The name of the rule that decided, or else the name of the slot.
    pub rule: String,
    /// The reason in one line.
    pub why: String,
    /// The estimated cost of the turn, in nano-dollars.
    pub nano_usd: i64,
    /// The cost if a change of model lost no part of the prompt cache, in nano-dollars.
    pub same_cache_nano_usd: i64,
    /// The chain as formatted by `why`; only for the turns whose cost changes most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

/// A turn with the choices of all policies: one row of a backtest report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnRow {
    /// The id of the turn.
    pub turn: TurnId,
    /// The session of the turn.
    pub session: SessionId,
    /// The time when the turn started.
    pub at: Timestamp,
    /// The workspace folder of the turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The start of the message on one line; `None` if its text is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Whether the turn was imported.
    pub imported: bool,
    /// The id of the model that answered the turn.
    pub recorded: String,
    /// The name of the rule, or else of the slot, that decided the turn when it ran; `what ran` for an imported turn.
    pub recorded_rule: String,
    /// The number of calls of that model on the turn's own thread.
    pub calls: u64,
    /// The recorded cost of the turn, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// The choice of the baseline.
    pub old: Choice,
    /// The choices of the tried policies, in the order in which they were given.
    pub new: Vec<Choice>,
    /// For each choice of `new`, the first slot of the chain that differs from the baseline; `None` if the model is the
    /// same.
    pub parted: Vec<Option<Slot>>,
}

impl Report {
    /// Returns the total of all turns that could not be compared.
    pub fn excluded_total(&self) -> GroupTotal {
        self.excluded.values().fold(GroupTotal::default(), |mut sum, total| {
            sum.add(*total);
            sum
        })
    }
}

impl TurnRow {
    /// Returns the higher of the costs under the baseline and under `policy` (an index of `new`), in nano-dollars.
    pub fn larger_cost(&self, policy: usize) -> i64 {
        self.new.get(policy).map_or(0, |new| new.nano_usd).max(self.old.nano_usd)
    }

    /// Returns the cost under `policy` (an index of `new`) minus that of the baseline, in nano-dollars; 0 without such
    /// a policy.
    pub fn difference(&self, policy: usize) -> i64 {
        self.new.get(policy).map_or(0, |new| new.nano_usd.saturating_sub(self.old.nano_usd))
    }
}
