//! Points in time, as the log keeps them.

use serde::{Deserialize, Serialize};

/// Microseconds since 1970-01-01T00:00:00Z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub u64);

const MICROS_PER_SECOND: u64 = 1_000_000;
const MICROS_PER_DAY: u64 = 86_400 * MICROS_PER_SECOND;

impl Timestamp {
    /// The point `seconds` whole seconds after the epoch.
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Whole seconds since 1970-01-01 UTC.
    #[must_use]
    pub const fn secs(self) -> u64 {
        self.0 / 1_000_000
    }

    /// The UTC day this point falls on, counted from 1970-01-01.
    pub const fn utc_day(self) -> u64 {
        self.0 / MICROS_PER_DAY
    }

    /// Minutes since local midnight (0..1440) for a clock `offset_minutes` ahead of UTC.
    pub fn local_minute_of_day(self, offset_minutes: i16) -> u16 {
        // A day has 1,440 minutes, so both conversions always succeed.
        let utc = i32::try_from(self.0 % MICROS_PER_DAY / (60 * MICROS_PER_SECOND)).unwrap_or_default();
        u16::try_from((utc + i32::from(offset_minutes)).rem_euclid(1_440)).unwrap_or_default()
    }

    /// This point `micros` microseconds later.
    #[must_use]
    pub const fn plus_micros(self, micros: u64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// This point `seconds` seconds later.
    #[must_use]
    pub const fn plus_secs(self, seconds: u64) -> Self {
        self.plus_micros(seconds.saturating_mul(MICROS_PER_SECOND))
    }

    /// Microseconds from `earlier` to this point, or 0 when `earlier` is later.
    pub const fn micros_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}
