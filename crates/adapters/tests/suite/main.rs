//! Provider clients and the embedder, against servers on this machine.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod embedder;
mod embedder_failures;
mod provider;
mod scripted;
#[path = "../support/stand_in.rs"]
mod stand_in;
