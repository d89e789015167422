//! Files that fail: the writer stops, readers go on, and nothing unacknowledged shows.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "the counts are kept in the documentation")]

mod errors;
mod full_disk;
mod lies;
mod session;
mod stalls;
#[path = "../support/mod.rs"]
mod support;
mod texts;
