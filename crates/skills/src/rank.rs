//! Ranks skills for a text by their descriptions and by labelled requests (C-42: the learned intent of `SCORE`).
//!
//! A text is a sparse vector of hashed words, pairs of words and character sequences ([`features`]), weighted by their
//! rarity ([`vocabulary`]). One linear classifier for each skill, and one for "no skill", is trained on the descriptions,
//! keywords and requests of the skill against those of all others ([`margin_training`]) and rounded to integers
//! ([`weights`]). Sums become probabilities by a softmax that is fitted to held-out requests ([`calibration`]).
//! [`LearnedIntent`] adds the probability from which a skill is loaded, and is what decisions use.
//!
//! There is no model file and no randomness. Training uses the exactly rounded operations of IEEE 754 in a fixed order
//! and [`elementary`] functions made of them, so that a ranker is the same on every machine.

mod calibration;
mod elementary;
mod features;
mod learned_intent;
mod margin_training;
mod ranker;
mod ranking;
mod vocabulary;
mod weights;

pub use learned_intent::LearnedIntent;
pub use ranker::{SkillRanker, TrainingRequest};
pub use ranking::{RankedSkill, SkillRanking};
