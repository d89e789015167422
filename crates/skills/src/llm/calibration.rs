//! [`Calibration`], the effect of other thresholds on past replies of a model (000 §2.4).

use contracts::Score;
use serde::{Deserialize, Serialize};

use crate::rate::Rate;

/// The number of labelled replies from which a calibration is computed.
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

/// The effect of each threshold from 0.50 to 0.95 on labelled replies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calibration {
    /// The thresholds in ascending order.
    pub rows: Vec<CalibrationRow>,
    /// The lowest threshold whose precision reaches the target; `None` if no threshold does. It is never applied by itself.
    pub recommended: Option<Score>,
}

impl Calibration {
    /// Computes the effect of each threshold; `None` for fewer than [`MIN_CALIBRATION_REPLIES`] replies. `min_precision` is
    /// the target in percent.
    pub fn new(replies: &[LabelledReply], min_precision: u16) -> Option<Self> {
        if replies.len() < MIN_CALIBRATION_REPLIES {
            return None;
        }
        let count = |filter: &dyn Fn(&&LabelledReply) -> bool| {
            u64::try_from(replies.iter().filter(filter).count()).unwrap_or(u64::MAX)
        };
        let total = count(&|_| true);
        let row = |hundredths: &u64| {
            let threshold = Score::ratio(*hundredths, 100);
            let used = count(&|reply| threshold <= reply.confidence);
            let right = count(&|reply| threshold <= reply.confidence && reply.is_right);
            let precision = Rate::new(right, used);
            CalibrationRow { threshold, precision, asked: Rate::new(total - used, total) }
        };
        let rows: Vec<_> = THRESHOLDS.iter().map(row).collect();
        let reaches = |row: &&CalibrationRow| {
            0 < row.precision.total && !row.precision.is_below_percent(u64::from(min_precision))
        };
        let recommended = rows.iter().find(reaches).map(|row| row.threshold);
        Some(Self { rows, recommended })
    }
}

#[cfg(test)]
mod tests {
    use contracts::Score;

    use super::{Calibration, LabelledReply};
    use crate::rate::Rate;

    /// SK-41: from 50 labelled replies on, each threshold has its precision and its share of questions.
    #[test]
    fn fifty_labelled_replies_are_a_calibration() {
        let reply = |index: u64| LabelledReply { confidence: Score::ratio(50 + index, 100), is_right: 20 <= index };
        let replies: Vec<_> = (0..50).map(reply).collect();
        assert_eq!(Calibration::new(&replies[1..], 85), None);
        let calibration = Calibration::new(&replies, 85).unwrap();
        let rows = &calibration.rows;
        let at = |hundredths| *rows.iter().find(|row| row.threshold == Score::ratio(hundredths, 100)).unwrap();
        assert_eq!((at(50).precision, at(50).asked), (Rate::new(30, 50), Rate::new(0, 50)));
        assert_eq!((at(70).precision, at(70).asked), (Rate::new(30, 30), Rate::new(20, 50)));
        assert_eq!(at(95).asked, Rate::new(45, 50));
    }

    /// SK-41: the lowest threshold that reaches the target is recommended, and none if no threshold does.
    #[test]
    fn the_lowest_sufficient_threshold_is_recommended() {
        let reply = |index: u64| LabelledReply { confidence: Score::ratio(50 + index, 100), is_right: 20 <= index };
        let replies: Vec<_> = (0..50).map(reply).collect();
        let recommended = |percent| Calibration::new(&replies, percent).unwrap().recommended;
        // At 0.65, 30 of 35 are right.
        assert_eq!(recommended(85), Some(Score::ratio(65, 100)));
        assert_eq!(recommended(100), Some(Score::ratio(70, 100)));
        let wrong = [LabelledReply { confidence: Score::ratio(60, 100), is_right: false }; 50];
        assert_eq!(Calibration::new(&wrong, 85).unwrap().recommended, None);
    }
}
