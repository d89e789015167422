//! The availability of models and providers: the circuit breaker of 004 §4.5 as a projection.
//!
//! - A *scope* is a model or a provider.
//! - An *outage* is a time during which calls to a scope are expected to fail. It starts after certain failures (its
//!   *trigger*) and ends with a successful call, or automatically after a pause without attempts.
//! - An *attempt* is a call that ended, unless it was cancelled.
//! - A *probe* is the first call after an automatic recovery. Until it ends, for at most [`thresholds::PROBE_SECONDS`],
//!   the scope stays unavailable for other calls, so that they do not all retry at once. One failure then starts a new
//!   outage. Logs without call starts, such as imports, have no probes.
//! - A *transition* is the event of the start or end of an outage.
//!
//! [`Availability`] folds the outcome of every call into the health of its model and its provider. The state is a
//! function of the events alone; whether an outage is active is a function of the state and the time of the query, so a
//! replay returns the same results (decision D5).
//!
//! - [`Availability::outages`] is the view for decisions.
//! - [`Availability::status`] is the view for users.
//! - [`Availability::transitions`] returns the transitions that are not in the log yet (decision D6).
//!
//! Times are those of the calls, not of their recording. A scope ignores events older than its latest attempt, for
//! example when an import records last week's calls after today's.
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
pub use status::{AvailabilityState, NOT_CALLED, NOT_CHECKED, ScopeStatus};
pub use transition::{Transition, TransitionEvent};
