//! The thresholds of outages (004 §4.5). Windows are inclusive: an event exactly at the end of a window counts
//! (decision D5).

/// The number of consecutive failures within [`FAILURE_WINDOW_SECONDS`] that makes a model unavailable.
pub const FAILURES_PER_OUTAGE: usize = 5;

/// The window of [`FAILURES_PER_OUTAGE`], in seconds.
pub const FAILURE_WINDOW_SECONDS: u64 = 120;

/// The number of models with outages started within [`MODEL_WINDOW_SECONDS`] that makes their provider unavailable.
pub const MODELS_PER_OUTAGE: usize = 3;

/// The window of [`MODELS_PER_OUTAGE`], in seconds.
pub const MODEL_WINDOW_SECONDS: u64 = 120;

/// The window, in seconds, within which two network errors make a provider unavailable.
pub const NETWORK_WINDOW_SECONDS: u64 = 30;

/// The time without attempts after which an outage recovers automatically, in seconds (004 §4.5.2).
pub const RECOVERY_SECONDS: u64 = 300;

/// The longest time for which a probe blocks other calls, in seconds. After that the next call is the probe.
pub const PROBE_SECONDS: u64 = 60;
