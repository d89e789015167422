//! [`TimeWindow`], a daily window of local time, for the condition `time_of_day_between`.

use std::fmt;

/// A daily window from one minute to another: the start is included, the end is not. It contains midnight if the start
/// is later than the end (decision D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    /// The start in minutes since midnight.
    pub(crate) from: u16,
    /// The end in minutes since midnight; if it equals the start, the window is empty.
    pub(crate) until: u16,
}

impl TimeWindow {
    /// Returns whether the window contains a time, given in minutes since midnight.
    pub(crate) const fn contains(self, minute_of_day: u16) -> bool {
        if self.from <= self.until {
            self.from <= minute_of_day && minute_of_day < self.until
        } else {
            self.from <= minute_of_day || minute_of_day < self.until
        }
    }

    /// Parses a time of day, `H:MM` or `HH:MM`, into minutes since midnight; `None` if it is invalid, such as `24:00`.
    pub(crate) fn parse_minute_of_day(text: &str) -> Option<u16> {
        let (hours, minutes) = text.split_once(':')?;
        let number = |part: &str, lengths: std::ops::RangeInclusive<usize>, end: u16| {
            let digits = lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<u16>().ok()).flatten().filter(|number| *number < end)
        };
        Some(number(hours, 1..=2, 24)? * 60 + number(minutes, 2..=2, 60)?)
    }
}

impl fmt::Display for TimeWindow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, until } = self;
        write!(f, "{:02}:{:02}–{:02}:{:02}", from / 60, from % 60, until / 60, until % 60)
    }
}
