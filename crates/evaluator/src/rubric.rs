//! Rubrics: how much each signal counts, and the score and confidence that follow.
//!
//! With `w` the weight of a signal and `v` its side (1 for the turn, 0 against it), over the kinds of signals present:
//!
//! ```text
//! score      = Σ w·v / Σ w
//! confidence = Σ w / (Σ w + prior_weight)
//! ```
//!
//! A kind counts once, however often it was noticed: ten failed calls of an overloaded provider are one story. Tools
//! together count once, with `v` the share that succeeded, so that many successes do not drown a correction.
//!
//! The built-in weights, and why. Verdicts below a confidence of 0.5 are recorded and do not count, so `prior_weight` says
//! how much must be known.
//!
//! | signal | side | weight | reason |
//! | --- | --- | --- | --- |
//! | rating | its own | 128 | the user's word on this very turn outweighs everything else together |
//! | chosen by user, reassigned | for, against | 32 | a deliberate choice of model, but not a word about the result |
//! | reverted | against | 20 | what the turn had made is gone; the user may have continued before |
//! | corrected, repeated request | against | 12 | what the user says next, read from one message |
//! | approved | for | 12 | the same, in the other direction |
//! | cancelled | against | 8 | the user acted against it, perhaps because of a mistake of their own |
//! | withheld | against | 6 | the work was not done, whatever came after |
//! | continued | for | 5 | silence after a finished turn is weak consent |
//! | gave up | against | 4 | nothing came of it; mostly the provider's doing |
//! | completed | for | 3 | the model thinks that it was done |
//! | tool declined | against | 3 | one step was not wanted |
//! | cut short | against | 2 | the answer lacks its end |
//! | tools | share that succeeded | 2 | errors on the way are part of the work |
//! | call failed | against | 1 | says more about the provider than about the answer |
//! | prior_weight | - | 8 | completed with tools is 5/13: not enough; continued makes it 10/18 |

use contracts::{Score, events::SignalKind};
use serde::Deserialize;

use crate::signals::Signals;

/// The name of the built-in rubric.
const BUILT_IN: &str = "turn-signals";

/// The longest name of a rubric, in bytes.
const LONGEST_NAME: usize = 64;

/// How signals are weighed, under a name and a version that every verdict carries.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "RubricFile")]
pub struct Rubric {
    name: String,
    version: u16,
    weights: Weights,
}

/// Why a rubric cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RubricError {
    /// No name, a name longer than 64 bytes, or one with white space.
    #[error("the name of a rubric has 1 to {LONGEST_NAME} bytes and no white space, not `{0}`")]
    Name(String),
    /// Versions count from 1.
    #[error("the version of rubric `{0}` is 0; versions count from 1")]
    Version(String),
    /// The built-in rubric under which turns are judged as they happen.
    #[error("`{BUILT_IN}` is the built-in rubric; give yours another name")]
    BuiltIn,
}

/// How much each signal counts; the built-in weight where a file gives none. 0 leaves a signal out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// The turn came to its end.
    pub completed: u16,
    /// The user stopped it.
    pub cancelled: u16,
    /// The last call failed and nobody tried again.
    pub gave_up: u16,
    /// An answer ran into the limit of tokens.
    pub cut_short: u16,
    /// An answer was withheld.
    pub withheld: u16,
    /// A call failed.
    pub call_failed: u16,
    /// All tools together, for the turn in proportion to those that succeeded.
    pub tools: u16,
    /// The user declined a tool, or stopped it.
    pub tool_declined: u16,
    /// The user went on to something else.
    pub continued: u16,
    /// The next message asks the same again.
    pub repeated_request: u16,
    /// The next message says that it was wrong.
    pub corrected: u16,
    /// The next message says that it was right.
    pub approved: u16,
    /// The user chose this model against a rule or a suggestion.
    pub chosen_by_user: u16,
    /// The user took the work away and gave it to another model.
    pub reassigned: u16,
    /// Files that the turn had written were taken back.
    pub reverted: u16,
    /// The user's last rating.
    pub rating: u16,
    /// What is not known: the confidence is one half when the signals weigh as much.
    pub prior_weight: u16,
}

impl Weights {
    /// The weights of the table above.
    const BUILT_IN: Self = Self {
        completed: 3,
        cancelled: 8,
        gave_up: 4,
        cut_short: 2,
        withheld: 6,
        call_failed: 1,
        tools: 2,
        tool_declined: 3,
        continued: 5,
        repeated_request: 12,
        corrected: 12,
        approved: 12,
        chosen_by_user: 32,
        reassigned: 32,
        reverted: 20,
        rating: 128,
        prior_weight: 8,
    };

    /// The weight of a kind of signal.
    pub const fn of(&self, kind: SignalKind) -> u16 {
        match kind {
            SignalKind::Completed => self.completed,
            SignalKind::Cancelled => self.cancelled,
            SignalKind::GaveUp => self.gave_up,
            SignalKind::CutShort => self.cut_short,
            SignalKind::Withheld => self.withheld,
            SignalKind::CallFailed => self.call_failed,
            SignalKind::ToolSucceeded | SignalKind::ToolFailed => self.tools,
            SignalKind::ToolDeclined => self.tool_declined,
            SignalKind::Continued => self.continued,
            SignalKind::RepeatedRequest => self.repeated_request,
            SignalKind::Corrected => self.corrected,
            SignalKind::Approved => self.approved,
            SignalKind::ChosenByUser => self.chosen_by_user,
            SignalKind::Reassigned => self.reassigned,
            SignalKind::Reverted => self.reverted,
            SignalKind::RatingUp | SignalKind::RatingDown => self.rating,
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Self::BUILT_IN
    }
}

/// A rubric as a file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RubricFile {
    name: String,
    version: u16,
    #[serde(default)]
    weights: Weights,
}

impl TryFrom<RubricFile> for Rubric {
    type Error = RubricError;

    fn try_from(file: RubricFile) -> Result<Self, RubricError> {
        Self::new(&file.name, file.version, file.weights)
    }
}

/// Which way a kind of signal speaks.
const fn speaks_for(kind: SignalKind) -> bool {
    matches!(
        kind,
        SignalKind::Completed
            | SignalKind::Continued
            | SignalKind::Approved
            | SignalKind::ChosenByUser
            | SignalKind::RatingUp
    )
}

impl Rubric {
    /// The rubric under which turns are judged as they happen: `turn-signals`, version 1.
    pub fn built_in() -> Self {
        Self { name: BUILT_IN.to_owned(), version: 1, weights: Weights::BUILT_IN }
    }

    /// A rubric of the user's own.
    ///
    /// # Errors
    /// [`RubricError`] for a name or version that cannot be used.
    pub fn new(name: &str, version: u16, weights: Weights) -> Result<Self, RubricError> {
        if name.is_empty() || LONGEST_NAME < name.len() || name.contains(char::is_whitespace) {
            return Err(RubricError::Name(name.chars().take(LONGEST_NAME).collect()));
        }
        if version == 0 {
            return Err(RubricError::Version(name.to_owned()));
        }
        // Two rubrics of one name and version would overrule each other for ever.
        if name == BUILT_IN {
            return Err(RubricError::BuiltIn);
        }
        Ok(Self { name: name.to_owned(), version, weights })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its version.
    pub const fn version(&self) -> u16 {
        self.version
    }

    /// Score and confidence, rounded down to billionths.
    pub(crate) fn weigh(&self, signals: &Signals) -> (Score, Score) {
        // In units of one tool's share, so that the proportion of tools stays exact. Weights are below 2^16, kinds below
        // 2^5 and tools below 2^33: a sum stays below 2^54.
        let tools = u64::from(signals.tools_succeeded()) + u64::from(signals.tools_failed());
        let unit = tools.max(1);
        let (mut speaking_for, mut all) = (0, 0);
        for kind in signals.kinds().filter(|kind| !Signals::is_tool(*kind)) {
            let weight = u64::from(self.weights.of(kind)) * unit;
            all += weight;
            speaking_for += if speaks_for(kind) { weight } else { 0 };
        }
        all += u64::from(self.weights.tools) * tools;
        speaking_for += u64::from(self.weights.tools) * u64::from(signals.tools_succeeded());
        let prior_weight = u64::from(self.weights.prior_weight) * unit;
        (Score::ratio(speaking_for, all), Score::ratio(all, all + prior_weight))
    }
}
