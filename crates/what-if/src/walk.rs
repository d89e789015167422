//! Walks the log and stops at every decision, with the state that the decision was made from.

use std::collections::BTreeMap;

use contracts::{
    ContentHash, MessageText, SessionId, Turn, TurnId,
    events::{RouteDecided, RouteFallback, TextBody, TurnEnded, TurnStarted, TurnTextRecorded},
};
use engine::{DecisionState, captured_turn, events};
use event_bus::{EventLog, ProjectionSet as _, TextStore};
use event_core::{Position, Recorded, Timestamp};

use crate::{error::WhatIfError, policy_cache::PolicyCache, range::Range};

/// An event that records a decision: that of a turn, or a fallback.
pub(crate) trait RecordedDecision {
    /// Returns the id of the turn.
    fn turn(&self) -> TurnId;
    /// Returns the session of the turn.
    fn session(&self) -> &SessionId;
    /// Returns the log position of the views that the decision read.
    fn based_on(&self) -> Position;
    /// Returns the indices of the policy's text predicates that matched the message.
    fn matched(&self) -> &[u16];
    /// Returns the hashes of the texts of the policy and of the list of models.
    fn texts(&self) -> (ContentHash, ContentHash);
}

macro_rules! impl_recorded_decision {
    ($event:ty) => {
        impl RecordedDecision for $event {
            fn turn(&self) -> TurnId {
                self.turn
            }
            fn session(&self) -> &SessionId {
                &self.session
            }
            fn based_on(&self) -> Position {
                self.based_on
            }
            fn matched(&self) -> &[u16] {
                &self.matched
            }
            fn texts(&self) -> (ContentHash, ContentHash) {
                (self.policy, self.catalogue)
            }
        }
    };
}

impl_recorded_decision!(RouteDecided);
impl_recorded_decision!(RouteFallback);

/// A decision in the log with the inputs that it was made from.
pub(crate) struct DecisionPoint<'w, D = RouteDecided> {
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
    /// The event of the decision.
    pub(crate) decided: D,
    /// The state folded up to the position that the decision was based on.
    pub(crate) known: &'w DecisionState,
}

impl<D: RecordedDecision> DecisionPoint<'_, D> {
    /// Returns the turn as `decide` received it. Without its text, the recorded matches of text predicates are used
    /// (decision D9).
    pub(crate) fn turn(&self) -> Turn {
        let message = match self.message {
            Some(text) => MessageText::Present(text.to_owned()),
            None => MessageText::Matched(self.decided.matched().to_vec()),
        };
        captured_turn(self.started, self.at, message)
    }
}

/// The callbacks of a walk.
pub(crate) trait Visitor {
    /// Called for each first decision of a turn in the range.
    fn decision(&mut self, point: DecisionPoint<'_>, policies: &mut PolicyCache<'_>) -> Result<(), WhatIfError>;

    /// Called for each fallback of a turn in the range.
    fn fallback(&mut self, _: DecisionPoint<'_, RouteFallback>, _: &mut PolicyCache<'_>) -> Result<(), WhatIfError> {
        Ok(())
    }

    /// Called for a decision whose turn has no start in this log: it was lost, and a repair marked the place.
    fn without_start(&mut self, event: &Recorded, decided: &RouteDecided);

    /// Called for every event, after the callbacks for its decision. `false` ends the walk.
    fn event(&mut self, event: &Recorded) -> Result<bool, WhatIfError>;
}

/// A turn that was started and has not ended, with the text of its message.
struct OpenTurn {
    at: Timestamp,
    started: TurnStarted,
    text: Option<TextBody>,
}

/// Walks the whole log once and calls `visitor` for the decisions in `range`. Memory grows with the turns that are open
/// at a time, not with the log. Returns the state at the end.
pub(crate) fn walk(
    log: &dyn EventLog,
    texts: &dyn TextStore,
    range: &Range,
    visitor: &mut dyn Visitor,
) -> Result<DecisionState, WhatIfError> {
    let mut policies = PolicyCache::new(texts);
    let mut state = WalkState { log, texts, state: DecisionState::default(), open: BTreeMap::new() };
    for event in events(log, Position::ORIGIN) {
        let event = event?;
        if let Some(decided) = event.read::<RouteDecided>()? {
            match state.open.get(&decided.turn) {
                Some(turn) if range.contains(turn.at, &decided.session) => {
                    state.visit(turn, &event, decided, |point| visitor.decision(point, &mut policies))?;
                }
                None if range.contains(event.event.at, &decided.session) => visitor.without_start(&event, &decided),
                Some(_) | None => {}
            }
        } else if let Some(step) = event.read::<RouteFallback>()?
            && let Some(turn) = state.open.get(&step.turn)
            && range.contains(turn.at, &step.session)
        {
            state.visit(turn, &event, step, |point| visitor.fallback(point, &mut policies))?;
        }
        if !visitor.event(&event)? {
            break;
        }
        policies.record_home(&event)?;
        state.advance(&event)?;
    }
    Ok(state.state)
}

/// The state of a walk: everything folded up to the current position.
struct WalkState<'l> {
    log: &'l dyn EventLog,
    texts: &'l dyn TextStore,
    state: DecisionState,
    open: BTreeMap<TurnId, OpenTurn>,
}

impl WalkState<'_> {
    /// Calls `callback` with a decision and its inputs: the captured turn, its message, and the state it was based on.
    fn visit<D: RecordedDecision>(
        &self,
        turn: &OpenTurn,
        event: &Recorded,
        decided: D,
        callback: impl FnOnce(DecisionPoint<'_, D>) -> Result<(), WhatIfError>,
    ) -> Result<(), WhatIfError> {
        let text = turn.text.as_ref().map(|text| read_text(text, self.texts)).transpose()?.flatten();
        let earlier;
        let known = if decided.based_on() == self.state.position() {
            &self.state
        } else {
            // Other writers appended between the decision and its record.
            earlier = fold_state_at(self.log, decided.based_on())?;
            &earlier
        };
        let (position, at, decided_at, message) = (event.position, turn.at, event.event.at, text.as_deref());
        callback(DecisionPoint { position, at, decided_at, started: &turn.started, message, decided, known })
    }

    /// Folds an event into the state and the open turns.
    fn advance(&mut self, event: &Recorded) -> Result<(), WhatIfError> {
        if let Some(started) = event.read::<TurnStarted>()? {
            self.open.insert(started.turn, OpenTurn { at: event.event.at, started, text: None });
        } else if let Some(text) = event.read::<TurnTextRecorded>()? {
            if let Some(open) = self.open.get_mut(&text.turn) {
                open.text = Some(text.text);
            }
        } else if let Some(ended) = event.read::<TurnEnded>()? {
            self.open.remove(&ended.turn);
        }
        Ok(self.state.advance(event)?)
    }
}

/// Returns the text of a message; `None` if it is no longer in the text store.
fn read_text(text: &TextBody, texts: &dyn TextStore) -> Result<Option<String>, WhatIfError> {
    match text {
        TextBody::Inline(text) => Ok(Some(text.clone())),
        TextBody::Stored { hash, .. } => Ok(texts.get(hash.0)?),
    }
}

/// Folds the state at an earlier position from the start of the log.
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
