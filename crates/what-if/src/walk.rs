//! Walks through the log and stops at every decision, with the state from which the decision was made.

use std::collections::BTreeMap;

use contracts::{
    MessageText, SkillOutcome, SkillWish, Turn, TurnId,
    events::{
        LlmCallCompleted, LlmCallFailed, LogRetained, RouteDecided, RouteFallback, SkillReused, SkillRouted,
        SkillWished, TextBody, TurnEnded, TurnStarted, TurnTextRecorded,
    },
    views::PatternView,
};
use engine::{DecisionState, ReplacedViews, events};
use event_bus::{EventLog, ProjectionSet as _, TextStore};
use event_core::{EventType as _, Position, Recorded, Timestamp};

use crate::{
    error::WhatIfError, latest_turns::WalkStart, policy_cache::PolicyCache, range::Range,
    recorded_decision::RecordedDecision, recorded_patterns::RecordedPatterns, skill_point::SkillPoint,
};

/// A recorded decision with the inputs from which it was made.
pub(crate) struct DecisionPoint<'w, D> {
    /// The position of the decision.
    pub(crate) position: Position,
    /// The time when the turn started.
    pub(crate) at: Timestamp,
    /// The time when the turn was decided.
    pub(crate) decided_at: Timestamp,
    /// The `turn.started` event, which has the captured turn.
    pub(crate) started: &'w TurnStarted,
    /// The user's message; `None` if its text is gone.
    pub(crate) message: Option<&'w str>,
    /// The skills that the skill decision about the message loads.
    pub(crate) skills: &'w [String],
    /// The model or tier that one of these skills asks for; `None` if none does.
    pub(crate) wish: Option<&'w SkillWish>,
    /// The event of the decision.
    pub(crate) decided: D,
    /// The state folded up to the position that the decision was based on.
    pub(crate) known: &'w DecisionState,
    /// What the decision recorded about the learned patterns, if the walk did not fold those that the decision read.
    pub(crate) recorded_patterns: Option<RecordedPatterns>,
    /// Whether calls before the decision were removed from the log, so that `known` may lack or have too many outages.
    pub(crate) calls_removed: bool,
}

impl<D: RecordedDecision> DecisionPoint<'_, D> {
    /// Returns the turn with all properties that the decision read. If its text was purged, the recorded matches of
    /// text predicates take its place (decision D9).
    pub(crate) fn turn(&self) -> Turn<'_> {
        let message = match self.message {
            Some(text) => MessageText::Present(text),
            None => MessageText::Matched(self.decided.matched()),
        };
        Turn { skills: self.skills, wish: self.wish, ..Turn::new(self.started, self.at, message) }
    }

    /// Returns what replaces the parts of `known` that cannot be folded, because the events were removed from the log:
    /// the recorded recommendation, and no outages. A decision that names an outage cannot be repeated with these.
    pub(crate) fn replaced_views(&self) -> ReplacedViews<'_> {
        let patterns = self.recorded_patterns.as_ref().map(|recorded| recorded as &dyn PatternView);
        ReplacedViews { patterns, without_outages: self.calls_removed }
    }
}

/// The callbacks of a walk for the decisions that events of type `D` record. The defaults ignore them.
pub(crate) trait VisitDecision<D: RecordedDecision> {
    /// Called for each decision about a turn in the range.
    fn decision(&mut self, _point: DecisionPoint<'_, D>, _policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        Ok(())
    }

    /// Called for a decision whose turn has no start in this log: it was lost, and a repair marked the place.
    fn without_start(&mut self, _event: &Recorded, _decided: &D) {}
}

/// The callbacks of a walk through the log: one for each kind of decision, and one for every event.
pub(crate) trait Visitor: VisitDecision<RouteDecided> + VisitDecision<RouteFallback> {
    /// Whether [`Visitor::skill_decision`] is called, for which the walk reads messages from the log.
    const READS_SKILL_DECISIONS: bool = false;

    /// Called for each skill decision in the range.
    fn skill_decision(&mut self, _point: &SkillPoint, _policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        Ok(())
    }

    /// Called for every event, after the callback for its decision. `false` ends the walk.
    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError>;
}

/// A turn that has started and not ended at the current position, with the text of its message.
struct OpenTurn {
    /// The time of the start.
    at: Timestamp,
    /// The event that captured the turn at its start.
    started: TurnStarted,
    /// The text of the message; `None` until it is read, and if it was not recorded.
    text: Option<TextBody>,
    /// The skills that the skill decision about the message loads; empty until it is read.
    skills: Vec<String>,
    /// The wish of one of these skills; `None` until it is read, and if there is none.
    wish: Option<SkillWish>,
}

/// Walks the log once from `start` and calls `visitor` for the decisions in `range`. Memory grows with the turns that are
/// open at a time, not with the log. Returns the state at the end.
pub(crate) fn walk(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    start: WalkStart,
    visitor: &mut impl Visitor,
) -> Result<DecisionState, WhatIfError> {
    let mut policies = PolicyCache::new(texts);
    let removed_until = if start == WalkStart::Origin { latest_retention(log)? } else { Position::ORIGIN };
    let state = start.state();
    let mut state =
        WalkState { log, texts, range, start, removed_until, calls_removed: false, state, open: BTreeMap::new() };
    for event in events(log, state.state.position()) {
        let event = event?;
        state.visit_decisions(&event, visitor, &mut policies)?;
        state.visit_skill_decision(&event, visitor, &mut policies)?;
        if !visitor.event(&event)? {
            break;
        }
        policies.record_home(&event)?;
        state.advance(&event)?;
    }
    Ok(state.state)
}

/// The state of a walk: all events up to the current position, folded into the state that decisions read.
struct WalkState<'l> {
    /// The log that is read.
    log: &'l dyn EventLog,
    /// The store that long messages are read from.
    texts: &'l dyn TextStore,
    /// The turns whose decisions are visited.
    range: &'l Range,
    /// The position after which the walk began.
    start: WalkStart,
    /// The position up to which decisions may depend on sessions that were removed from the log; the origin if none were.
    removed_until: Position,
    /// Whether a call before the current position was removed from the log.
    calls_removed: bool,
    /// The state after the events up to the current position.
    state: DecisionState,
    /// The turns that have started and not ended.
    open: BTreeMap<TurnId, OpenTurn>,
}

impl WalkState<'_> {
    /// Calls `visitor` if an event records a decision, of any kind, about a turn in the range.
    fn visit_decisions(
        &self,
        event: &Recorded,
        visitor: &mut impl Visitor,
        policies: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
        self.visit::<RouteDecided>(event, visitor, policies)?;
        self.visit::<RouteFallback>(event, visitor, policies)
    }

    /// Calls `visitor` if an event records a skill decision in the range, of a turn or of a hook.
    fn visit_skill_decision<V: Visitor>(
        &self,
        event: &Recorded,
        visitor: &mut V,
        policies: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
        if !V::READS_SKILL_DECISIONS {
            return Ok(());
        }
        let Some(routed) = event.read::<SkillRouted>()? else { return Ok(()) };
        if !self.range.contains(event.event.at, &routed.session) {
            return Ok(());
        }
        visitor.skill_decision(&SkillPoint::read(event, routed, self.log, self.texts)?, policies)
    }

    /// Calls `visitor` with the decision that an event of type `D` records, and its inputs: the turn, its message, and
    /// the state that the decision was based on. Does nothing for other events and for turns outside the range.
    fn visit<D: RecordedDecision>(
        &self,
        event: &Recorded,
        visitor: &mut impl VisitDecision<D>,
        policies: &mut PolicyCache<'_>,
    ) -> Result<(), WhatIfError> {
        let Some(decided) = event.read::<D>()? else { return Ok(()) };
        let Some(turn) = self.open.get(&decided.turn()) else {
            if self.start == WalkStart::Origin && self.range.contains(event.event.at, decided.session()) {
                visitor.without_start(event, &decided);
            }
            return Ok(());
        };
        if !self.range.contains(turn.at, decided.session()) {
            return Ok(());
        }
        let text = turn.text.as_ref().map(|text| read_text(text, self.texts)).transpose()?.flatten();
        let earlier;
        let is_partial = self.start != WalkStart::Origin || event.position < self.removed_until;
        let recorded_patterns = is_partial.then(|| decided.recorded_patterns());
        let known = if is_partial || decided.based_on() == self.state.position() {
            &self.state
        } else {
            // Other writers appended between the decision and its record.
            earlier = fold_state_at(self.log, decided.based_on())?;
            &earlier
        };
        let (position, at, decided_at, message) = (event.position, turn.at, event.event.at, text.as_deref());
        let (started, skills, wish) = (&turn.started, turn.skills.as_slice(), turn.wish.as_ref());
        // Later decisions were made without the removed calls.
        let calls_removed = self.calls_removed && event.position < self.removed_until;
        let point = DecisionPoint {
            position,
            at,
            decided_at,
            started,
            message,
            skills,
            wish,
            decided,
            known,
            recorded_patterns,
            calls_removed,
        };
        visitor.decision(point, policies)
    }

    /// Advances the walk by one event: records the start, text or end of a turn, and folds it into the state.
    fn advance(&mut self, event: &Recorded) -> Result<(), WhatIfError> {
        self.track_turn(event)?;
        let is_call = [LlmCallCompleted::KIND, LlmCallFailed::KIND].contains(&&*event.event.kind);
        self.calls_removed |= is_call && event.purged.is_some();
        Ok(self.state.advance(event)?)
    }

    /// Records the start, text, skills or end of a turn.
    fn track_turn(&mut self, event: &Recorded) -> Result<(), WhatIfError> {
        if let Some(started) = event.read::<TurnStarted>()? {
            self.open.insert(
                started.turn,
                OpenTurn { at: event.event.at, started, text: None, skills: Vec::new(), wish: None },
            );
        } else if let Some(text) = event.read::<TurnTextRecorded>()? {
            if let Some(open) = self.open.get_mut(&text.turn) {
                open.text = Some(text.text);
            }
        } else if let Some(routed) = event.read::<SkillRouted>()? {
            if let Some(open) = routed.turn.and_then(|turn| self.open.get_mut(&turn)) {
                open.skills = loaded_skills(&routed);
            }
        } else if let Some(wished) = event.read::<SkillWished>()? {
            if let Some(open) = self.open.get_mut(&wished.turn) {
                open.wish = Some(wished.wish);
            }
        } else if let Some(reused) = event.read::<SkillReused>()? {
            let hook = self.log.event_with_id(reused.decision)?;
            let routed = hook.map(|event| event.read::<SkillRouted>()).transpose()?.flatten();
            if let (Some(open), Some(routed)) = (self.open.get_mut(&reused.turn), routed) {
                open.skills = loaded_skills(&routed);
            }
        } else if let Some(ended) = event.read::<TurnEnded>()? {
            self.open.remove(&ended.turn);
        }
        Ok(())
    }
}

/// Returns the position of the last event by which old sessions were removed from the log; the origin if there is none.
/// Earlier decisions may have read patterns of the removed sessions.
fn latest_retention(log: &dyn EventLog) -> Result<Position, WhatIfError> {
    let mut latest = Position::ORIGIN;
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if event.event.kind == LogRetained::KIND {
            latest = event.position;
        }
    }
    Ok(latest)
}

/// Returns the skills that a skill decision loads.
fn loaded_skills(routed: &SkillRouted) -> Vec<String> {
    routed.decision.chosen.as_ref().map(SkillOutcome::loaded).unwrap_or_default().to_vec()
}

/// Returns the text of a message; `None` if the text store no longer contains it.
pub(crate) fn read_text(text: &TextBody, texts: &dyn TextStore) -> Result<Option<String>, WhatIfError> {
    match text {
        TextBody::Inline(text) => Ok(Some(text.clone())),
        TextBody::Stored { hash, .. } => Ok(texts.get(hash.0)?),
    }
}

/// Rebuilds the state that decisions read at an earlier position, from the start of the log.
fn fold_state_at(log: &dyn EventLog, position: Position) -> Result<DecisionState, WhatIfError> {
    let mut state = DecisionState::default();
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if position < event.position {
            break;
        }
        state.advance(&event)?;
    }
    Ok(state)
}

#[cfg(test)]
mod tests;
