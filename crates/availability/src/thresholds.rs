//! The numbers of 004 §4.5. All windows are inclusive (decision D5).

/// So many failures in a row take a model out, when the first and the last of them are at most
/// [`STRIKE_WINDOW_SECONDS`] apart.
pub const STRIKES: usize = 5;

/// How far the first and the last strike may be apart, in seconds.
pub const STRIKE_WINDOW_SECONDS: u64 = 120;

/// So many models out take their provider out, when they went out within [`SIBLING_WINDOW_SECONDS`].
pub const SIBLINGS: usize = 3;

/// How far back a model may have gone out to count towards its provider, in seconds.
pub const SIBLING_WINDOW_SECONDS: u64 = 120;

/// How far two network errors may be apart to take a provider out, in seconds.
pub const NETWORK_WINDOW_SECONDS: u64 = 30;

/// So many seconds without an attempt, and an outage is over (004 §4.5.2).
pub const QUIET_SECONDS: u64 = 300;

/// For so many seconds at most the first call after such an end keeps everybody else away; then the next call is the
/// first.
pub const PROBE_SECONDS: u64 = 60;
