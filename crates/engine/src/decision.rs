//! Deciding a turn that has started, and the event that says what was decided.

use contracts::{
    Decision, MessageText, Reason, Turn, TurnId,
    events::{DecisionMode, RouteDecided, TurnEnded, TurnStarted, TurnStatus},
};
use event_core::{CodecError, Sealed, Timestamp};
use router_core::{Banner, DECIDER_VERSION, banners, decide};

use crate::{
    capture::turn_of,
    error::EngineError,
    models::Models,
    policy_file::ActivePolicy,
    recorder::{Recorder, turn_event},
};

/// A turn that was decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecidedTurn {
    /// The turn.
    pub turn: TurnId,
    /// When it started.
    pub at: Timestamp,
    /// The event, as recorded.
    pub decided: RouteDecided,
    /// What the user is shown.
    pub banners: Vec<Banner>,
}

/// Decides a turn at the recorder's position. Nothing is recorded yet.
pub(crate) fn decide_turn(
    recorder: &Recorder,
    policy: &ActivePolicy,
    models: &Models,
    started: &TurnStarted,
    at: Timestamp,
    message: &str,
    mode: DecisionMode,
) -> DecidedTurn {
    let turn: Turn = turn_of(started, at, MessageText::Present(message.to_owned()));
    let before = recorder.now();
    let made = recorder.state().with_views(at, |views| decide(&turn, &policy.policy, views));
    let elapsed = recorder.now().micros_since(before);
    let banners = banners(&made.decision, &policy.policy, turn.spent_today);
    let decided = RouteDecided {
        turn: turn.id,
        session: turn.session,
        mode,
        policy: policy.hash,
        catalogue: models.hash,
        decider: DECIDER_VERSION,
        based_on: recorder.position(),
        matched: made.matched,
        // An observed turn was not waited for, and its record is the same on every import.
        elapsed_micros: match mode {
            DecisionMode::Live => u32::try_from(elapsed).unwrap_or(u32::MAX),
            DecisionMode::Observed => 0,
        },
        decision: made.decision,
    };
    DecidedTurn { turn: turn.id, at, decided, banners }
}

/// The decision as an event, and the end of the turn when it was refused (decision D4).
pub(crate) fn events_of(made: &mut DecidedTurn) -> Result<Vec<Sealed>, EngineError> {
    let turn = made.turn;
    let started = turn.0.then("turn.started", 0);
    let decided = seal(made)?.caused_by(started);
    let cause = decided.event.id;
    let mut events = vec![decided];
    // An observed turn ran all the same.
    if made.decided.decision.model.is_none() && made.decided.mode == DecisionMode::Live {
        let session = made.decided.session.clone();
        let ended = TurnEnded { turn, session, status: TurnStatus::Refused, llm_calls: 0, tool_calls: 0 };
        events.push(turn_event(turn, 0, made.at, ended)?.caused_by(cause));
    }
    Ok(events)
}

/// Seals the decision. When a long list of rejected rules or of alternatives does not fit into an event, the end of
/// the list is dropped, here as in the log; the winner and the first reasons always stay.
fn seal(made: &mut DecidedTurn) -> Result<Sealed, EngineError> {
    loop {
        match turn_event(made.turn, 0, made.at, made.decided.clone()) {
            Err(EngineError::Codec(CodecError::Encode { .. })) if shorten(&mut made.decided) => {}
            sealed => return sealed,
        }
    }
}

/// Halves the lists of a decision; false when there is nothing left to leave out.
pub(crate) fn shorten(decided: &mut RouteDecided) -> bool {
    shorten_decision(&mut decided.decision, &mut decided.matched)
}

/// Halves the lists of the chain, and when those are short the list of text predicates that matched, of which a
/// policy may have thousands; false when there is nothing left to leave out.
pub(crate) fn shorten_decision(decision: &mut Decision, matched: &mut Vec<u16>) -> bool {
    let mut shortened = false;
    for entry in &mut decision.chain {
        if let Reason::Pattern(recommendation) = &mut entry.reason
            && 2 < recommendation.alternatives.len()
        {
            recommendation.alternatives.truncate(recommendation.alternatives.len() / 2);
            shortened = true;
        }
        if 1 < entry.attempts.len() {
            entry.attempts.truncate(entry.attempts.len() / 2);
            shortened = true;
        }
    }
    if !shortened && !matched.is_empty() {
        matched.truncate(matched.len() / 2);
        shortened = true;
    }
    shortened
}
