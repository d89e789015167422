//! What a backtest found.

use std::collections::BTreeMap;

use contracts::{SessionId, Slot, TurnId};
use event_core::Timestamp;
use serde::Serialize;

use crate::{identity::IdentityError, totals::Totals};

/// The turns that matter most: so many of them are kept with their chains.
pub(crate) const MOST: usize = 20;

/// What every estimate rests on, in sentences for people.
pub(crate) const ASSUMPTIONS: [&str; 6] = [
    "The number of calls of a turn and the tokens of each answer are taken as recorded: another model may need more or fewer.",
    "The size of each prompt is taken as recorded, scaled to the other model's tokenizer by the estimates made when the turn started.",
    "The provider's prompt cache is simulated for every model and thread. An estimate is the recorded cost plus what the simulation \
     says changes, so that what it gets wrong on both sides cancels; the error of simulating what really happened stands beside it.",
    "Only the calls of a turn's own model change with the turn; auxiliary calls by other models and the calls of sub-agents stay as recorded.",
    "Outages, session models and what was learned stand as the log had them; what was spent on a day follows the policy that is tried.",
    "Calls that failed are dropped on both sides.",
];

/// A comparison of policies over the same turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// What the others are compared with: `recorded`, or the name of a policy.
    pub against: String,
    /// Turns that could be judged.
    pub turns: u64,
    /// What the judged turns cost as recorded, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// How far the simulation is from what was recorded when nothing is changed.
    pub identity: IdentityError,
    /// The side the others are compared with.
    pub old: Totals,
    /// The policies that were tried, cheapest first.
    pub new: Vec<Compared>,
    /// Turns that could not be judged, by reason.
    pub unjudged: BTreeMap<String, u64>,
    /// What those cost as recorded, in nano-dollars.
    pub unjudged_nano_usd: i64,
    /// The first of them.
    pub unjudged_turns: Vec<Unjudged>,
    /// The turns that make the greatest difference under the cheapest policy, the greatest first.
    pub most: Vec<TurnRow>,
    /// Which of the policies, in the order in which they were given, is the cheapest.
    pub most_of: usize,
    /// What the estimates rest on.
    pub assumptions: Vec<&'static str>,
}

/// A policy that was tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    /// Its name.
    pub name: String,
    /// What its choices come to.
    pub totals: Totals,
    /// Turns that change model.
    pub changed: u64,
    /// From the old model to the new one: turns and the difference in nano-dollars.
    pub switches: BTreeMap<String, BTreeMap<String, (u64, i64)>>,
}

/// A turn that could not be judged, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it started.
    pub at: Timestamp,
    /// Why.
    pub reason: String,
}

/// What one side chooses for a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The model.
    pub model: String,
    /// The rule that decides, or the place in the chain.
    pub rule: String,
    /// Why, in a line.
    pub why: String,
    /// What the turn would have cost, in nano-dollars.
    pub nano_usd: i64,
    /// The whole chain as one screen; only for the turns that matter most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<String>,
}

/// A turn under all policies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TurnRow {
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it started.
    pub at: Timestamp,
    /// The folder it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The model that really ran.
    pub recorded: String,
    /// Calls of that model.
    pub calls: u64,
    /// What the turn cost as recorded, in nano-dollars.
    pub recorded_nano_usd: i64,
    /// What the new choices are compared with.
    pub old: Choice,
    /// What each policy chooses, in the order in which they were given.
    pub new: Vec<Choice>,
    /// The first policy of the chain at which each new choice parts from the old one, when it does.
    pub parted: Vec<Option<Slot>>,
}

impl TurnRow {
    /// What a policy changes, in nano-dollars.
    pub fn difference(&self, policy: usize) -> i64 {
        self.new.get(policy).map_or(0, |new| new.nano_usd.saturating_sub(self.old.nano_usd))
    }
}
