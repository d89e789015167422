//! Clients of the services that a user configures: today the embedder.

pub mod embedder;
