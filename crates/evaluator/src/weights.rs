//! The weights of signals, and the sign of each kind.
//!
//! The built-in weights with their reasons:
//!
//! | signal | sign | weight | reason |
//! | --- | --- | --- | --- |
//! | rating | its own | 128 | explicit feedback on this turn outweighs all other signals together |
//! | chosen by user, reassigned | positive, negative | 32 | a deliberate choice of model, though not of the result |
//! | reverted | negative | 20 | the result is gone; the user may have changed their mind |
//! | corrected, repeated request | negative | 12 | inferred from one message |
//! | approved | positive | 12 | inferred from one message |
//! | cancelled | negative | 8 | a deliberate act, perhaps due to a mistake of the user |
//! | withheld | negative | 6 | the model did not do the work |
//! | continued | positive | 5 | no objection to a finished turn is weak consent |
//! | gave up | negative | 4 | no result, mostly for reasons of the provider |
//! | completed | positive | 3 | the model considers the work done |
//! | tool declined | negative | 3 | the user rejected one step |
//! | cut short | negative | 2 | the response is incomplete |
//! | tools | share of successes | 2 | errors during the work are normal |
//! | call failed | negative | 1 | evidence about the provider more than about the response |
//! | prior weight | - | 8 | completed with tools has a confidence of 5/13 and does not count; continued raises it to 10/18 |

use contracts::events::SignalKind;
use serde::Deserialize;

/// The weight of each kind of signal. A rubric file may omit weights, which then have their built-in value; a weight of
/// 0 disables the signal. The signs are fixed, see the module documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// The turn ended by itself.
    pub completed: u16,
    /// The user cancelled the turn.
    pub cancelled: u16,
    /// The turn ended with a failed call and no retry.
    pub gave_up: u16,
    /// A response ended at its token limit.
    pub cut_short: u16,
    /// The model or a content filter refused to respond.
    pub withheld: u16,
    /// A call failed.
    pub call_failed: u16,
    /// All tools together, positive in proportion to successes.
    pub tools: u16,
    /// The user declined or interrupted a tool.
    pub tool_declined: u16,
    /// The next message continued with something else.
    pub continued: u16,
    /// The next message repeated the request.
    pub repeated_request: u16,
    /// The next message corrected the response.
    pub corrected: u16,
    /// The next message approved the response.
    pub approved: u16,
    /// The user chose this model over a rule or a suggestion.
    pub chosen_by_user: u16,
    /// The user reassigned the work to another model.
    pub reassigned: u16,
    /// Files written by the turn were reverted.
    pub reverted: u16,
    /// The user's last rating.
    pub rating: u16,
    /// The weight of missing evidence: with signals of this total weight, the confidence is one half.
    pub prior_weight: u16,
}

impl Weights {
    /// The weights listed in the module documentation.
    pub(crate) const BUILT_IN: Self = Self {
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

    /// Returns the weight of a kind of signal in a verdict; 0 if the rubric disables
    /// this kind. Successful and failed tools have one common weight, and so have good and bad ratings.
    pub const fn weight(&self, kind: SignalKind) -> u16 {
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

/// Returns whether a kind of signal raises the score. `false` for kinds that lower it, and for the results of tools,
/// whose contribution is the share of successes; see [`is_tool`].
pub(crate) const fn is_positive(kind: SignalKind) -> bool {
    matches!(
        kind,
        SignalKind::Completed
            | SignalKind::Continued
            | SignalKind::Approved
            | SignalKind::ChosenByUser
            | SignalKind::RatingUp
    )
}

/// Returns whether a kind of signal is the result of a tool; all such signals share one weight.
pub(crate) const fn is_tool(kind: SignalKind) -> bool {
    matches!(kind, SignalKind::ToolSucceeded | SignalKind::ToolFailed)
}
