//! Amounts spent in periods of time, as budgets and rules compare them (decisions D10, D46). Days, weeks and months are
//! those of UTC; a week starts on Monday.

use event_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::NanoUsd;

/// Seconds of a day.
const DAY_SECS: u64 = 86_400;

/// A period of time, such as a day, over which costs are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Period {
    /// Since midnight UTC.
    Day,
    /// Since midnight UTC of the last Monday.
    Week,
    /// Since midnight UTC of the first of the month.
    Month,
    /// Since the start of the session.
    Session,
}

impl Period {
    /// Returns the name of the period in policies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Session => "session",
        }
    }

    /// Returns the first UTC day of the period that contains `day`, counted from 1970-01-01; `None` for a session.
    pub const fn first_day(self, day: u64) -> Option<u64> {
        match self {
            Self::Day => Some(day),
            // 1970-01-01 was a Thursday.
            Self::Week => Some(day.saturating_sub((day + 3) % 7)),
            Self::Month => Some(day - (day_of_month(day) - 1)),
            Self::Session => None,
        }
    }

    /// Returns the time at which the period that contains `at` ends and the next one starts; `None` for a session.
    pub fn resets_at(self, at: Timestamp) -> Option<Timestamp> {
        let first_day = self.first_day(at.utc_day())?;
        let next_day = match self {
            Self::Day => first_day + 1,
            Self::Week => first_day + 7 - (first_day + 3) % 7,
            // 31 days after the first of a month it is one of the first days of the next.
            Self::Month => self.first_day(first_day + 31)?,
            Self::Session => return None,
        };
        Some(Timestamp::from_secs(next_day * DAY_SECS))
    }
}

/// Returns the day of the month, from 1, of a day counted from 1970-01-01, by the Gregorian calendar.
const fn day_of_month(day: u64) -> u64 {
    // Counted from 0000-03-01, so that a leap day is the last day of its year and of its era of 400 years.
    let day_of_era = (day + 719_468) % 146_097;
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    day_of_year - (153 * month + 2) / 5 + 1
}

/// The amounts of money spent in the current day, week and month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PeriodAmounts {
    /// Since midnight UTC.
    pub day: NanoUsd,
    /// Since Monday.
    pub week: NanoUsd,
    /// Since the first of the month.
    pub month: NanoUsd,
}

/// Estimated costs of the model calls that were sent and have not ended. They count towards the budgets of these
/// scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InFlight {
    /// Of all calls.
    pub all: NanoUsd,
    /// Of the calls of the turn's project.
    pub project: NanoUsd,
    /// Of the calls of the turn's client.
    pub client: NanoUsd,
    /// Of the calls of the turn's session.
    pub session: NanoUsd,
}

/// The money spent up to the start of a turn, by scope and period. The amount of the day over all sessions is recorded
/// beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spending {
    /// Of all sessions, since Monday.
    pub week: NanoUsd,
    /// Of all sessions, since the first of the month.
    pub month: NanoUsd,
    /// Of the turn's project, its workspace; zero if that is unknown.
    pub project: PeriodAmounts,
    /// Of the turn's client; zero if that is unknown.
    pub client: PeriodAmounts,
    /// Of the turn's session.
    pub session: NanoUsd,
    /// Estimated costs of calls that have not ended. A call is added when it is sent, and removed when it ends.
    pub in_flight: InFlight,
}

#[cfg(test)]
mod tests {
    use event_core::Timestamp;

    use super::{DAY_SECS, Period};

    /// Days from 1970-01-01 of each month's first, by adding the lengths of the months one by one.
    fn first_days_of_months(until_year: u64) -> Vec<u64> {
        let (mut day, mut firsts) = (0, Vec::new());
        for year in 1970..until_year {
            let is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
            for length in [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
                firsts.push(day);
                day += length;
            }
        }
        firsts
    }

    #[test]
    fn d46_months_are_those_of_the_calendar() {
        let firsts = first_days_of_months(2_110);
        for pair in firsts.windows(2) {
            for day in pair[0]..pair[1] {
                assert_eq!(Period::Month.first_day(day), Some(pair[0]), "{day}");
                let resets = Period::Month.resets_at(Timestamp::from_secs(day * DAY_SECS + 5));
                assert_eq!(resets, Some(Timestamp::from_secs(pair[1] * DAY_SECS)), "{day}");
            }
        }
    }

    #[test]
    fn d46_weeks_start_on_monday_and_days_at_midnight() {
        // 2026-11-23 is a Monday: day 20,780.
        let monday = 20_780;
        for day in monday..monday + 7 {
            let at = Timestamp::from_secs(day * DAY_SECS + DAY_SECS - 1);
            assert_eq!(Period::Week.first_day(day), Some(monday));
            assert_eq!(Period::Week.resets_at(at), Some(Timestamp::from_secs((monday + 7) * DAY_SECS)));
            assert_eq!(Period::Day.resets_at(at), Some(Timestamp::from_secs((day + 1) * DAY_SECS)));
        }
        assert_eq!(Period::Week.first_day(monday - 1), Some(monday - 7));
        assert_eq!(Period::Session.resets_at(Timestamp::from_secs(0)), None);
        assert_eq!(Period::Week.resets_at(Timestamp::from_secs(0)), Some(Timestamp::from_secs(4 * DAY_SECS)));
    }
}
