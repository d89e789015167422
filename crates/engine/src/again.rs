//! A decision made again from what the log says the turn was (decision D14).

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

/// The turn as it was captured when it started.
pub fn captured_turn(started: &TurnStarted, at: Timestamp, message: MessageText) -> Turn {
    capture::turn_of(started, at, message)
}

/// Makes a recorded decision again, under a policy and at the state of the log it was based on.
///
/// What does not follow from the log is taken over: how long it took, and by which names the policy and the models go.
/// The same policy, models and decider give the same bytes.
///
/// # Errors
/// [`CodecError`] for a decision that no event can hold, however it is shortened.
pub fn decide_again(
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

/// A turn as it is asked about again after these models failed in it: by a later request, if there is one.
///
/// Outages are asked for as of now, the rest stays as it was when the turn started.
pub(crate) fn asked_again(
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

/// Makes a recorded step of a turn again, as [`decide_again`] makes its decision. `turn` is the turn as it was captured,
/// `at` the time of the step.
///
/// # Errors
/// As [`decide_again`].
pub fn fall_again(
    recorded: &RouteFallback,
    turn: Turn,
    at: Timestamp,
    policy: &Policy,
    known: &Known,
) -> Result<RouteFallback, CodecError> {
    let asked = asked_again(turn, recorded.request.as_ref(), &recorded.failed, at);
    let made = known.with_views(at, |views| decide(&asked, policy, views));
    let (decider, matched, decision) = (DECIDER_VERSION, made.matched, made.decision);
    fitting(RouteFallback { decider, matched, decision, ..recorded.clone() })
}

/// The step as an event can hold it: a long chain is shortened at its end, as in a decision.
pub(crate) fn fitting(mut step: RouteFallback) -> Result<RouteFallback, CodecError> {
    loop {
        match encode(RouteFallback::KIND, &step) {
            Err(CodecError::Encode { .. }) if shorten_decision(&mut step.decision, &mut step.matched) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(step),
        }
    }
}
