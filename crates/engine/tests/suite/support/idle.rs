//! What the tests of state that leaves memory share: random numbers, a log whose entries fail, and the comparison of logs.

use std::sync::atomic::{AtomicBool, Ordering};

use event_bus::{LogError, testing::LogHooks};
use event_core::Position;

use super::Desk;

/// A log that cannot load or save entries of a state while the flag is set.
#[derive(Debug, Default)]
pub(crate) struct FailsEntries(pub(crate) AtomicBool);

impl LogHooks for FailsEntries {
    fn before_entry(&self) -> Result<(), LogError> {
        if self.0.load(Ordering::Relaxed) {
            return Err(LogError::IndexUnavailable { path: "index".into(), cause: "no space left".into() });
        }
        Ok(())
    }
}

/// Returns the next of a sequence of numbers that look random.
pub(crate) fn next_random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Returns the events of a log without the paths of its policy file, which differ between two desks.
pub(crate) fn comparable_events(desk: &Desk) -> Vec<(Position, String, Vec<u8>)> {
    let events = desk.events().into_iter().filter(|event| event.event.kind != "policy.loaded");
    events.map(|event| (event.position, event.event.kind.to_string(), event.event.payload.to_vec())).collect()
}
