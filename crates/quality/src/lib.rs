//! Evaluation of the pattern store on public prompts with known outcomes. It is not part of the program.
//!
//! A set is replayed as in live operation: training turns are recorded and judged one after another, then the store
//! recommends models for test turns.

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
