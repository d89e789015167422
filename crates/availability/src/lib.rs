//! Which models and providers are out: the availability machine of 004 §4.5 as a projection.
//!
//! [`Availability`] folds the outcome of every call into the health of two kinds of scope, a model and a whole
//! provider. What it holds is a function of the events alone; whether an outage still stands is a function of
//! that state and of the time somebody asks at, so that replaying gives the same answers (decision D5).
//!
//! - [`Availability::outages`] is the view a decision reads.
//! - [`Availability::status`] is the view a person reads.
//! - [`Availability::transitions`] are the events about outages that the log does not tell yet (decision D6).
//!
//! An outage that a success ended is over. After one that ended because nobody tried, the first call sent is a probe:
//! until it is answered, but for [`thresholds::PROBE_SECONDS`] at most, its scope counts as out for everybody else, so
//! that they do not all try at once. One failure then puts it out again. Where the log does not tell when calls were
//! sent, as in an import, there are no probes.
//!
//! Time is when a call happened, not when it was written. An event older than the newest one a scope has seen
//! says nothing about now, as when an import writes last week's calls after today's; that scope ignores it.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod health;
mod outage;
mod probe;
mod projection;
mod provider;
mod status;
mod transition;

pub mod thresholds;

pub use projection::Availability;
pub use status::{ScopeStatus, State};
pub use transition::{Transition, TransitionEvent};
