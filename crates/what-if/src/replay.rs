//! Every recorded decision made again from the log alone, and compared byte for byte (decision D14).

use std::collections::BTreeMap;

use contracts::{SessionId, TurnId, facts::RouteDecided};
use engine::decide_again;
use event_bus::{EventLog, TextStore};
use event_core::{Position, Recorded, Timestamp, encode};
use router_core::DECIDER_VERSION;
use serde::Serialize;

use crate::{
    error::WhatIfError,
    library::Library,
    range::Range,
    walk::{Point, Visitor, walk},
};

/// What a replay found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Decisions made again.
    pub decisions: u64,
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
    /// What is in the log.
    pub recorded: RouteDecided,
    /// What comes out today.
    pub again: RouteDecided,
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
        without_text: 0,
        without_start: 0,
        other_deciders: BTreeMap::new(),
        divergence: None,
    };
    walk(log, texts, range, &mut replay)?;
    let Replay { digest, decisions, without_text, without_start, other_deciders, divergence, .. } = replay;
    let digest = digest.finalize().to_hex().to_string();
    Ok(Replayed { decisions, without_text, without_start, other_deciders, digest, divergence })
}

struct Replay<'p> {
    progress: &'p mut dyn FnMut(Position),
    digest: blake3::Hasher,
    decisions: u64,
    without_text: u64,
    without_start: u64,
    other_deciders: BTreeMap<u16, u64>,
    divergence: Option<Box<Divergence>>,
}

impl Visitor for Replay<'_> {
    fn decision(&mut self, point: Point<'_>, library: &mut Library<'_>) -> Result<(), WhatIfError> {
        if point.decided.decider != DECIDER_VERSION {
            *self.other_deciders.entry(point.decided.decider).or_default() += 1;
            return Ok(());
        }
        let policy = library.policy(point.position, &point.decided)?;
        let again = decide_again(&point.decided, &point.turn(), &policy, point.known)?;
        let bytes = encode("route.decided", &again)?;
        self.digest.update(&bytes);
        self.decisions += 1;
        self.without_text += u64::from(point.message.is_none());
        if bytes != encode("route.decided", &point.decided)? {
            self.divergence = Some(Box::new(Divergence {
                position: point.position,
                turn: point.decided.turn,
                session: point.decided.session.clone(),
                at: point.at,
                recorded: point.decided,
                again,
            }));
        }
        Ok(())
    }

    fn without_start(&mut self, _: &Recorded, _: &RouteDecided) {
        self.without_start += 1;
    }

    fn fact(&mut self, fact: &Recorded) -> Result<bool, WhatIfError> {
        (self.progress)(fact.position);
        Ok(self.divergence.is_none())
    }
}
