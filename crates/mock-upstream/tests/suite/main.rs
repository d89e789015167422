//! The mock as its clients see it: answers, tools, refusals, failures, and what it remembers.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod answers;
mod failures;
mod load;
mod refusals;
mod remembered;
mod support;
