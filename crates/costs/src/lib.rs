//! Costs and usage of model calls: the totals of 004 §5.4 and §6.7 as a projection.
//!
//! Amounts are integers and sums saturate (decision D13), so totals do not depend on the order of events. Calls of
//! models without a known price are counted separately, and their cost is not estimated. Cancelled and interrupted
//! calls are included if their usage is known, since providers bill it. Each call is counted once: the calls of a
//! sub-agent (worker) belong to the session that started it, as a thread of its own.
//!
//! The cost of the same calls with other models depends on prompt caches, which [`prompt_cache`] simulates.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

pub mod prompt_cache;

mod attribution;
mod group_totals;
mod in_flight;
mod latest_day;
mod ledger;
mod projection;
mod session;
mod sorted_map;
mod spending;
mod total;
mod turn_result;

pub use attribution::{AttributedCall, Attribution, DecidedBy};
pub use latest_day::LatestDay;
pub use ledger::{SpendingChange, SpendingLedger};
pub use projection::Costs;
pub use session::{SessionCosts, ThreadCosts};
pub use spending::CostScope;
pub use total::CostTotal;
pub use turn_result::TurnResult;
