//! Any sequence of steps: one decision per turn, and a state that follows from the log alone.

use std::collections::BTreeSet;

use contracts::{
    Score, SessionId, TurnId,
    events::{ErrorClass, PolicyLoaded, RouteDecided, StopReason, TurnEnded, TurnStarted, TurnStatus},
};
use engine::{EngineError, RouterState, TurnInput};
use event_bus::{LogError, ProjectionSet as _};
use event_core::{MAX_PAYLOAD_BYTES, Position, Recorded, encode_state};
use proptest::prelude::*;
use test_events::turn_scored;

use crate::support::{
    Desk,
    desk::{START, session},
    models::{GPT, HAIKU, OPUS, SONNET},
    recorded::{call, completed, edit, failure, recorded_session, recorded_turn},
};

/// The ids of the live sessions.
const SESSIONS: [&str; 3] = ["one", "two", "three"];
/// The models of calls and of the user's choice.
const MODELS: [&str; 4] = [HAIKU, SONNET, OPUS, GPT];
/// The errors of failed calls.
const CLASSES: [ErrorClass; 3] = [ErrorClass::Auth, ErrorClass::Network, ErrorClass::Cancelled];
/// The messages of turns; one of them has a misspelt mention.
const MESSAGES: [&str; 5] = ["hello", "/commit it", "@opus plan it", "@opsu there", "refactor the printer"];
/// The texts of the policy file; the last one is invalid.
const POLICIES: [&str; 4] = [
    "global_default: sonnet",
    "rules: [{name: commits, when: {message_matches: ^/commit}, use: haiku}]\npattern: {min_sample_size: 1}\nglobal_default: sonnet",
    "rules: [{name: cap, when: {cost_today_exceeds_usd: 0.02}, use: mini}]\nglobal_default: opus\nprivacy: {record_text: never}",
    "global_default: nobody",
];

/// A step of a user, a client or an import.
#[derive(Debug, Clone)]
enum Step {
    /// A turn from its start to its end: session and message.
    Turn(usize, usize),
    /// The start of a turn: session and message.
    Start(usize, usize),
    /// A response in a session's running turn.
    Answer(usize),
    /// A failed call: session, model and error.
    Fail(usize, usize, usize),
    /// The end of a session's running turn.
    End(usize, TurnStatus),
    /// The user sets or clears the model of a session.
    Swap(usize, Option<usize>),
    /// An edit of the policy file.
    Edit(usize),
    /// A pause in seconds.
    Wait(u64),
    /// An import of a recorded session.
    Observe {
        /// The number of the recorded session.
        recording: usize,
        /// The number of turns in the session's file.
        turns: usize,
        /// Whether the last turn has ended.
        finished: bool,
    },
    /// A verdict with this score on the latest turn.
    Judge(u64),
    /// The user accepts (true) or dismisses the suggestion of the latest turn.
    Suggestion(bool),
    /// The program is ended and the engine opened again.
    Restart,
}

/// Generates a step with random sessions, messages and models.
fn step() -> impl Strategy<Value = Step> {
    let one = 0..SESSIONS.len();
    let status = prop_oneof![Just(TurnStatus::Completed), Just(TurnStatus::Cancelled), Just(TurnStatus::Failed)];
    prop_oneof![
        8 => (one.clone(), 0..MESSAGES.len()).prop_map(|(session, message)| Step::Turn(session, message)),
        4 => (one.clone(), 0..MESSAGES.len()).prop_map(|(session, message)| Step::Start(session, message)),
        4 => one.clone().prop_map(Step::Answer),
        4 => (one.clone(), 0..MODELS.len(), 0..CLASSES.len()).prop_map(|(session, model, class)| Step::Fail(session, model, class)),
        5 => (one.clone(), status).prop_map(|(session, status)| Step::End(session, status)),
        2 => (one, prop::option::of(0..MODELS.len())).prop_map(|(session, model)| Step::Swap(session, model)),
        1 => (0..POLICIES.len()).prop_map(Step::Edit),
        2 => prop_oneof![Just(1), Just(40), Just(301), Just(90_000)].prop_map(Step::Wait),
        2 => (0..2_usize, 1..4_usize, any::<bool>())
            .prop_map(|(recording, turns, finished)| Step::Observe { recording, turns, finished }),
        3 => prop_oneof![Just(100_000_000), Just(950_000_000)].prop_map(Step::Judge),
        2 => any::<bool>().prop_map(Step::Suggestion),
        1 => Just(Step::Restart),
    ]
}

/// Executes a step; returns the engine, which a restart replaces.
fn take(mut desk: Desk, step: &Step) -> Desk {
    match *step {
        Step::Turn(of, message) => {
            start(&mut desk, SESSIONS[of], MESSAGES[message]);
            if desk.locked_model(SESSIONS[of]).is_some() {
                desk.answer(SESSIONS[of], StopReason::EndTurn);
                desk.end(SESSIONS[of]);
            }
        }
        Step::Start(of, message) => start(&mut desk, SESSIONS[of], MESSAGES[message]),
        Step::Answer(of) => {
            if desk.locked_model(SESSIONS[of]).is_some() {
                desk.answer(SESSIONS[of], StopReason::EndTurn);
            }
        }
        Step::Fail(of, model, class) => {
            if desk.running(SESSIONS[of]).is_some() {
                desk.fail(SESSIONS[of], MODELS[model], CLASSES[class]);
            }
        }
        Step::End(of, status) => {
            if desk.running(SESSIONS[of]).is_some() {
                desk.end_as(SESSIONS[of], status);
            }
        }
        Step::Swap(of, model) => {
            let model = model.map(|model| desk.engine.model_named(MODELS[model]).unwrap());
            drop(desk.engine.select_model(&session(SESSIONS[of]), model).unwrap());
        }
        Step::Edit(policy) => desk.edit_policy(POLICIES[policy]),
        Step::Wait(seconds) => desk.pass_secs(seconds),
        Step::Observe { recording, turns, finished } => observe(&mut desk, recording, turns, finished),
        Step::Judge(score) => {
            if let Some((session, turn)) = latest(&desk) {
                desk.record(turn, &turn_scored(turn, session, Score(score)));
            }
        }
        Step::Suggestion(accepted) => {
            if let Some((_, turn)) = latest(&desk) {
                let told = if accepted {
                    desk.engine.accept_suggestion(turn).map(drop)
                } else {
                    desk.engine.dismiss_suggestion(turn).map(drop)
                };
                assert!(
                    matches!(
                        told,
                        Ok(())
                            | Err(EngineError::NoSuggestion(_)
                                | EngineError::TurnEnded(_)
                                | EngineError::SuggestionDecided { .. })
                    ),
                    "{told:?}"
                );
            }
        }
        Step::Restart => {
            // An invalid policy is refused at the first start, so it is repaired first.
            desk.edit_policy(POLICIES[0]);
            desk = desk.restarted();
        }
    }
    desk
}

/// Returns the latest turn with its session; `None` before the first.
fn latest(desk: &Desk) -> Option<(SessionId, TurnId)> {
    desk.engine.state().sessions.latest().cloned()
}

/// Starts a turn in a session and asserts that its decision is the last one recorded. An invalid mention is ignored.
fn start(desk: &mut Desk, name: &str, message: &str) {
    let number = desk.engine.state().sessions.get(&session(name)).map_or(0, |session| session.turns);
    match desk.arrive(TurnInput::new(session(name), format!("message-{number}"), message)) {
        Ok(started) => assert_eq!(desk.all::<RouteDecided>().last().map(|decided| decided.turn), Some(started.turn)),
        Err(EngineError::Override(_)) => {}
        Err(error) => panic!("{error}"),
    }
}

/// Imports the first turns of a recording.
fn observe(desk: &mut Desk, recording: usize, turns: usize, finished: bool) {
    let name = format!("recording-{recording}");
    let recorded = recorded_session(&name, START);
    desk.engine.observe_session(&recorded).unwrap();
    for number in 0..turns {
        let at = START.plus_secs(number as u64 * 100 + recording as u64 * 7);
        let mut turn = recorded_turn(&name, &format!("m{number}"), MESSAGES[number % MESSAGES.len()], at);
        turn.steps.push(call(&format!("{name}-{number}"), at.plus_secs(1), MODELS[number % MODELS.len()]));
        turn.steps.extend(edit(&format!("{name}-edit-{number}"), at.plus_secs(2)));
        turn.steps.push(failure(&format!("{name}-failure-{number}"), at.plus_secs(3), SONNET, ErrorClass::Network));
        let over = number + 1 < turns || finished;
        let turn = if over { completed(turn, at.plus_secs(4)) } else { turn };
        desk.engine.observe_turn(&recorded, &turn).unwrap();
    }
    desk.engine.commit().unwrap();
}

/// Returns the encoding of a state, for a comparison.
fn bytes(state: &RouterState) -> Vec<u8> {
    encode_state("router-state", state).unwrap()
}

/// Folds events into a state and returns it.
fn folded(mut state: RouterState, events: &[Recorded]) -> RouterState {
    for event in events {
        state.advance(event).unwrap();
    }
    state
}

/// Checks that every started turn has one decision, that there are no others, and that live turns without a model have
/// ended.
fn one_decision_per_turn(desk: &Desk) {
    let started: Vec<_> = desk.all::<TurnStarted>().into_iter().map(|event| event.turn).collect();
    let decided: Vec<_> = desk.all::<RouteDecided>();
    assert_eq!(started, decided.iter().map(|event| event.turn).collect::<Vec<_>>());
    assert_eq!(started.len(), started.iter().collect::<BTreeSet<_>>().len());
    let ended = desk.all::<TurnEnded>();
    for decided in decided {
        let ends: Vec<_> = ended.iter().filter(|end| end.turn == decided.turn).map(|end| end.status).collect();
        assert!(ends.len() <= 1, "{ends:?}");
        let live = decided.mode == contracts::events::DecisionMode::Live;
        assert_eq!(ends == [TurnStatus::Refused], live && decided.decision.chosen.is_none(), "{decided:?}");
    }
}

/// Checks that every event fits, has an earlier event as its cause, and refers to a recorded policy.
fn events_follow_from_one_another(events: &[Recorded]) {
    let (mut seen, mut policies) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        assert!(event.event.payload.len() as u64 <= MAX_PAYLOAD_BYTES);
        assert!(event.event.causation.is_none_or(|cause| seen.contains(&cause)), "{event:?}");
        assert!(seen.insert(event.event.id));
        if let Some(loaded) = event.read::<PolicyLoaded>().unwrap() {
            policies.insert(loaded.hash);
        }
        if let Some(decided) = event.read::<RouteDecided>().unwrap() {
            assert!(policies.contains(&decided.policy), "{decided:?}");
            assert!(decided.based_on < event.position);
        }
    }
}

/// Checks that the state is equal when folded while recording, from the log, and from any saved state.
fn state_follows_from_the_log(desk: &Desk, events: &[Recorded]) {
    let kept = bytes(desk.engine.state());
    let mut rebuilt = RouterState::default();
    let mut checkpoints = vec![rebuilt.checkpoints().unwrap()];
    for event in events {
        rebuilt.advance(event).unwrap();
        checkpoints.push(rebuilt.checkpoints().unwrap());
    }
    let live = desk.engine.state().checkpoints().unwrap();
    for ((name, rebuilt), (_, live)) in rebuilt.checkpoints().unwrap().into_iter().zip(live) {
        assert_eq!((rebuilt.version, rebuilt.position), (live.version, live.position), "`{name}`");
        assert!(rebuilt == live, "the live state of projection `{name}` differs from one rebuilt from the log");
    }
    let head = Position(events.len() as u64);
    for start in 0..checkpoints.len() {
        // Each projection was saved at another position, as after an interrupted save; one was not saved at all.
        let mut projection = 0;
        let resumed = RouterState::resume(head, |name| {
            projection += 1;
            let saved = &checkpoints[(start + projection) % checkpoints.len()];
            let found = saved.iter().find(|(saved, _)| *saved == name).map(|(_, checkpoint)| checkpoint.clone());
            Ok::<_, LogError>(found.filter(|_| projection != 3))
        });
        let resumed = resumed.unwrap();
        let at = resumed.position().0;
        let resumed = folded(resumed, &events[usize::try_from(at).unwrap()..]);
        assert!(bytes(&resumed) == kept, "the state resumed at {at} differs");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_turn_has_one_decision_and_the_state_is_the_log_in_any_history(
        steps in prop::collection::vec(step(), 1..70),
    ) {
        let mut desk = Desk::with(POLICIES[1]);
        for step in &steps {
            desk = take(desk, step);
        }
        one_decision_per_turn(&desk);
        let events = desk.events();
        events_follow_from_one_another(&events);
        state_follows_from_the_log(&desk, &events);
    }
}
