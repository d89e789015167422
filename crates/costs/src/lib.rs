//! What was spent, and on what: the totals of 004 §5.4 and §6.7 as a projection of calls.
//!
//! Money is an integer and sums saturate (decision D13), so that totals do not depend on the order of events. A
//! call whose model has no known price is counted apart and never guessed. A call that was cancelled or broke off
//! counts like any other when it is known what it had used, since providers bill that, and else not at all. Every
//! call is counted once: a worker's calls belong to the session that planned them, on a line of their own.
//!
//! What the same calls would have cost with other models depends on what prompt caches know: see [`prompt_cache`].
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

pub mod prompt_cache;

mod latest_day;
mod projection;
mod session;
mod sorted;
mod total;

pub use latest_day::LatestDay;
pub use projection::Costs;
pub use session::{Line, LineCosts, SessionCosts};
pub use total::Total;
