//! Google's `generateContent`: validates requests and writes responses.

mod history;
mod read;
mod signature;
mod write;

pub(crate) use read::read;
pub(crate) use write::{array, events, whole};
