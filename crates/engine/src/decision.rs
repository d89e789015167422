//! Decides a turn that was captured, and builds the event that records the decision.

use contracts::{
    Decision, Reason, Sealed, Turn,
    events::{DecisionMode, RouteDecided, TurnEnded, TurnStarted, TurnStatus},
    views::{Outages, Views},
};
use event_core::{CodecError, EventType as _, Timestamp};
use router_core::{DECIDER_VERSION, decide};

use crate::{
    error::EngineError,
    models::Models,
    policy_file::ActivePolicy,
    recorder::{Recorder, turn_event},
};

/// Decides which model serves a captured turn, with the state at the recorder's position and the `assumed` outages in
/// addition to the present ones. Returns the event of the decision and records nothing.
pub(crate) fn decide_turn(
    recorder: &Recorder,
    policy: &ActivePolicy,
    models: &Models,
    turn: &Turn<'_>,
    mode: DecisionMode,
    assumed: &Outages,
) -> RouteDecided {
    let decision_started = recorder.now();
    let decided = recorder.state().with_views(turn.at, |views| {
        if *assumed == Outages::default() {
            return decide(turn, &policy.policy, views);
        }
        let mut outages = views.outages.clone();
        outages.models.extend(assumed.models.clone());
        outages.providers.extend(assumed.providers.clone());
        decide(turn, &policy.policy, &Views { outages: &outages, ..*views })
    });
    let elapsed = recorder.now().micros_since(decision_started);
    RouteDecided {
        turn: turn.started.turn,
        session: turn.started.session.clone(),
        mode,
        policy: policy.hash,
        catalogue: models.hash,
        decider: DECIDER_VERSION,
        based_on: recorder.position(),
        matched: decided.matched,
        // An observed turn did not wait for its decision, and every import records the same event.
        elapsed_micros: match mode {
            DecisionMode::Live => u32::try_from(elapsed).unwrap_or(u32::MAX),
            DecisionMode::Observed => 0,
        },
        decision: decided.decision,
    }
}

/// Encodes a routing decision as an event, followed by the end of the turn if a live turn was refused (decision D4). If
/// the event is too large, the lists of the decision are shortened in place.
pub(crate) fn seal_decision(decided: &mut RouteDecided, at: Timestamp) -> Result<Vec<Sealed>, EngineError> {
    let turn = decided.turn;
    let sealed = loop {
        match turn_event(turn, 0, at, decided.clone()) {
            Err(EngineError::Codec(CodecError::Encode { .. })) if shorten(decided) => {}
            sealed => break sealed?,
        }
    };
    let cause = sealed.event.id;
    let mut events = vec![sealed.caused_by(turn.0.then(TurnStarted::KIND, 0))];
    if decided.decision.chosen.is_none() && decided.mode == DecisionMode::Live {
        let session = decided.session.clone();
        let ended = TurnEnded { turn, session, status: TurnStatus::Refused, llm_calls: 0, tool_calls: 0 };
        events.push(turn_event(turn, 0, at, ended)?.caused_by(cause));
    }
    Ok(events)
}

/// Halves the lists of a decision to make its event smaller, as [`shorten_decision`] does. Returns false if they cannot
/// be shortened further.
pub(crate) fn shorten(decided: &mut RouteDecided) -> bool {
    shorten_decision(&mut decided.decision, &mut decided.matched)
}

/// Halves the lists in a decision's chain to make its event smaller. If they are short already, halves the list of
/// matched text predicates, of which a policy may have thousands. Returns false if nothing can be shortened further.
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
