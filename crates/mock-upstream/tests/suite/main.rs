//! The mock from the outside: responses, tools, rejected requests, failures, and recorded requests.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod answers;
mod failures;
mod load;
mod refusals;
mod remembered;
mod support;
