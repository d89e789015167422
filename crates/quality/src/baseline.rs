//! Baseline methods, trained on the same turns as the store. Unlike the store they compute in floating point.

mod logistic;
mod logistic_fit;
mod neighbours;
mod sparse;
mod vocabulary;

pub(crate) use logistic::Logistic;
pub(crate) use neighbours::Neighbours;
