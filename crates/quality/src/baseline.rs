//! Baseline methods, trained on the same turns as the store. Unlike the store they compute in floating point.
//!
//! [`Logistic`] is a logistic regression on the features of the store, [`Neighbours`] a search by TF-IDF vectors.

mod logistic;
mod logistic_fit;
mod neighbours;
mod sparse;
mod vocabulary;

pub(crate) use logistic::Logistic;
pub(crate) use neighbours::Neighbours;
