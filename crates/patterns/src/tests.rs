//! Tests of private modules, most of them against a naive implementation.
//!
//! `fixtures` generates turns, settings and stores; each other module tests the module of the crate with the same name,
//! and `saved` all serialised forms.

mod capacity;
mod fixtures;
mod idf;
mod interner;
mod regression;
mod saved;
mod search;
mod search_index;
mod structure;
