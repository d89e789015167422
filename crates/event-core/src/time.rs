//! [`Timestamp`], the time of events.

use serde::{Deserialize, Serialize};

/// A point in time, as microseconds since 1970-01-01T00:00:00Z. Arithmetic saturates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

const MICROS_PER_SECOND: u64 = 1_000_000;
const MICROS_PER_DAY: u64 = 86_400 * MICROS_PER_SECOND;

impl Timestamp {
    /// Creates the point `seconds` seconds after the epoch.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Returns the whole seconds since the epoch.
    #[must_use]
    pub const fn secs(self) -> u64 {
        self.0 / 1_000_000
    }

    /// Returns the UTC day, counted from 1970-01-01.
    pub const fn utc_day(self) -> u64 {
        self.0 / MICROS_PER_DAY
    }

    /// Returns the minutes since local midnight (`0..1440`) at an offset of `offset_minutes` from UTC.
    pub fn local_minute_of_day(self, offset_minutes: i16) -> u16 {
        // A day has 1,440 minutes, so both conversions always succeed.
        let utc = i32::try_from(self.0 % MICROS_PER_DAY / (60 * MICROS_PER_SECOND)).unwrap_or_default();
        u16::try_from((utc + i32::from(offset_minutes)).rem_euclid(1_440)).unwrap_or_default()
    }

    /// Returns the point `micros` microseconds later.
    #[must_use]
    pub const fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// Returns the point `seconds` seconds later.
    #[must_use]
    pub const fn plus_secs(self, seconds: u64) -> Self {
        self.plus_micros(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Returns the microseconds from `earlier` to this point; 0 if `earlier` is later.
    pub const fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
