//! Synchronisation primitives of the bus, re-exported here so that a model checker can replace them.
//!
//! Normally these are the real ones. With the features `model-loom` and `model-shuttle`, which only `cargo xtask
//! models` enables, they are models with the same contract, built from the checker's locks. The bus and the in-memory
//! log run on them unchanged.

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
