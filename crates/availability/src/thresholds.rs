//! The thresholds of 004 §4.5. All windows are inclusive (decision D5).

/// The number of consecutive failures within [`STRIKE_WINDOW_SECONDS`] that makes a model unavailable.
pub const STRIKES: usize = 5;

/// The window of [`STRIKES`], in seconds.
pub const STRIKE_WINDOW_SECONDS: u64 = 120;

/// The number of models with outages started within [`SIBLING_WINDOW_SECONDS`] that makes their provider unavailable.
pub const SIBLINGS: usize = 3;

/// The window of [`SIBLINGS`], in seconds.
pub const SIBLING_WINDOW_SECONDS: u64 = 120;

/// The window, in seconds, within which two network errors make a provider unavailable.
pub const NETWORK_WINDOW_SECONDS: u64 = 30;

/// The time without attempts after which an outage recovers automatically, in seconds (004 §4.5.2).
pub const QUIET_SECONDS: u64 = 300;

/// The longest time for which a probe blocks other calls, in seconds. After that the next call is the probe.
pub const PROBE_SECONDS: u64 = 60;
