//! Replay: repeats every recorded decision from the log alone and compares it byte for byte (decision D14).

use std::collections::BTreeMap;

use contracts::{
    SessionId, TurnId,
    events::{RouteDecided, RouteFallback, SkillRouted},
};
use engine::{SkillRepeatError, SkillReplay};
use event_bus::{EventLog, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp, encode};
use router_core::{WhyHeader, chain_json, why};
use serde::Serialize;
use serde_json::Value;
use skills::SKILL_DECIDER_VERSION;

use crate::{
    error::WhatIfError,
    latest_turns::WalkStart,
    policy_cache::PolicyCache,
    range::Range,
    recorded_decision::RecordedDecision,
    skill_point::SkillPoint,
    walk::{DecisionPoint, VisitDecision, Visitor, walk},
};

/// The result of a replay: counts of the repeated and skipped decisions, and the first that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReplayReport {
    /// The number of decisions that were repeated.
    pub decisions: u64,
    /// The number of later decisions within turns, such as fallbacks, that were repeated.
    pub steps: u64,
    /// The number of skill decisions that were repeated.
    pub skill_decisions: u64,
    /// The number of skill decisions that were skipped because the text of the message is gone or was not recorded.
    pub skills_without_text: u64,
    /// How many of the first decisions were repeated from recorded predicate matches, because the text of the message
    /// was purged (decision D9).
    pub without_text: u64,
    /// The number of decisions that were skipped because the start of their turn is not in the log.
    pub without_start: u64,
    /// How many of the decisions were repeated with the recommendation that they recorded, because sessions whose
    /// patterns they may have read were removed from the log later.
    pub with_recorded_patterns: u64,
    /// The number of decisions that were skipped because they name an outage, and calls before them were removed from the
    /// log.
    pub without_outages: u64,
    /// The number of decisions that were removed from the log with their sessions, whatever the range is.
    pub removed: u64,
    /// The number of decisions that were skipped because another version of the decider made them, by version.
    pub other_deciders: BTreeMap<u16, u64>,
    /// The BLAKE3 hash over the encodings of all repeated decisions, as hexadecimal digits; equal on every machine.
    pub digest: String,
    /// The BLAKE3 hash over the encodings of all repeated skill decisions, as hexadecimal digits.
    pub skill_digest: String,
    /// The first repeated decision that differs from the recorded one, at which the replay stops; `None` if all are
    /// equal.
    pub divergence: Option<Box<Divergence>>,
}

/// A decision whose repetition differs from the recorded one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Divergence {
    /// The position of the recorded decision.
    pub position: Position,
    /// The kind of the event that records it, such as `route.decided`.
    pub kind: &'static str,
    /// The id of the turn; `None` for a skill decision of a hook.
    pub turn: Option<TurnId>,
    /// The session of the turn.
    pub session: SessionId,
    /// The time when the turn started, or when a hook asked.
    pub at: Timestamp,
    /// The number of the fallback, from 1; 0 for the turn's first decision.
    pub step: u32,
    /// The decision as recorded in the log.
    pub recorded: DecisionOutcome,
    /// The decision as repeated from the recorded inputs.
    pub again: DecisionOutcome,
}

/// A decision of any kind, with the text predicates of the policy that matched, for the comparison of two decisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DecisionOutcome {
    /// The indices of the policy's text predicates that matched the message.
    pub matched: Vec<u16>,
    /// The chosen candidate, such as a model; `None` if nothing was chosen.
    pub chosen: Option<String>,
    /// The entries of the chain, as `turnwise why --json` prints them.
    pub chain: Vec<Value>,
    /// The why-view: the decision as text.
    #[serde(skip)]
    pub why: String,
}

impl DecisionOutcome {
    /// Converts the decision of an event about the turn of `point`.
    fn of<D: RecordedDecision>(point: &DecisionPoint<'_, D>, event: &D) -> Self {
        let header = WhyHeader { turn: event.turn(), session: event.session().clone(), at: point.at };
        let decision = event.decision();
        Self {
            matched: event.matched().to_vec(),
            chosen: decision.chosen.as_ref().map(ToString::to_string),
            chain: chain_json(decision),
            why: why(Some(&header), decision),
        }
    }
}

/// Repeats every decision and fallback of the turns in `range` in the order of the log, up to the first that differs
/// from the recorded one. Returns the counts. Records nothing. `progress` receives the position of each event that was
/// read.
///
/// # Errors
/// [`WhatIfError`] if the log cannot be read, or a policy or a list of models is missing or no longer valid.
pub fn replay(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    mut progress: impl FnMut(Position),
) -> Result<ReplayReport, WhatIfError> {
    let mut replay = ReplayVisitor::new(&mut progress);
    walk(log, texts, range, WalkStart::Origin, &mut replay)?;
    Ok(replay.into_report())
}

/// The state of a running replay: counts, the digest of the repeated decisions, and the first difference.
pub(crate) struct ReplayVisitor<'p> {
    /// Receives the position of each event that was read.
    progress: &'p mut dyn FnMut(Position),
    /// The hash over the encodings of all repeated decisions so far.
    digest: blake3::Hasher,
    /// The number of repeated decisions.
    decisions: u64,
    /// The number of repeated fallbacks.
    steps: u64,
    /// The hash over the encodings of all repeated skill decisions so far.
    skill_digest: blake3::Hasher,
    /// Repeats skill decisions.
    skill_replay: SkillReplay,
    /// The number of repeated skill decisions.
    skill_decisions: u64,
    /// The number of skill decisions that were skipped because the text of the message is gone.
    skills_without_text: u64,
    /// The number of repeated decisions about messages whose text was purged.
    without_text: u64,
    /// The number of decisions that were skipped because the start of their turn is not in the log.
    without_start: u64,
    /// The number of repeated decisions for which the recorded recommendation was used.
    with_recorded_patterns: u64,
    /// The number of decisions that were skipped because their outages cannot be folded.
    without_outages: u64,
    /// The number of decisions that were removed from the log.
    removed: u64,
    /// The number of decisions that were skipped, by the version of the decider that made them.
    other_deciders: BTreeMap<u16, u64>,
    /// The first repeated decision that differs; `None` so far.
    divergence: Option<Box<Divergence>>,
}

impl<'p> ReplayVisitor<'p> {
    /// Creates a replay that has repeated nothing. `progress` receives the position of each event.
    pub(crate) fn new(progress: &'p mut dyn FnMut(Position)) -> Self {
        Self {
            progress,
            digest: blake3::Hasher::new(),
            decisions: 0,
            steps: 0,
            skill_digest: blake3::Hasher::new(),
            skill_replay: SkillReplay::default(),
            skill_decisions: 0,
            skills_without_text: 0,
            without_text: 0,
            without_start: 0,
            with_recorded_patterns: 0,
            without_outages: 0,
            removed: 0,
            other_deciders: BTreeMap::new(),
            divergence: None,
        }
    }

    /// Returns the counts, the digest, and the first difference.
    pub(crate) fn into_report(self) -> ReplayReport {
        let Self { digest, decisions, steps, without_text, without_start, .. } = self;
        let Self { with_recorded_patterns, without_outages, removed, .. } = self;
        let Self { other_deciders, divergence, skill_decisions, skills_without_text, skill_digest, .. } = self;
        let skill_digest = skill_digest.finalize().to_hex().to_string();
        let digest = digest.finalize().to_hex().to_string();
        ReplayReport {
            decisions,
            steps,
            skill_decisions,
            skills_without_text,
            without_text,
            without_start,
            with_recorded_patterns,
            without_outages,
            removed,
            other_deciders,
            digest,
            skill_digest,
            divergence,
        }
    }
}

impl<D: RecordedDecision> VisitDecision<D> for ReplayVisitor<'_> {
    /// Repeats the decision, adds the result to the digest, and stores the difference if the bytes of the two events
    /// differ. A decision by another version of the decision code is counted and skipped.
    fn decision(&mut self, point: DecisionPoint<'_, D>, policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        let (recorded, step) = (&point.decided, point.decided.step());
        if recorded.decider() != D::DECIDER {
            *self.other_deciders.entry(recorded.decider()).or_default() += 1;
            return Ok(());
        }
        if point.calls_removed && recorded.names_outage() {
            self.without_outages += 1;
            return Ok(());
        }
        let repeated = D::repeat(&point, policies)?;
        self.with_recorded_patterns += u64::from(point.recorded_patterns.is_some());
        if step == 0 {
            self.decisions += 1;
            self.without_text += u64::from(point.message.is_none());
        } else {
            self.steps += 1;
        }
        let (recorded_bytes, repeated_bytes) = (encode(D::KIND, recorded)?, encode(D::KIND, &repeated)?);
        self.digest.update(&repeated_bytes);
        if recorded_bytes != repeated_bytes {
            self.divergence = Some(Box::new(Divergence {
                position: point.position,
                kind: D::KIND,
                turn: Some(recorded.turn()),
                session: recorded.session().clone(),
                at: point.at,
                step,
                recorded: DecisionOutcome::of(&point, recorded),
                again: DecisionOutcome::of(&point, &repeated),
            }));
        }
        Ok(())
    }

    fn without_start(&mut self, _: &Recorded, decided: &D) {
        // A fallback is no turn of its own.
        self.without_start += u64::from(decided.step() == 0);
    }
}

/// Converts a skill decision for the comparison of two decisions.
fn skill_outcome(point: &SkillPoint, routed: &SkillRouted) -> DecisionOutcome {
    let decision = &routed.decision;
    let header = routed.turn.map(|turn| WhyHeader { turn, session: routed.session.clone(), at: point.at });
    DecisionOutcome {
        matched: Vec::new(),
        chosen: decision.chosen.as_ref().map(ToString::to_string),
        chain: chain_json(decision),
        why: why(header.as_ref(), decision),
    }
}

impl Visitor for ReplayVisitor<'_> {
    const READS_SKILL_DECISIONS: bool = true;

    /// Repeats a skill decision as the other decisions are repeated. A decision whose message is gone is counted and
    /// skipped.
    fn skill_decision(&mut self, point: &SkillPoint, policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        let recorded = &point.routed;
        if recorded.decider != SKILL_DECIDER_VERSION {
            *self.other_deciders.entry(recorded.decider).or_default() += 1;
            return Ok(());
        }
        let policy = policies.policy_of_skills(point.position, recorded.policy)?;
        let (Some(message), Some(policy)) = (&point.message, policy) else {
            self.skills_without_text += 1;
            return Ok(());
        };
        let position = point.position;
        let repeated = self.skill_replay.repeat(recorded, message, &policy, policies.texts());
        let repeated = repeated.map_err(|error| match error {
            SkillRepeatError::Log(error) => WhatIfError::Log(error),
            SkillRepeatError::Missing(hash) => WhatIfError::TextMissing { position, what: "skills", hash },
            error => WhatIfError::Unreadable {
                position,
                what: "skills",
                hash: recorded.sources.unwrap_or(recorded.policy),
                detail: error.to_string(),
            },
        })?;
        self.skill_decisions += 1;
        let (recorded_bytes, repeated_bytes) =
            (encode(SkillRouted::KIND, recorded)?, encode(SkillRouted::KIND, &repeated)?);
        self.skill_digest.update(&repeated_bytes);
        if recorded_bytes != repeated_bytes {
            self.divergence = Some(Box::new(Divergence {
                position,
                kind: SkillRouted::KIND,
                turn: recorded.turn,
                session: recorded.session.clone(),
                at: point.at,
                step: 0,
                recorded: skill_outcome(point, recorded),
                again: skill_outcome(point, &repeated),
            }));
        }
        Ok(())
    }

    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError> {
        (self.progress)(event.position);
        let is_decision = [RouteDecided::KIND, RouteFallback::KIND].contains(&&*event.event.kind);
        self.removed += u64::from(is_decision && event.purged.is_some());
        Ok(self.divergence.is_none())
    }
}
