//! Repeats recorded decisions from the log (decision D14): with the recorded inputs, a decision results in the same
//! bytes.

use contracts::{
    ClientRequest, FailedCandidate, MessageText, Turn,
    events::{RouteDecided, RouteFallback, TurnStarted},
};
use event_core::{CodecError, EventType as _, Timestamp, encode};
use router_core::{DECIDER_VERSION, Policy, decide};

use crate::{
    capture,
    decision::{shorten, shorten_decision},
    decision_state::DecisionState,
};

/// Returns the turn that was the input of a decision, from the event of its start. `at` is the time of that event,
/// `message` the text of the user's message or the recorded matches of text predicates.
pub fn captured_turn(started: &TurnStarted, at: Timestamp, message: MessageText) -> Turn {
    capture::turn_from_event(started, at, message)
}

/// Repeats a recorded decision under `policy`, with the views of `state`, folded up to the position that it was based
/// on.
///
/// Values that do not follow from the log are copied from `recorded`: the elapsed time, and the hashes of policy and
/// models. Equal policy, models and decider result in equal bytes.
///
/// # Errors
/// [`CodecError`] if the decision does not fit into an event even when shortened.
pub fn repeat_decision(
    recorded: &RouteDecided,
    turn: &Turn,
    policy: &Policy,
    state: &DecisionState,
) -> Result<RouteDecided, CodecError> {
    let decided = state.with_views(turn.at, |views| decide(turn, policy, views));
    let mut repeated = RouteDecided {
        turn: turn.id,
        session: turn.session.clone(),
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

/// Returns a captured turn as the input of another decision after the models in `failed`.
///
/// `request` replaces the request of the turn, if a later request continues it. The time of the turn becomes `now`, for
/// which outages are then read; everything else stays as captured.
pub(crate) fn turn_after_failures(
    mut turn: Turn,
    request: Option<&ClientRequest>,
    failed: &[FailedCandidate],
    now: Timestamp,
) -> Turn {
    if let Some(request) = request {
        turn.request = Some(request.clone());
    }
    turn.failed = failed.to_vec();
    turn.at = now;
    turn
}

/// Repeats a recorded fallback, as [`repeat_decision`] repeats a decision. `turn` is the captured turn, `at` the time
/// of the fallback.
///
/// # Errors
/// As for [`repeat_decision`].
pub fn repeat_fallback(
    recorded: &RouteFallback,
    turn: Turn,
    at: Timestamp,
    policy: &Policy,
    state: &DecisionState,
) -> Result<RouteFallback, CodecError> {
    let retried = turn_after_failures(turn, recorded.request.as_ref(), &recorded.failed, at);
    let decided = state.with_views(at, |views| decide(&retried, policy, views));
    let (decider, matched, decision) = (DECIDER_VERSION, decided.matched, decided.decision);
    shorten_to_fit(RouteFallback { decider, matched, decision, ..recorded.clone() })
}

/// Shortens the chain of a fallback at its end until the event is within the size limit.
///
/// # Errors
/// [`CodecError`] if the event is too large even with the shortest chain.
pub(crate) fn shorten_to_fit(mut fallback: RouteFallback) -> Result<RouteFallback, CodecError> {
    loop {
        match encode(RouteFallback::KIND, &fallback) {
            Err(CodecError::Encode { .. }) if shorten_decision(&mut fallback.decision, &mut fallback.matched) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(fallback),
        }
    }
}
