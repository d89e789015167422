//! What past turns teach about new ones (004 §5.5): a projection of turns, and a nearest-neighbour search.
//!
//! The unit is the turn. A row is what is known about one model in turns of one fingerprint in one workspace:
//! samples, the exact sum of their scores and the exact sum of their cost. A recommendation looks at the rows
//! most similar to a new turn and weighs quality against cost, all of it in integers (decision D20).
//!
//! The fingerprint is made of the features *known when the turn started*, as `turn.started` carries them: what
//! the message asks for, and what the session's earlier turns touched. What the turn itself goes on to touch is
//! dropped on purpose, because a new turn has to be compared before it has touched anything; the next turns of
//! the session carry it.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod bounded;
mod calibrated;
mod caps;
mod embedding;
mod explain;
mod fingerprint;
mod growth;
mod jaccard;
mod judgement;
mod knowledge;
mod levels;
mod linear;
mod nearest;
mod normal;
mod open_turn;
mod packed;
mod paper;
mod places;
mod projection;
mod recommend;
mod recorded;
mod row;
mod said;
mod search;
mod shared;
mod space;
mod spread;
mod status;
mod store;
mod structure;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

pub mod features;

pub use calibrated::{Estimate, recommendation, weigh};
pub use caps::{HARD_CAP, MAX_AGE_MICROS, RoomNeeded, SOFT_CAP};
pub use embedding::project;
pub use explain::{Considered, Explanation, Flip, Parts, Similar};
pub use fingerprint::key as fingerprint_key;
pub use judgement::MIN_EVAL_CONFIDENCE;
pub use nearest::MOST as MOST_NEIGHBOURS;
pub use packed::similarity;
pub use projection::Patterns;
pub use search::BYTES_COMPARED;
pub use status::{ModelStatus, RowStatus, WorkspaceStatus};
pub use store::{RowId, Sample, Store};
