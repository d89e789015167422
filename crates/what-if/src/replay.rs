//! Every recorded decision made again from the log alone, and compared byte for byte (decision D14).

use std::collections::BTreeMap;

use contracts::{
    Decision, SessionId, TurnId,
    events::{RouteDecided, RouteFallback},
};
use engine::{decide_again, fall_again};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp, encode};
use router_core::DECIDER_VERSION;
use serde::Serialize;

use crate::{
    error::WhatIfError,
    library::Library,
    range::Range,
    walk::{Decided, Point, Visitor, walk},
};

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Decisions made again.
    pub decisions: u64,
    /// Further steps of turns made again, after models had failed.
    pub steps: u64,
    /// How many of them by what had matched the message, because its text is gone (decision D9).
    pub without_text: u64,
    /// Decisions whose turn never started in this log: its start was lost. They are not made again.
    pub without_start: u64,
    /// Decisions that another version of the decider made, by version. They are not made again.
    pub other_deciders: BTreeMap<u16, u64>,
    /// The BLAKE3 hash over all decisions made again: the same on every machine.
    pub digest: String,
    /// The first decision that came out differently. The replay ends there.
    pub divergence: Option<Box<Divergence>>,
}

/// A decision that came out differently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Divergence {
    /// Where it stands.
    pub position: Position,
    /// The turn.
    pub turn: TurnId,
    /// Its session.
    pub session: SessionId,
    /// When it started.
    pub at: Timestamp,
    /// Which further step of the turn it is, from 1; 0 is its decision.
    pub step: u32,
    /// What is in the log.
    pub recorded: Made,
    /// What comes out today.
    pub again: Made,
}

/// What was decided, and by what of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Made {
    /// The text predicates of the policy that matched the message.
    pub matched: Vec<u16>,
    /// The model and the chain of reasons.
    pub decision: Decision,
}

/// Makes every decision of a range again. `progress` is told each position that was passed.
///
/// # Errors
/// [`WhatIfError`] when the log cannot be read, or a policy that decided is not there any more.
pub fn replay(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    mut progress: impl FnMut(Position),
) -> Result<Replayed, WhatIfError> {
    let mut replay = Replay {
        progress: &mut progress,
        digest: blake3::Hasher::new(),
        decisions: 0,
        steps: 0,
        without_text: 0,
        without_start: 0,
        other_deciders: BTreeMap::new(),
        divergence: None,
    };
    walk(log, texts, range, &mut replay)?;
    let Replay { digest, decisions, steps, without_text, without_start, other_deciders, divergence, .. } = replay;
    let digest = digest.finalize().to_hex().to_string();
    Ok(Replayed { decisions, steps, without_text, without_start, other_deciders, digest, divergence })
}

struct Replay<'p> {
    progress: &'p mut dyn FnMut(Position),
    digest: blake3::Hasher,
    decisions: u64,
    steps: u64,
    without_text: u64,
    without_start: u64,
    other_deciders: BTreeMap<u16, u64>,
    divergence: Option<Box<Divergence>>,
}

impl Replay<'_> {
    /// Whether this program can make a decision again; it counts those that it cannot.
    fn is_of_this_decider(&mut self, decider: u16) -> bool {
        if decider != DECIDER_VERSION {
            *self.other_deciders.entry(decider).or_default() += 1;
        }
        decider == DECIDER_VERSION
    }

    /// Adds what was made again to the digest, and notes a difference: what was recorded is first of each two.
    fn compare<D: Decided>(&mut self, point: &Point<'_, D>, step: u32, bytes: (&[u8], &[u8]), made: (Made, Made)) {
        self.digest.update(bytes.1);
        if bytes.0 != bytes.1 {
            let (turn, session, (recorded, again)) = (point.decided.turn(), point.decided.session().clone(), made);
            let (position, at) = (point.position, point.at);
            self.divergence = Some(Box::new(Divergence { position, turn, session, at, step, recorded, again }));
        }
    }
}

impl Visitor for Replay<'_> {
    fn decision(&mut self, point: Point<'_>, library: &mut Library<'_>) -> Result<(), WhatIfError> {
        if !self.is_of_this_decider(point.decided.decider) {
            return Ok(());
        }
        let policy = library.policy(point.position, &point.decided)?;
        let again = decide_again(&point.decided, &point.turn(), &policy, point.known)?;
        self.decisions += 1;
        self.without_text += u64::from(point.message.is_none());
        let bytes = (encode(RouteDecided::KIND, &point.decided)?, encode(RouteDecided::KIND, &again)?);
        let made = |made: RouteDecided| Made { matched: made.matched, decision: made.decision };
        self.compare(&point, 0, (&bytes.0, &bytes.1), (made(point.decided.clone()), made(again)));
        Ok(())
    }

    fn step(&mut self, point: Point<'_, RouteFallback>, library: &mut Library<'_>) -> Result<(), WhatIfError> {
        if !self.is_of_this_decider(point.decided.decider) {
            return Ok(());
        }
        let policy = library.policy(point.position, &point.decided)?;
        let again = fall_again(&point.decided, point.turn(), point.decided_at, &policy, point.known)?;
        self.steps += 1;
        let bytes = (encode(RouteFallback::KIND, &point.decided)?, encode(RouteFallback::KIND, &again)?);
        let made = |made: RouteFallback| Made { matched: made.matched, decision: made.decision };
        self.compare(&point, point.decided.step, (&bytes.0, &bytes.1), (made(point.decided.clone()), made(again)));
        Ok(())
    }

    fn without_start(&mut self, _: &Recorded, _: &RouteDecided) {
        self.without_start += 1;
    }

    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        (self.progress)(event.position);
        Ok(self.divergence.is_none())
    }
}
