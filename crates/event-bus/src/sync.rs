//! What threads and tasks of the bus share, named in one place, so that a model checker can take its place.
//!
//! Normally these are the real things. With the features `model-loom` and `model-shuttle`, which `cargo xtask models`
//! turns on and no program does, they are stand-ins with the same contract, made of the checker's locks; the bus and
//! the log in memory run on them as they are.

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
