//! What a store has to beat: textbook methods in floating point, on the same past.

mod logistic;
mod neighbours;
mod newton;
mod sparse;
mod terms;

pub(crate) use logistic::Logistic;
pub(crate) use neighbours::Neighbours;
