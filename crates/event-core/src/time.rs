//! [`Timestamp`], a point in time with microsecond resolution.

use serde::{Deserialize, Serialize};

/// A point in time: microseconds since 1970-01-01T00:00:00Z. Arithmetic saturates instead of overflowing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

/// Microseconds in a second.
const MICROS_PER_SECOND: u64 = 1_000_000;
/// Microseconds in a day of 86,400 seconds.
const MICROS_PER_DAY: u64 = 86_400 * MICROS_PER_SECOND;

impl Timestamp {
    /// Creates the time `seconds` seconds after 1970-01-01T00:00:00Z.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Returns the number of seconds since 1970-01-01T00:00:00Z, rounded down.
    #[must_use]
    pub const fn secs(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Returns the number of the UTC day: 0 for 1970-01-01.
    pub const fn utc_day(self) -> u64 {
        self.0 / MICROS_PER_DAY
    }

    /// Returns the minute of the day in local time, `0..1440`. `offset_minutes` is the offset of local time from UTC in
    /// minutes; positive offsets are east.
    pub fn local_minute_of_day(self, offset_minutes: i16) -> u16 {
        // A day has 1,440 minutes, so both conversions always succeed.
        let utc = i32::try_from(self.0 % MICROS_PER_DAY / (60 * MICROS_PER_SECOND)).unwrap_or_default();
        u16::try_from((utc + i32::from(offset_minutes)).rem_euclid(1_440)).unwrap_or_default()
    }

    /// Returns the time that is `micros` microseconds later.
    #[must_use]
    pub const fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Returns the time that is `seconds` seconds later.
    #[must_use]
    pub const fn plus_secs(self, seconds: u64) -> Self {
        self.plus_micros(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Returns the number of microseconds from `earlier` to this time; 0 if `earlier` is later.
    pub const fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
