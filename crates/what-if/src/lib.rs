//! What if: repeats recorded decisions, under the policy that was active then or under another.
//!
//! [`replay`] repeats every decision from the log alone and compares it byte for byte. [`backtest`] computes which
//! turns would have changed model under other policies, and estimates their cost; the provider's prompt cache is
//! simulated. Its [`Report`] is rendered as HTML, CSV or JSON.

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
