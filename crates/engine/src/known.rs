//! What a decision reads of the past: the part of the router's state that making a decision again needs.

use availability::Availability;
use contracts::views::Views;
use event_core::{CodecError, Projection, Recorded, Timestamp};
use patterns::Patterns;
use serde::{Deserialize, Serialize};

/// Availability and patterns at one log position. Folding only these is what makes asking about the past quick.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Known {
    /// Who is out.
    pub availability: Availability,
    /// What was learned.
    pub patterns: Patterns,
}

impl Known {
    /// Gives a decision about a turn of this time what it reads.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}

/// The views of one moment.
pub(crate) fn with_views<T>(
    availability: &Availability,
    patterns: &Patterns,
    at: Timestamp,
    decide: impl FnOnce(&Views<'_>) -> T,
) -> T {
    decide(&Views { outages: &availability.outages_at(at), patterns })
}

impl Projection for Known {
    const NAME: &'static str = "known";
    const VERSION: u32 = Availability::VERSION * 100 + Patterns::VERSION;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        self.availability.apply(event)?;
        self.patterns.apply(event)
    }
}
