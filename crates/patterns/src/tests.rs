//! Tests of private modules, most of them against a naive implementation.

mod capacity;
mod fixtures;
mod idf;
mod interner;
mod regression;
mod saved;
mod search;
mod search_index;
mod structure;
