//! What if: repeats recorded decisions, under the policy that was active then or under another.
//!
//! [`replay`] repeats every decision from the log alone and compares it byte for byte. [`backtest`] computes which
//! turns would have changed model under other policies, and estimates their cost; the provider's prompt cache is
//! simulated. Its [`Report`] is rendered as HTML, CSV or JSON.

mod accuracy;
mod backtest;
mod candidate;
mod choice;
mod csv;
mod day;
mod error;
mod explain;
mod html;
mod latest_turns;
mod money;
mod policy_cache;
mod range;
mod recorded_decision;
mod recorded_patterns;
mod replay;
mod report;
mod report_builder;
mod savings;
mod simulated_costs;
mod skill_point;
mod success;
mod sweep;
mod switch_cost;
mod totals;
mod turn_comparison;
mod walk;

pub use accuracy::AccuracyReport;
pub use backtest::{Backtest, Baseline, backtest, backtest_latest};
pub use candidate::Candidate;
pub use csv::write_csv;
pub use error::WhatIfError;
pub use explain::{RecommendationExplanation, explain};
pub use html::html;
pub use latest_turns::LatestTurns;
pub use money::{dollars, per_cent, signed};
pub use range::Range;
pub use replay::{DecisionOutcome, Divergence, ReplayReport, replay};
pub use report::{Choice, ExcludedTurn, ModelChange, OutsideCalls, PolicyResult, Report, TurnRow};
pub use savings::{RuleSavings, Savings, savings};
pub use success::{KnownSuccess, Success, success_in_workspace, success_text};
pub use sweep::{Sweep, SweepError};
pub use switch_cost::{SwitchCost, switch_cost};
pub use totals::{GroupTotal, Totals};
