//! How well the pattern store chooses models, measured on public prompts with known outcomes.
//!
//! A set is replayed as a live store would have seen it: past turns are recorded and judged one after another, then the
//! store is asked about turns it has not seen. Nothing here is shipped.

mod baseline;
mod bootstrap;
mod calibration;
pub mod data;
mod expected;
pub mod failure;
mod figures;
mod forecast;
mod gap;
mod gate;
mod hash;
mod hull;
mod number;
mod replay;
pub mod report;
mod split;
mod sweep;
#[cfg(test)]
mod synthetic;
pub mod tables;
mod targets;
mod trial;
