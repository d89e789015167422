//! [`StatedSpending`], the amounts spent before a turn as a user states them.

use contracts::{NanoUsd, PeriodAmounts, Spending};

/// Amounts spent before a turn; `None` for an amount that is not stated. If the amount of the week or the month is not
/// stated, it is at least the stated amount of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StatedSpending {
    /// Amount spent in all sessions since UTC midnight.
    pub today: Option<NanoUsd>,
    /// Amount spent in all sessions since Monday.
    pub week: Option<NanoUsd>,
    /// Amount spent in all sessions since the first of the month.
    pub month: Option<NanoUsd>,
    /// Amount spent in the turn's project. It is used for the day, the week and the month.
    pub project: Option<NanoUsd>,
    /// Amount spent by the turn's client. It is used for the day, the week and the month.
    pub client: Option<NanoUsd>,
    /// Amount spent in the turn's session.
    pub session: Option<NanoUsd>,
}

impl StatedSpending {
    /// Replaces `spent_today`, the amount spent in all sessions since UTC midnight, and the amounts of `spending` by
    /// the stated amounts.
    pub fn apply_to(&self, spent_today: &mut NanoUsd, spending: &mut Spending) {
        let at_least_today = |stated: Option<NanoUsd>, recorded: NanoUsd| {
            stated.unwrap_or_else(|| self.today.map_or(recorded, |today| recorded.max(today)))
        };
        *spent_today = self.today.unwrap_or(*spent_today);
        spending.week = at_least_today(self.week, spending.week);
        spending.month = at_least_today(self.month, spending.month);
        for (stated, amounts) in [(self.project, &mut spending.project), (self.client, &mut spending.client)] {
            if let Some(amount) = stated {
                *amounts = PeriodAmounts { day: amount, week: amount, month: amount };
            }
        }
        spending.session = self.session.unwrap_or(spending.session);
    }
}
