//! Evaluation of turns: signals folded from events, and verdicts computed from them with a rubric.
//!
//! - A *signal* is evidence about the quality of a turn: the turn ended by itself, a tool failed, the next message
//!   corrects the response. It has the id of the event that is its evidence.
//! - A *work* is the part of a turn that one model did; a turn has several if the user reassigned it.
//! - A *verdict* is the score of one work with a confidence, recorded as `eval.completed`.
//! - A [`Rubric`] has the weights from which a verdict is computed, in closed form.
//!
//! [`Evaluator`] folds events into signals. [`Evaluator::due_verdicts`] returns the verdicts that the log does not
//! have, as events to append. The next message, a rating or a revert changes a verdict, and another rubric is applied
//! to the same log by a replay.
//!
//! [`tone`] classifies whether a message corrects or approves the previous response. It is computed when a turn is
//! captured; the evaluator reads the recorded tone and no text.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod conversation;
mod projection;
mod signals;
mod tone;
mod turn;
mod verdict;
mod verdict_history;
mod weights;
mod work;

pub mod rubric;

pub use projection::Evaluator;
pub use rubric::{Rubric, RubricError};
pub use tone::tone;
pub use verdict::DueVerdict;
pub use weights::Weights;
