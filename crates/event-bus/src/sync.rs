//! Locks, channels, threads, tasks and time for the bus, in two implementations, so that a model checker can replace
//! them.
//!
//! Without features these are the types of the standard library, tokio and crossbeam. With the features `model-loom`
//! and `model-shuttle`, which only `cargo xtask models` enables, they are replacements with the same contract, built on
//! the locks of the model checker. The bus and the log in memory are compiled with either without changes.

#[cfg(test)]
mod contract;
#[cfg(any(feature = "model-loom", feature = "model-shuttle"))]
mod modelled;
#[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
mod real;

#[cfg(any(feature = "model-loom", feature = "model-shuttle"))]
pub(crate) use modelled::*;
#[cfg(not(any(feature = "model-loom", feature = "model-shuttle")))]
pub(crate) use real::*;
