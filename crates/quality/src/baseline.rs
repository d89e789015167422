//! Baseline methods of selecting models, to which the pattern store is compared. They are trained on the same turns,
//! and unlike the store they compute in floating point.
//!
//! [`Logistic`] is a logistic regression on the features of the store, [`Neighbours`] a search by TF-IDF vectors.

mod logistic;
mod logistic_fit;
mod neighbours;
mod sparse;
mod vocabulary;

pub(crate) use logistic::Logistic;
pub(crate) use neighbours::Neighbours;
