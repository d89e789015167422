//! Benchmark of the pattern store on public prompts with known outcomes, and of the ranking of skills on requests with
//! known skills ([`skill_choice`]). Not part of the shipped program.
//!
//! A set of prompts is replayed as in live operation: training turns are recorded with their outcomes one after
//! another, then the store recommends models for test turns. Baseline methods are trained on the same turns.
//! [`data::read_sets`] reads the sets, [`report::measure`] measures one of them, and [`tables`] formats the
//! measurements.

mod baseline;
mod bootstrap;
mod calibration;
pub mod data;
pub mod failure;
mod figures;
mod forecast;
mod gap;
mod hash;
mod hull;
mod numbers;
mod replay;
pub mod report;
pub mod skill_choice;
mod split;
mod store_estimates;
mod sweep;
#[cfg(test)]
mod synthetic;
pub mod tables;
mod targets;
mod thresholds;
mod trial;
