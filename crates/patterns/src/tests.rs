//! What the private parts of a store promise, each beside the naive reading of it.

mod bounded;
mod caps;
mod given;
mod knowledge;
mod linear;
mod saved;
mod search;
mod shared;
mod structure;
mod words;
