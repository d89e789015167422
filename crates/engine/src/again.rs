//! A decision made again from what the log says the turn was (decision D14).

use contracts::{
    MessageText, Turn,
    facts::{RouteDecided, TurnStarted},
};
use event_core::{CodecError, Timestamp, encode};
use router_core::{DECIDER_VERSION, Policy, decide};

use crate::{capture, decision::shorten, known::Known};

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
/// [`CodecError`] for a decision that no fact can hold, however it is shortened.
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
