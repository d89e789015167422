//! Learned recommendations: a projection of past turns with their outcomes, and a nearest-neighbour search over them
//! (004 §5.5).
//!
//! A *row* holds the outcomes of one model in turns with equal features (a *fingerprint*) in one workspace: the number
//! of turns, and the exact sums of scores and costs. A recommendation finds the rows most similar to a new turn and
//! weighs expected score against expected cost, in integers (decision D20), so that it is the same on every machine.
//!
//! Features are those *known when the turn starts*, as recorded in `turn.started`: the request of the message, and the
//! files, tools and side effects of earlier turns of the session. Files and tools that the turn itself uses are not
//! among its features, because a new turn has not used any yet; they are features of later turns of the session.
//!
//! The estimators are documented with their formulas in the modules `calibrated` and `paper`; the features and
//! similarities they use in `idf`, `structure`, `packed` and `regression`.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod calibrated;
mod capacity;
mod embedding;
mod evaluation;
mod explain;
mod fingerprint;
mod fixed;
mod growth;
mod hash;
mod idf;
mod idle_stores;
mod interner;
mod jaccard;
mod levels;
mod normal;
mod outcome_sums;
mod packed;
mod paper;
mod projection;
mod recommend;
mod recorded;
mod regression;
mod row;
mod running_turn;
mod search;
mod search_index;
mod smallest;
mod space;
mod status;
mod store;
mod structure;
#[cfg(test)]
mod tests;
mod token_hashes;
mod unit_vector;
mod vocabulary;

pub mod features;

pub use calibrated::{Estimate, rank_by_utility, recommendation};
pub use capacity::{CapacityEvent, HARD_CAP, MAX_AGE_MICROS, SOFT_CAP};
pub use embedding::project_embedding;
pub use evaluation::MIN_EVAL_CONFIDENCE;
pub use explain::{Counterfactual, Explanation, ModelExplanation, SimilarRow, SuccessTerms};
pub use fingerprint::fingerprint_key;
pub use packed::similarity;
pub use projection::{PatternEvent, Patterns};
pub use search::BYTES_COMPARED;
pub use smallest::MAX_NEIGHBOURS;
pub use status::{ModelStatus, RowStatus, WorkspaceStatus};
pub use store::{RowId, Sample, Store};
