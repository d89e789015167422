//! Everything a decision reads of the past, folded together so that it stands at one log position.

use availability::Availability;
use contracts::views::Views;
use costs::Costs;
use evaluator::Evaluator;
use event_core::{CodecError, Projection, Recorded, Timestamp};
use patterns::Patterns;
use serde::{Deserialize, Serialize};

use crate::{active::AsLogged, known::with_views, rule_hits::RuleHits, sessions::Sessions};

/// The views of a decision. Consistent by composition: one fold advances all of them.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RouterState {
    /// Who is out.
    pub availability: Availability,
    /// What was spent.
    pub costs: Costs,
    /// What was learned.
    pub patterns: Patterns,
    /// How the latest turns went.
    pub evaluator: Evaluator,
    /// What each session has set, done and seen.
    pub sessions: Sessions,
    /// Which policy and models the log knows of.
    pub active: AsLogged,
    /// How often each rule won.
    pub rule_hits: RuleHits,
}

impl RouterState {
    /// Gives a decision about a turn of this time what it reads.
    pub fn with_views<T>(&self, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        with_views(&self.availability, &self.patterns, at, decide)
    }
}

impl Projection for RouterState {
    const NAME: &'static str = "router-state";
    // A checkpoint holds all of the parts, so it is of use only while each has the version it was saved with.
    const VERSION: u32 = together([
        Availability::VERSION,
        Costs::VERSION,
        Patterns::VERSION,
        Evaluator::VERSION,
        Sessions::VERSION,
        AsLogged::VERSION,
        RuleHits::VERSION,
    ]);

    fn apply(&mut self, event: &Recorded) -> Result<(), CodecError> {
        self.availability.apply(event)?;
        self.costs.apply(event)?;
        self.patterns.apply(event)?;
        self.evaluator.apply(event)?;
        self.sessions.apply(event)?;
        self.active.apply(event)?;
        self.rule_hits.apply(event)
    }
}

/// One number for several versions below 16: no two sets of versions give the same. Another version does not compile.
const fn together(versions: [u32; 7]) -> u32 {
    let (mut together, mut rest) = (0, versions.as_slice());
    while let [version, others @ ..] = rest {
        assert!(*version < 16, "four bits for each version");
        (together, rest) = (together * 16 + *version, others);
    }
    together
}
