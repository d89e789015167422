//! Tests of the files of models.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod models;
