//! The effect of other thresholds on past replies of a model (000 §2.4).

use contracts::Score;
use serde::{Deserialize, Serialize};

use crate::rate::Rate;

/// The number of labelled replies from which a calibration is reported.
pub const MIN_CALIBRATION_REPLIES: usize = 50;
/// The thresholds that are compared, in hundredths.
const THRESHOLDS: [u64; 10] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95];

/// A reply of a model with its outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelledReply {
    /// The confidence of the model.
    pub confidence: Score,
    /// Whether the skill was right.
    pub is_right: bool,
}

/// The effect of one threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CalibrationRow {
    /// The threshold.
    pub threshold: Score,
    /// The replies that are right, among those that reach the threshold.
    pub precision: Rate,
    /// The replies below the threshold, which lead to a question, among all.
    pub asked: Rate,
}

/// Returns the effect of each threshold from 0.50 to 0.95; `None` for fewer than [`MIN_CALIBRATION_REPLIES`] replies.
pub fn calibrate(replies: &[LabelledReply]) -> Option<Vec<CalibrationRow>> {
    if replies.len() < MIN_CALIBRATION_REPLIES {
        return None;
    }
    let count = |filter: &dyn Fn(&&LabelledReply) -> bool| {
        u64::try_from(replies.iter().filter(filter).count()).unwrap_or(u64::MAX)
    };
    let total = count(&|_| true);
    let rows = THRESHOLDS.iter().map(|hundredths| {
        let threshold = Score::ratio(*hundredths, 100);
        let used = count(&|reply| threshold <= reply.confidence);
        let right = count(&|reply| threshold <= reply.confidence && reply.is_right);
        let precision = Rate::new(right, used);
        CalibrationRow { threshold, precision, asked: Rate::new(total - used, total) }
    });
    Some(rows.collect())
}

#[cfg(test)]
mod tests {
    use contracts::Score;

    use super::{LabelledReply, calibrate};
    use crate::rate::Rate;

    /// SK-41: from 50 labelled replies on, each threshold has its precision and its share of questions.
    #[test]
    fn fifty_labelled_replies_are_a_calibration() {
        let reply = |index: u64| LabelledReply { confidence: Score::ratio(50 + index, 100), is_right: 20 <= index };
        let replies: Vec<_> = (0..50).map(reply).collect();
        assert_eq!(calibrate(&replies[1..]), None);
        let rows = calibrate(&replies).unwrap();
        let at = |hundredths| *rows.iter().find(|row| row.threshold == Score::ratio(hundredths, 100)).unwrap();
        assert_eq!((at(50).precision, at(50).asked), (Rate::new(30, 50), Rate::new(0, 50)));
        assert_eq!((at(70).precision, at(70).asked), (Rate::new(30, 30), Rate::new(20, 50)));
        assert_eq!(at(95).asked, Rate::new(45, 50));
    }
}
