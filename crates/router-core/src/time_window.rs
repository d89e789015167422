//! A part of the day.

use std::fmt;

/// From one minute of the day to another, start included, end excluded; wraps at midnight (decision D10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeWindow {
    /// Minutes since midnight.
    pub(crate) from: u16,
    /// Minutes since midnight. Equal to `from`: never.
    pub(crate) until: u16,
}

impl TimeWindow {
    pub(crate) const fn contains(self, minute: u16) -> bool {
        if self.from <= self.until {
            self.from <= minute && minute < self.until
        } else {
            self.from <= minute || minute < self.until
        }
    }

    /// The minute of the day that `H:MM` or `HH:MM` names.
    pub(crate) fn minute(text: &str) -> Option<u16> {
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
