//! Repeats recorded decisions from the log (decision D14): with the recorded inputs, a decision results in the same
//! bytes.

use contracts::{
    Turn,
    events::{RouteDecided, RouteFallback},
    views::{Outages, PatternView, Views},
};
use event_core::{CodecError, EventType as _, Timestamp, encode};
use router_core::{DECIDER_VERSION, Policy, decide};

use crate::{
    decision::{shorten, shorten_decision},
    decision_state::DecisionState,
};

/// Parts of the state that a decision is repeated with because the events that they follow from were removed. The default
/// replaces nothing.
#[derive(Clone, Copy, Default)]
pub struct ReplacedViews<'v> {
    /// The patterns, in place of those folded from the log; `None` replaces nothing.
    pub patterns: Option<&'v dyn PatternView>,
    /// Whether no model and no provider is unavailable.
    pub without_outages: bool,
}

impl std::fmt::Debug for ReplacedViews<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let patterns = self.patterns.is_some();
        let Self { without_outages, .. } = self;
        f.debug_struct("ReplacedViews").field("patterns", &patterns).field("without_outages", without_outages).finish()
    }
}

impl ReplacedViews<'_> {
    /// Calls `decide` with the views of a state at the time `at`, of which these replace a part.
    fn with_views<T>(&self, state: &DecisionState, at: Timestamp, decide: impl FnOnce(&Views<'_>) -> T) -> T {
        let none = Outages::default();
        state.with_views(at, |views| {
            let outages = if self.without_outages { &none } else { views.outages };
            decide(&Views { outages, patterns: self.patterns.unwrap_or(views.patterns) })
        })
    }
}

/// Repeats a recorded decision under `policy`, with the state up to the position that the decision was based on, of which
/// `replaced` replaces a part.
///
/// Values that do not follow from the log are copied from `recorded`: the elapsed time, and the hashes of policy and
/// models. With equal policy, models and decision code, the bytes of the result are equal to the recorded ones.
///
/// # Errors
/// [`CodecError`] if the decision does not fit into an event even when shortened.
pub fn repeat_decision(
    recorded: &RouteDecided,
    turn: &Turn<'_>,
    policy: &Policy,
    state: &DecisionState,
    replaced: ReplacedViews<'_>,
) -> Result<RouteDecided, CodecError> {
    let decided = replaced.with_views(state, turn.at, |views| decide(turn, policy, views));
    let mut repeated = RouteDecided {
        turn: turn.started.turn,
        session: turn.started.session.clone(),
        mode: recorded.mode,
        policy: recorded.policy,
        catalogue: recorded.catalogue,
        decider: DECIDER_VERSION,
        based_on: recorded.based_on,
        matched: decided.matched,
        elapsed_micros: recorded.elapsed_micros,
        decision: decided.decision,
    };
    loop {
        match encode("route.decided", &repeated) {
            Err(CodecError::Encode { .. }) if shorten(&mut repeated) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(repeated),
        }
    }
}

/// Repeats a recorded fallback, as [`repeat_decision`] repeats a decision. `turn` is the captured turn, `at` the time
/// of the fallback, for which outages are read; everything else stays as captured.
///
/// # Errors
/// Those of [`repeat_decision`].
pub fn repeat_fallback(
    recorded: &RouteFallback,
    turn: Turn<'_>,
    at: Timestamp,
    policy: &Policy,
    state: &DecisionState,
    replaced: ReplacedViews<'_>,
) -> Result<RouteFallback, CodecError> {
    let retried = Turn { at, request: recorded.request.as_ref().or(turn.request), failed: &recorded.failed, ..turn };
    let decided = replaced.with_views(state, at, |views| decide(&retried, policy, views));
    let (decider, matched, decision) = (DECIDER_VERSION, decided.matched, decided.decision);
    shorten_to_fit(RouteFallback { decider, matched, decision, ..recorded.clone() })
}

/// Halves the lists in a fallback's decision, as [`shorten_decision`] does, until the event is within the size limit.
///
/// # Errors
/// [`CodecError`] if the event is too large even with the shortest lists.
pub(crate) fn shorten_to_fit(mut fallback: RouteFallback) -> Result<RouteFallback, CodecError> {
    loop {
        match encode(RouteFallback::KIND, &fallback) {
            Err(CodecError::Encode { .. }) if shorten_decision(&mut fallback.decision, &mut fallback.matched) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(fallback),
        }
    }
}
