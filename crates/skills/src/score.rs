//! The SCORE layer: a score from 0 to 100 for each skill, and the decision by thresholds (003 Scoring Model).
//!
//! `score = intent + artifact + stack + risk - ambiguity - scope`. All numbers are integers, rounded half up.
//!
//! - *Intent* is the share of the request's content words that a skill knows, weighted by rarity. One word, or everyday
//!   words alone, are too little to load a skill, however much of a short request they are.
//! - *Artifact*, *stack* and *risk* do not apply to a request without paths, without a documented stack or without a risk.
//!   The components that apply then receive their points in proportion.
//! - *Scope* is a penalty for trivial tasks, *ambiguity* one for skills with the same evidence and nearly the same score.

mod ambiguity;
mod artifact;
mod components;
mod decision;
mod everyday;
mod glob;
mod index;
mod intent;
mod log2;
mod order;
mod profile;
mod risk;
mod scope;
mod settings;
mod stack;
pub(crate) mod terms;
mod terms_data;
mod word_table;

pub use components::{ComponentError, Components, MAX_ATTAINABLE};
pub use decision::{Clarification, Exclusion, NoLoadReason, ScoreDecision, ScoreOutcome, ScoredSkill};
pub use index::{ScoreIndex, ScoreInput};
pub use intent::{IntentValue, Probabilities};
pub use settings::ScoringSettings;
