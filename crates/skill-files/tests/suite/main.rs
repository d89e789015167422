//! Tests of the crate through its public interface, one module for each subject.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod agents_files;
mod corpus;
mod folders;
mod plugins;
mod reader;
mod support;
