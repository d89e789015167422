//! What the private parts of a store promise, each beside the naive reading of it.

mod caps;
mod given;
mod knowledge;
mod linear;
mod search;
mod structure;
mod words;
