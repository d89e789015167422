//! What threads and tasks of the bus share, named in one place, so that a model checker can take its place.
//!
//! Normally these are the real things. Under `--cfg model_loom` and `--cfg model_shuttle` (`cargo xtask models`) they
//! are stand-ins with the same contract, made of the checker's locks; the bus and the log in memory run on them as
//! they are.

#[cfg(any(model_loom, model_shuttle))]
mod modelled;
#[cfg(not(any(model_loom, model_shuttle)))]
mod real;

#[cfg(any(model_loom, model_shuttle))]
pub(crate) use modelled::*;
#[cfg(not(any(model_loom, model_shuttle)))]
pub(crate) use real::*;
