//! [`TurnResult`], how a turn ended and whether the user accepted it, by which costs can be grouped.

use contracts::events::{EvalCompleted, SignalKind, TurnStatus};

/// How a turn ended, and whether the user accepted it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TurnResult {
    /// The turn completed, and the user did not reject its result.
    Completed,
    /// The turn completed, and the user rejected its result: repeated or corrected the request, reverted its files, gave
    /// the work to another model, or rated it down.
    Rejected,
    /// The user cancelled the turn.
    Cancelled,
    /// The last call of the turn failed.
    Failed,
    /// The turns were removed from the log, which has only their total.
    Removed,
    /// The call was no part of a turn: turnwise asked which skill fits a message.
    SkillRouting,
    /// The log has no end of the turn.
    #[default]
    NotEnded,
}

impl TurnResult {
    /// Returns the result of the turn in words, as commands print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Rejected => "rejected by the user",
            Self::Cancelled => "cancelled by the user",
            Self::Failed => "failed",
            Self::Removed => "removed from the log",
            Self::SkillRouting => "skill routing",
            Self::NotEnded => "not ended",
        }
    }

    /// Returns whether the cost of the turn was spent without an accepted result.
    pub const fn is_wasted(self) -> bool {
        matches!(self, Self::Rejected | Self::Cancelled | Self::Failed)
    }

    /// Returns the result of a turn that ended with a status.
    pub(crate) const fn of_status(status: TurnStatus) -> Self {
        match status {
            TurnStatus::Completed => Self::Completed,
            TurnStatus::Cancelled => Self::Cancelled,
            TurnStatus::Refused | TurnStatus::Failed => Self::Failed,
        }
    }
}

/// Returns whether a verdict contains evidence that the user rejected the result of the turn. A rating outweighs all
/// other evidence; the last one counts.
pub(crate) fn is_rejected(verdict: &EvalCompleted) -> bool {
    let kinds = || verdict.signals.iter().map(|signal| signal.kind);
    let is_rating = |kind: &SignalKind| matches!(kind, SignalKind::RatingUp | SignalKind::RatingDown);
    if let Some(rating) = kinds().rfind(is_rating) {
        return rating == SignalKind::RatingDown;
    }
    let rejects = [SignalKind::RepeatedRequest, SignalKind::Corrected, SignalKind::Reverted, SignalKind::Reassigned];
    kinds().any(|kind| rejects.contains(&kind))
}

#[cfg(test)]
mod tests {
    use contracts::events::Signal;
    use event_core::EventId;

    use super::*;

    fn rejected(kinds: &[SignalKind]) -> bool {
        let signal = |kind: &SignalKind| Signal { kind: *kind, event: EventId([0; 16]) };
        is_rejected(&EvalCompleted { signals: kinds.iter().map(signal).collect(), ..EvalCompleted::sample() })
    }

    /// A correction, a repetition, a revert or a change of model rejects a result; the last rating decides alone.
    #[test]
    fn a_result_is_rejected_by_the_next_message_or_by_the_last_rating() {
        use SignalKind::{Approved, Completed, Continued, Corrected, RatingDown, RatingUp, RepeatedRequest, Reverted};
        for kind in [Corrected, RepeatedRequest, Reverted, SignalKind::Reassigned, RatingDown] {
            assert!(rejected(&[Completed, kind]), "{kind:?}");
        }
        assert!(!rejected(&[Completed, Continued, Approved]) && !rejected(&[]));
        assert!(!rejected(&[Corrected, RatingDown, RatingUp]) && rejected(&[RatingUp, Approved, RatingDown]));
    }
}
