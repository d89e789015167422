//! Google's `generateContent`: what is wrong with a request, and the shapes of an answer.

mod history;
mod read;
mod signature;
mod write;

pub(crate) use read::read;
pub(crate) use write::{array, events, whole};
