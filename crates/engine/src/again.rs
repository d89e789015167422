//! Repeats recorded decisions from the log (decision D14).

use contracts::{
    ClientRequest, FailedCandidate, MessageText, Turn,
    events::{RouteDecided, RouteFallback, TurnStarted},
};
use event_core::{CodecError, EventType as _, Timestamp, encode};
use router_core::{DECIDER_VERSION, Policy, decide};

use crate::{
    capture,
    decision::{shorten, shorten_decision},
    known::Known,
};

/// Returns the turn as it was captured at its start, the input of its decision. `at` is the time of `started`.
pub fn captured_turn(started: &TurnStarted, at: Timestamp, message: MessageText) -> Turn {
    capture::turn_from_event(started, at, message)
}

/// Repeats a recorded decision under `policy`, with the views `known` at the position that it was based on.
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
    known: &Known,
) -> Result<RouteDecided, CodecError> {
    let made = known.with_views(turn.at, |views| decide(turn, policy, views));
    let mut again = RouteDecided {
        turn: turn.id,
        session: turn.session.clone(),
        mode: recorded.mode,
        policy: recorded.policy,
        catalogue: recorded.catalogue,
        decider: DECIDER_VERSION,
        based_on: recorded.based_on,
        matched: made.matched,
        elapsed_micros: recorded.elapsed_micros,
        decision: made.decision,
    };
    loop {
        match encode("route.decided", &again) {
            Err(CodecError::Encode { .. }) if shorten(&mut again) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(again),
        }
    }
}

/// Returns a captured turn as the input of another decision after the models `failed`.
///
/// `request` replaces the request of the turn, if a later request continues it. Outages are those at `now`; the rest
/// stays as captured.
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
    known: &Known,
) -> Result<RouteFallback, CodecError> {
    let asked = turn_after_failures(turn, recorded.request.as_ref(), &recorded.failed, at);
    let made = known.with_views(at, |views| decide(&asked, policy, views));
    let (decider, matched, decision) = (DECIDER_VERSION, made.matched, made.decision);
    fit_event(RouteFallback { decider, matched, decision, ..recorded.clone() })
}

/// Shortens the chain of a fallback at its end until the event fits, as for a decision.
pub(crate) fn fit_event(mut step: RouteFallback) -> Result<RouteFallback, CodecError> {
    loop {
        match encode(RouteFallback::KIND, &step) {
            Err(CodecError::Encode { .. }) if shorten_decision(&mut step.decision, &mut step.matched) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(step),
        }
    }
}
