//! Replay: repeats every recorded decision from the log alone and compares it byte for byte (decision D14).

use std::collections::BTreeMap;

use contracts::{
    Decision, SessionId, TurnId,
    events::{RouteDecided, RouteFallback},
};
use engine::{repeat_decision, repeat_fallback};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp, encode};
use router_core::DECIDER_VERSION;
use serde::Serialize;

use crate::{
    error::WhatIfError,
    policy_cache::PolicyCache,
    range::Range,
    walk::{DecisionPoint, RecordedDecision, Visitor, walk},
};

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// The number of decisions that were repeated.
    pub decisions: u64,
    /// The number of fallback decisions that were repeated.
    pub steps: u64,
    /// How many of the first decisions were repeated from recorded predicate matches, because the text of the message
    /// was purged (decision D9).
    pub without_text: u64,
    /// The number of decisions that were skipped because the start of their turn is not in the log.
    pub without_start: u64,
    /// The number of decisions that were skipped because another version of the decider made them, by version.
    pub other_deciders: BTreeMap<u16, u64>,
    /// The BLAKE3 hash over the encodings of all repeated decisions, as hexadecimal digits; equal on every machine.
    pub digest: String,
    /// The first repeated decision that differs from the recorded one, at which the replay stops; `None` if all are
    /// equal.
    pub divergence: Option<Box<Divergence>>,
}

/// A repeated decision that differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Divergence {
    /// The position of the recorded decision.
    pub position: Position,
    /// The id of the turn.
    pub turn: TurnId,
    /// The session of the turn.
    pub session: SessionId,
    /// The time when the turn started.
    pub at: Timestamp,
    /// The number of the fallback, from 1; 0 for the turn's first decision.
    pub step: u32,
    /// The decision as recorded in the log.
    pub recorded: DecisionOutcome,
    /// The decision as repeated from the recorded inputs.
    pub again: DecisionOutcome,
}

/// A decision with the text predicates that matched, for the comparison of two decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionOutcome {
    /// The indices of the policy's text predicates that matched the message.
    pub matched: Vec<u16>,
    /// The chosen model and the chain of reasons.
    pub decision: Decision,
}

/// Repeats every decision and fallback of the turns in `range` in the order of the log, up to the first that differs
/// from the recorded one, and returns the counts. Records nothing. `progress` receives the position of each event that
/// was read.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, or a policy or a list of models is missing or no longer valid.
pub fn replay(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    mut progress: impl FnMut(Position),
) -> Result<ReplayReport, WhatIfError> {
    let mut replay = ReplayVisitor {
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
    let ReplayVisitor { digest, decisions, steps, without_text, without_start, other_deciders, divergence, .. } =
        replay;
    let digest = digest.finalize().to_hex().to_string();
    Ok(ReplayReport { decisions, steps, without_text, without_start, other_deciders, digest, divergence })
}

/// The state of a running replay.
struct ReplayVisitor<'p> {
    /// Receives the position of each event that was read.
    progress: &'p mut dyn FnMut(Position),
    /// The hash over the encodings of all repeated decisions so far.
    digest: blake3::Hasher,
    /// The number of repeated decisions.
    decisions: u64,
    /// The number of repeated fallbacks.
    steps: u64,
    /// The number of repeated decisions about messages whose text was purged.
    without_text: u64,
    /// The number of decisions that were skipped because the start of their turn is not in the log.
    without_start: u64,
    /// The number of decisions that were skipped, by the version of the decider that made them.
    other_deciders: BTreeMap<u16, u64>,
    /// The first repeated decision that differs; `None` so far.
    divergence: Option<Box<Divergence>>,
}

impl ReplayVisitor<'_> {
    /// Returns whether a decision was made by this version of the decider; counts it under its version if not.
    fn check_decider(&mut self, decider: u16) -> bool {
        if decider != DECIDER_VERSION {
            *self.other_deciders.entry(decider).or_default() += 1;
        }
        decider == DECIDER_VERSION
    }

    /// Adds the repeated decision to the digest, and sets the divergence if its bytes differ from the recorded ones. In
    /// the pairs `bytes` and `decisions` the first is the recorded, the second the repeated decision. `step` is the
    /// number of the fallback, 0 for a turn's first decision.
    fn compare<D: RecordedDecision>(
        &mut self,
        point: &DecisionPoint<'_, D>,
        step: u32,
        bytes: (&[u8], &[u8]),
        decisions: (DecisionOutcome, DecisionOutcome),
    ) {
        self.digest.update(bytes.1);
        if bytes.0 != bytes.1 {
            let (turn, session) = (point.decided.turn(), point.decided.session().clone());
            let (recorded, again) = decisions;
            let (position, at) = (point.position, point.at);
            self.divergence = Some(Box::new(Divergence { position, turn, session, at, step, recorded, again }));
        }
    }
}

impl Visitor for ReplayVisitor<'_> {
    fn decision(&mut self, point: DecisionPoint<'_>, policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        if !self.check_decider(point.decided.decider) {
            return Ok(());
        }
        let policy = policies.policy(point.position, &point.decided)?;
        let repeated = repeat_decision(&point.decided, &point.turn(), &policy, point.known)?;
        self.decisions += 1;
        self.without_text += u64::from(point.message.is_none());
        let bytes = (encode(RouteDecided::KIND, &point.decided)?, encode(RouteDecided::KIND, &repeated)?);
        let to_result = |event: RouteDecided| DecisionOutcome { matched: event.matched, decision: event.decision };
        self.compare(&point, 0, (&bytes.0, &bytes.1), (to_result(point.decided.clone()), to_result(repeated)));
        Ok(())
    }

    fn fallback(
        &mut self,
        point: DecisionPoint<'_, RouteFallback>,
        policies: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
        if !self.check_decider(point.decided.decider) {
            return Ok(());
        }
        let policy = policies.policy(point.position, &point.decided)?;
        let repeated = repeat_fallback(&point.decided, point.turn(), point.decided_at, &policy, point.known)?;
        self.steps += 1;
        let bytes = (encode(RouteFallback::KIND, &point.decided)?, encode(RouteFallback::KIND, &repeated)?);
        let to_result = |event: RouteFallback| DecisionOutcome { matched: event.matched, decision: event.decision };
        self.compare(
            &point,
            point.decided.step,
            (&bytes.0, &bytes.1),
            (to_result(point.decided.clone()), to_result(repeated)),
        );
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
