//! A reference implementation of the rubric's formula in exact fractions.

use contracts::events::{Signal, SignalKind};
use evaluator::Weights;

/// Returns score and confidence in billionths, rounded down. `tools` has the numbers of successes and failures.
pub(crate) fn evaluate(signals: &[Signal], tools: (u64, u64), weights: &Weights) -> (u64, u64) {
    use SignalKind as Kind;
    let has = |kind: Kind| signals.iter().any(|signal| signal.kind == kind);
    let rows = [
        (Kind::Completed, weights.completed, 1),
        (Kind::Cancelled, weights.cancelled, 0),
        (Kind::GaveUp, weights.gave_up, 0),
        (Kind::CutShort, weights.cut_short, 0),
        (Kind::Withheld, weights.withheld, 0),
        (Kind::CallFailed, weights.call_failed, 0),
        (Kind::ToolDeclined, weights.tool_declined, 0),
        (Kind::Continued, weights.continued, 1),
        (Kind::RepeatedRequest, weights.repeated_request, 0),
        (Kind::Corrected, weights.corrected, 0),
        (Kind::Approved, weights.approved, 1),
        (Kind::ChosenByUser, weights.chosen_by_user, 1),
        (Kind::Reassigned, weights.reassigned, 0),
        (Kind::Reverted, weights.reverted, 0),
        (Kind::RatingUp, weights.rating, 1),
        (Kind::RatingDown, weights.rating, 0),
    ];
    let (succeeded, failed) = tools;
    // The common denominator of the share of successes.
    let scale = u128::from((succeeded + failed).max(1));
    let (mut positive, mut total) = (0, 0);
    for (kind, of_kind, sign) in rows {
        if has(kind) {
            positive += u128::from(of_kind) * sign * scale;
            total += u128::from(of_kind) * scale;
        }
    }
    if 0 < succeeded + failed {
        positive += u128::from(weights.tools) * u128::from(succeeded);
        total += u128::from(weights.tools) * scale;
    }
    let billionths =
        |part: u128, whole: u128| u64::try_from((part * 1_000_000_000).checked_div(whole).unwrap_or_default()).unwrap();
    (billionths(positive, total), billionths(total, total + u128::from(weights.prior_weight) * scale))
}
