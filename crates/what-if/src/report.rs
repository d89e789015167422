//! The result of a backtest.

use std::collections::BTreeMap;

use contracts::{SessionId, Slot, TurnId};
use event_core::Timestamp;
use serde::Serialize;

use crate::{accuracy::AccuracyReport, totals::Totals};

/// Maximum number of turns that a report keeps with their decision chains.
pub(crate) const MAX_LARGEST_CHANGES: usize = 20;

/// The assumptions behind every estimate, for the reader of a report.
pub(crate) const ASSUMPTIONS: [&str; 6] = [
    "The number of calls of a turn and the tokens of each answer are taken as recorded: another model may need more or fewer.",
    "The size of each prompt is taken as recorded, scaled to the other model's tokenizer by the estimates made when the turn started.",
    "The provider's prompt cache is simulated for every model and thread. An estimate is the recorded cost plus what the simulation \
     says changes, so that what it gets wrong on both sides cancels; the error of simulating what really happened stands beside it.",
    "Only the calls of a turn's own model change with the turn; auxiliary calls by other models and the calls of sub-agents stay as recorded.",
    "Outages, session models and what was learned stand as the log had them; what was spent on a day follows the policy that is tried.",
    "Calls that failed are dropped on both sides.",
];

/// A comparison of policies over the same turns: the result of a backtest, rendered as HTML, CSV or JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The baseline: `recorded`, or the name of a policy.
    pub against: String,
    /// Turns that could be compared.
    pub turns: u64,
    /// The recorded cost of the compared turns, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// The error of simulating the recorded run without any change.
    pub identity: AccuracyReport,
    /// The totals of the baseline.
    pub old: Totals,
    /// The policies that were tried, cheapest first.
    pub new: Vec<PolicyResult>,
    /// Turns that could not be compared, by reason.
    pub unjudged: BTreeMap<String, u64>,
    /// Their recorded cost in nano-dollars.
    pub unjudged_nano_usd: i64,
    /// The first thousand of them.
    pub unjudged_turns: Vec<ExcludedTurn>,
    /// The turns whose cost changes most under the cheapest policy, largest change first.
    pub most: Vec<TurnRow>,
    /// The index of the cheapest policy in the order in which the policies were given.
    pub most_of: usize,
    /// The assumptions behind the estimates.
    pub assumptions: Vec<&'static str>,
}

/// The totals of one tried policy, and how they differ from the baseline.
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
}

/// A turn that could not be compared, and the reason.
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

/// The choice of one policy for a turn.
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
    /// The chain as formatted by `why`; only for the turns whose cost changes most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

/// A turn under all policies: one row of a report.
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
    /// The id of the model that answered the turn.
    pub recorded: String,
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

impl TurnRow {
    /// Returns the cost under `policy` (an index of `new`) minus that of the baseline, in nano-dollars; 0 without such
    /// a policy.
    pub fn difference(&self, policy: usize) -> i64 {
        self.new.get(policy).map_or(0, |new| new.nano_usd.saturating_sub(self.old.nano_usd))
    }
}
