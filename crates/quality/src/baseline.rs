//! Baseline methods in floating point, trained on the same turns as the store.

mod logistic;
mod neighbours;
mod newton;
mod sparse;
mod terms;

pub(crate) use logistic::Logistic;
pub(crate) use neighbours::Neighbours;
