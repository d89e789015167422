//! Kills at random moments.
use crate::failure::{Failure, Outcome};
pub(crate) fn run(rounds: u32, seed: Option<u64>) -> Outcome {
    Err(Failure::new(format!("event-bus has no example `crash_writer` yet to kill {rounds} times with {seed:?}")))
}
