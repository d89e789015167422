//! What if: decisions made again from the log, under the policy that was active then or under another.
//!
//! [`replay`] shows that the log is enough to make every decision again, byte for byte. [`backtest`] asks what the same
//! traffic would have cost, and which turns would have changed model, under other policies; what a change of model does
//! to the provider's prompt cache is simulated. A [`Report`] holds what came of it, to be printed, drawn or read.

mod backtest;
mod candidate;
mod choose;
mod csv;
mod day;
mod error;
mod explain;
mod html;
mod identity;
mod ledger;
mod library;
mod money;
mod range;
mod replay;
mod report;
mod sweep;
mod switch_cost;
mod tally;
mod totals;
mod walk;

pub use backtest::{Against, Backtest, backtest};
pub use candidate::Candidate;
pub use csv::write_csv;
pub use error::WhatIfError;
pub use explain::{Explained, explain};
pub use html::html;
pub use identity::IdentityError;
pub use money::{dollars, per_cent, signed};
pub use range::Range;
pub use replay::{Divergence, Made, Replayed, replay};
pub use report::{Choice, Compared, Report, TurnRow, Unjudged};
pub use sweep::{Sweep, SweepError};
pub use switch_cost::{SwitchCost, switch_cost};
pub use totals::{Share, Totals};
