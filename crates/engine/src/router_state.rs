//! Everything a decision reads of the past, folded together so that it stands at one log position.

use availability::Availability;
use contracts::views::Views;
use costs::Costs;
use event_core::{CodecError, Projection, Recorded, Timestamp};
use patterns::Patterns;
use serde::{Deserialize, Serialize};

use crate::{in_force::AsLogged, known::with_views, sessions::Sessions};

/// The views of a decision. Consistent by composition: one fold advances all of them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RouterState {
    /// Who is out.
    pub availability: Availability,
    /// What was spent.
    pub costs: Costs,
    /// What was learned.
    pub patterns: Patterns,
    /// What each session has set, done and seen.
    pub sessions: Sessions,
    /// Which policy and models the log knows of.
    pub in_force: AsLogged,
}

impl RouterState {
    /// Gives a decision about a turn of this time what it reads.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}

impl Projection for RouterState {
    const NAME: &'static str = "router-state";
    // A checkpoint holds all of the parts, so it is of use only while each has the version it was saved with. Two
    // decimal digits for each: no two sets of versions give the same number.
    const VERSION: u32 = Availability::VERSION * 100_000_000
        + Costs::VERSION * 1_000_000
        + Patterns::VERSION * 10_000
        + Sessions::VERSION * 100
        + AsLogged::VERSION;

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        self.availability.apply(event)?;
        self.costs.apply(event)?;
        self.patterns.apply(event)?;
        self.sessions.apply(event)?;
        self.in_force.apply(event)
    }
}
