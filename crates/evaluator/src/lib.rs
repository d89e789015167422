//! How well turns went: what is noticed about them in the log, and the verdicts that follow under a rubric.
//!
//! [`Evaluator`] folds events into signals, each the id of the event that shows it. A [`Rubric`] weighs them in closed
//! form. What the log does not say yet, [`Evaluator::due`] gives as events to append, so a verdict is never a guess made
//! once: the next message, a rating or a revert changes it, and another rubric applied to the same log is a replay.
//!
//! [`tone`] reads what a message says about the answer before it; the capture of a turn records that, and the
//! evaluator reads the record, not the text.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod given;
mod latest;
mod line;
mod projection;
mod signals;
mod tone;
mod turn;

mod verdict;
mod work;

pub mod rubric;

pub use projection::Evaluator;
pub use rubric::{Rubric, RubricError, Weights};
pub use tone::tone;
pub use verdict::Verdict;
