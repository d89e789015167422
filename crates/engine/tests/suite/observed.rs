//! Imports of recorded sessions: their events, and importing them again.

use contracts::{
    Slot, Usage,
    events::{
        DecisionMode, ErrorClass, LlmCallCompleted, LlmCallFailed, RouteDecided, SessionStarted, StopReason,
        ToolCalled, TurnEnded, TurnStarted, TurnTextRecorded,
    },
};
use event_core::MAX_PAYLOAD_BYTES;
use transcripts::observed::{ObservedSession, ObservedTurn, Step};

use crate::support::{
    Desk,
    desk::{START, session},
    models::{GPT, HAIKU, OPUS, SONNET, model_id},
    recorded::{call, completed, edit, failure, recorded_session, recorded_turn},
};

const POLICY: &str =
    "rules: [{name: edits, when: {file_extensions_in_context: .rs}, use: opus}]\nglobal_default: sonnet";

/// Returns a session with a completed turn and a turn in which the file ends.
fn short() -> (ObservedSession, Vec<ObservedTurn>) {
    let session = recorded_session("rec-1", START);
    let mut first = recorded_turn("rec-1", "m1", "fix the parser", START);
    first.steps.push(call("c1", START.plus_secs(2), SONNET));
    first.steps.extend(edit("t1", START.plus_secs(3)));
    first.steps.push(call("c2", START.plus_secs(5), SONNET));
    let mut second = recorded_turn("rec-1", "m2", "and the printer", START.plus_secs(60));
    second.before.tool_calls = 1;
    second.before.extensions = [".rs".to_owned()].into();
    second.steps.push(call("c3", START.plus_secs(62), SONNET));
    (session, vec![completed(first, START.plus_secs(5)), second])
}

/// Returns the same session some minutes later, when its file has grown.
fn grown() -> (ObservedSession, Vec<ObservedTurn>) {
    let (session, mut turns) = short();
    let second = &mut turns[1];
    second.steps.extend(edit("t2", START.plus_secs(63)));
    second.steps.push(call("c4", START.plus_secs(65), SONNET));
    second.end = Some((contracts::events::TurnStatus::Completed, START.plus_secs(65)));
    turns.push(recorded_turn("rec-1", "m3", "thanks", START.plus_secs(90)));
    (session, turns)
}

fn observe(desk: &mut Desk, (session, turns): &(ObservedSession, Vec<ObservedTurn>)) -> usize {
    desk.engine.observe_session(session).unwrap();
    let made: Vec<_> = turns.iter().filter_map(|turn| desk.engine.observe_turn(session, turn).unwrap()).collect();
    desk.engine.commit().unwrap();
    made.len()
}

#[test]
fn every_turn_is_decided_and_everything_in_it_is_told_in_order() {
    let mut desk = Desk::with(POLICY);
    assert_eq!(observe(&mut desk, &short()), 2);
    let kinds = desk.kinds_after(event_core::Position::ORIGIN);
    insta::assert_snapshot!(kinds.join("\n"));

    let decided = desk.all::<RouteDecided>();
    let models: Vec<_> = decided.iter().map(|decided| decided.decision.chosen.clone().unwrap().to_string()).collect();
    assert_eq!(models, [SONNET, OPUS], "the second turn follows an edit of a .rs file");
    assert!(decided.iter().all(|decided| decided.mode == DecisionMode::Observed && decided.elapsed_micros == 0));
    let seen = &desk.all::<SessionStarted>()[0];
    assert_eq!(
        (seen.workspace.as_deref(), seen.client.as_deref()),
        (Some("/home/dev/shop"), Some("claude-code 2.1.37"))
    );
    assert!(desk.all::<TurnStarted>().iter().all(|turn| turn.workspace.as_deref() == Some("/home/dev/shop")));
}

#[test]
fn observing_a_session_again_appends_nothing() {
    let mut desk = Desk::with(POLICY);
    observe(&mut desk, &grown());
    let head = desk.head();
    for _ in 0..2 {
        desk = desk.restarted();
        assert_eq!(observe(&mut desk, &grown()), 0);
        assert_eq!(desk.head(), head);
    }
}

#[test]
fn a_session_that_grew_appends_only_what_is_new() {
    let mut desk = Desk::with(POLICY);
    observe(&mut desk, &short());
    let open =
        desk.engine.state().sessions.get(&session("rec-1")).unwrap().running_turn(&contracts::Thread::Main).cloned();
    assert_eq!(open.unwrap().turn, short().1[1].id(), "the file stops in the middle of a turn");
    let head = desk.head();
    assert_eq!(observe(&mut desk, &grown()), 1);
    assert_eq!(
        desk.kinds_after(head),
        [
            "tool.called",
            "tool.finished",
            "llm.call_completed",
            "turn.ended",
            "eval.completed",
            "turn.started",
            "turn.text_recorded",
            "skill.routed",
            "eval.completed",
            "route.decided"
        ]
    );

    let mut at_once = Desk::with(POLICY);
    observe(&mut at_once, &grown());
    let (costs, all) = (&desk.engine.state().costs, &at_once.engine.state().costs);
    assert_eq!(costs, all, "in two parts or at once, the sums are the same");
    assert_eq!(desk.engine.state().sessions, at_once.engine.state().sessions);
}

#[test]
fn a_decision_stays_as_it_was_made_first() {
    let mut desk = Desk::with(POLICY);
    observe(&mut desk, &short());
    let before = desk.all::<RouteDecided>();
    desk.edit_policy("global_default: haiku");
    let mut desk = desk.restarted();
    observe(&mut desk, &grown());
    let after = desk.all::<RouteDecided>();
    assert_eq!(after[..2], before[..]);
    assert_eq!(after[2].decision.chosen, Some(model_id(HAIKU)));
}

#[test]
fn a_turn_met_twice_in_one_import_is_decided_once() {
    let mut desk = Desk::with(POLICY);
    let (session, turns) = short();
    let first = desk.engine.observe_turn(&session, &turns[0]).unwrap();
    let again = desk.engine.observe_turn(&session, &turns[0]).unwrap();
    assert!(first.is_some() && again.is_none(), "{again:?}");
    desk.engine.commit().unwrap();
    assert_eq!(desk.all::<RouteDecided>().len(), 1);
}

#[test]
fn a_copied_call_in_another_session_is_counted_once() {
    let mut desk = Desk::with(POLICY);
    observe(&mut desk, &short());
    let spent = desk.engine.state().costs.overall();
    let mut copy = recorded_turn("rec-2", "m1", "fix the parser", START);
    copy.steps.push(call("c1", START.plus_secs(2), SONNET));
    observe(&mut desk, &(recorded_session("rec-2", START), vec![copy]));
    assert_eq!(desk.engine.state().costs.overall(), spent);
}

#[test]
fn a_message_that_mentions_a_file_is_addressed_to_no_model() {
    let mut desk = Desk::with(POLICY);
    let messages = ["@src/main.rs explain this", "@opus plan it", "\\@opus is a model", "@README.md"];
    let turns = messages.into_iter().enumerate().map(|(number, message)| {
        recorded_turn("rec-1", &format!("m{number}"), message, START.plus_secs(number as u64))
    });
    observe(&mut desk, &(recorded_session("rec-1", START), turns.collect()));
    let overrides: Vec<_> = desk.all::<TurnStarted>().into_iter().map(|turn| turn.override_model).collect();
    assert_eq!(overrides.iter().map(Option::is_some).collect::<Vec<_>>(), [false, true, false, false]);
    let decided = desk.all::<RouteDecided>();
    assert_eq!(decided[1].decision.winner().unwrap().slot, Slot::PerMessageOverride);
    let texts: Vec<_> = desk.all::<TurnTextRecorded>().into_iter().map(|text| text.text).collect();
    let inline = |text: &str| contracts::events::TextBody::Inline(text.to_owned());
    assert_eq!(texts, [messages[0], "plan it", "@opus is a model", "@README.md"].map(inline));
}

#[test]
fn a_model_nobody_has_prices_for_costs_nothing_that_is_known() {
    let mut desk = Desk::with(POLICY);
    let mut turn = recorded_turn("rec-1", "m1", "hello", START);
    turn.steps.push(call("c1", START, "claude-from-the-future"));
    turn.steps.push(call("c2", START, HAIKU));
    observe(&mut desk, &(recorded_session("rec-1", START), vec![turn]));
    let calls = desk.all::<LlmCallCompleted>();
    assert_eq!((calls[0].model.as_str(), calls[0].cost), ("anthropic:claude-from-the-future", None));
    assert_eq!((calls[1].model.as_str(), calls[1].cost.map(|cost| cost.0)), (HAIKU, Some(4_000_000)));
}

#[test]
fn an_answer_that_may_still_grow_is_told_once_it_is_complete() {
    let mut desk = Desk::with(POLICY);
    let session = recorded_session("rec-1", START);
    let with = |output: u64, complete: bool| {
        let mut turn = recorded_turn("rec-1", "m1", "hello", START);
        let Step::Call(mut growing) = call("c1", START, SONNET) else { panic!("a call is a call") };
        (growing.usage, growing.complete) = (Usage { input: 10, output, ..Usage::default() }, complete);
        turn.steps.push(Step::Call(growing));
        (session.clone(), vec![turn])
    };
    observe(&mut desk, &with(1, false));
    assert_eq!(desk.all::<LlmCallCompleted>().len(), 0);
    observe(&mut desk, &with(500, true));
    let calls = desk.all::<LlmCallCompleted>();
    assert_eq!((calls.len(), calls[0].usage.output, calls[0].stop_reason), (1, 500, StopReason::EndTurn));
}

#[test]
fn an_outage_of_a_later_session_does_not_reach_back_into_an_earlier_one() {
    let mut desk = Desk::with("global_default: opus\nworkspaces: {/home/dev/shop: {default: sonnet}}");
    let mut late = recorded_turn("rec-late", "m1", "hello", START.plus_secs(86_400));
    late.steps.push(failure("f1", START.plus_secs(86_400), SONNET, ErrorClass::Auth));
    observe(&mut desk, &(recorded_session("rec-late", START.plus_secs(86_400)), vec![late]));
    let early = recorded_turn("rec-early", "m1", "hello", START);
    let during = recorded_turn("rec-early", "m2", "hello", START.plus_secs(86_401));
    let after = recorded_turn("rec-early", "m3", "hello", START.plus_secs(86_400 + 300));
    observe(&mut desk, &(recorded_session("rec-early", START), vec![early, during, after]));
    let models: Vec<_> = desk.all::<RouteDecided>().into_iter().map(|decided| decided.decision.chosen).collect();
    let sonnet = Some(model_id(SONNET));
    assert_eq!(models, [sonnet.clone(), sonnet.clone(), None, sonnet]);
}

#[test]
fn an_observed_turn_without_a_model_ran_all_the_same() {
    let mut desk = Desk::with("gateway: {client_model: auto}\nrules: []");
    observe(&mut desk, &short());
    assert!(desk.all::<RouteDecided>().iter().all(|decided| decided.decision.chosen.is_none()));
    assert_eq!(desk.all::<TurnEnded>().len(), 1, "the finished turn ends once, the other goes on");
    assert_eq!(desk.all::<LlmCallCompleted>().len(), 3);
}

#[test]
fn importing_announces_no_outage() {
    let mut desk = Desk::with(POLICY);
    let mut turn = recorded_turn("rec-1", "m1", "hello", START);
    turn.steps.push(failure("f1", START, "", ErrorClass::Auth));
    observe(&mut desk, &(recorded_session("rec-1", START), vec![turn]));
    assert_eq!(desk.all::<LlmCallFailed>()[0].model.as_str(), "anthropic:unknown");
    assert_eq!(desk.all::<contracts::events::ProviderUnavailable>().len(), 0);
}

#[test]
fn a_turn_of_a_thousand_steps_is_recorded_whole() {
    let mut desk = Desk::with(POLICY);
    let mut turn = recorded_turn("rec-1", "m1", "a long one", START);
    for number in 0..500_u64 {
        turn.steps.push(call(&format!("c{number}"), START.plus_secs(number), HAIKU));
        turn.steps.extend(edit(&format!("t{number}"), START.plus_secs(number)));
    }
    let session = (recorded_session("rec-1", START), vec![completed(turn, START.plus_secs(500))]);
    observe(&mut desk, &session);
    assert_eq!(desk.head().0, 2 + 1 + 4 + 1_500 + 2);
    let ended = &desk.all::<TurnEnded>()[0];
    assert_eq!((ended.llm_calls, ended.tool_calls), (500, 500));
    assert_eq!(desk.engine.state().costs.overall().calls, 500);
    assert_eq!(observe(&mut desk.restarted(), &session), 0);
}

#[test]
fn names_of_any_length_fit_into_events() {
    let mut desk = Desk::with("rules: []\nglobal_default: gpt");
    let name = |number: usize, length: usize| format!("{number:03}{}", "é".repeat(length));
    let many = |length| (0..200).map(|number| name(number, length)).collect::<std::collections::BTreeSet<_>>();
    let long = "ü".repeat(5_000);
    let mut session = recorded_session(&"s".repeat(128), START);
    session.workspace = Some(format!("/{}", "w".repeat(999)));
    session.client = Some(long.clone());
    let mut turn = recorded_turn(&"s".repeat(128), &long, &format!("@{OPUS} {long}"), START);
    turn.thread = contracts::Thread::SubAgent("t".repeat(128).as_str().try_into().unwrap());
    // The longest name is 40 bytes; a list holds as many names of 36 bytes as fit.
    turn.before.extensions = many(18);
    turn.before.directories = many(18);
    turn.before.tools = many(18);
    let Step::Call(mut answer) = call("c1", START, &long) else { panic!("a call is a call") };
    answer.raw_usage = Some(long.clone());
    turn.steps.push(Step::Call(answer));
    for (number, length) in [(1, 18), (2, 1), (3, 5_000)] {
        let [Step::ToolCalled(mut tool), result] = edit(&format!("{number}{long}"), START) else { panic!("a tool") };
        (tool.name, tool.class.extensions, tool.class.directories) = (long.clone(), many(length), many(length));
        turn.steps.extend([Step::ToolCalled(tool), result]);
    }
    turn.steps.push(failure(&long, START, &long, ErrorClass::Timeout));
    let session = (session, vec![completed(turn, START)]);
    observe(&mut desk, &session);
    let largest = desk.events().into_iter().max_by_key(|event| event.event.payload.len()).unwrap();
    assert!(largest.event.payload.len() as u64 <= MAX_PAYLOAD_BYTES, "{largest:?}");
    assert_eq!(desk.all::<ToolCalled>().len(), 3);
    assert_eq!(desk.all::<RouteDecided>()[0].decision.chosen, Some(model_id(OPUS)));
    assert_eq!(observe(&mut desk.restarted(), &session), 0);
}

#[test]
fn a_workspace_too_long_for_a_event_is_no_workspace() {
    let policy = "global_default: gpt\nworkspaces: {/w: {default: opus}}";
    let mut desk = Desk::with(policy);
    let mut session = recorded_session("rec-1", START);
    session.workspace = Some(format!("/w/{}", "w".repeat(2_000)));
    observe(&mut desk, &(session, vec![recorded_turn("rec-1", "m1", "hello", START)]));
    assert_eq!(desk.all::<RouteDecided>()[0].decision.chosen, Some(model_id(GPT)));
    let mut new = engine::TurnInput::new(crate::support::desk::session("live"), "m1", "hello");
    new.workspace = Some(format!("/w/{}", "w".repeat(5_000)));
    let made = desk.arrive(new).unwrap();
    assert_eq!(made.model(), Some(&model_id(GPT)));
}

#[test]
fn the_model_that_ran_is_the_model_that_was_asked_for_decision_d42() {
    let mut desk = Desk::with("gateway: {client_model: default}\nglobal_default: haiku");
    let mut turn = recorded_turn("rec-1", "m1", "hello", START);
    turn.steps.push(call("c1", START.plus_secs(1), SONNET));
    let silent = recorded_turn("rec-1", "m2", "no answer", START.plus_secs(9));
    observe(&mut desk, &(recorded_session("rec-1", START), vec![completed(turn, START.plus_secs(1)), silent]));
    let requests: Vec<_> = desk.all::<TurnStarted>().into_iter().map(|turn| turn.request.unwrap()).collect();
    assert!(requests[0].imported);
    assert_eq!(requests[0].client.as_deref(), Some("claude-code"));
    assert_eq!((requests[0].model.as_str(), &requests[0].named), ("claude-sonnet-4-6", &Some(model_id(SONNET))));
    assert_eq!((requests[1].model.as_str(), &requests[1].named), ("", &None), "no call shows a model");
    let decided: Vec<_> = desk.all::<RouteDecided>().into_iter().map(|decided| decided.decision).collect();
    assert_eq!(
        (decided[0].chosen.clone(), decided[0].winner().unwrap().slot),
        (Some(model_id(SONNET)), Slot::WorkspaceDefault)
    );
    assert_eq!(decided[1].chosen, Some(model_id(HAIKU)));
}

#[test]
fn a_running_imported_turn_is_locked_to_the_model_that_ran_decision_d42() {
    let mut desk = Desk::with("gateway: {client_model: auto}\nglobal_default: haiku");
    let mut turn = recorded_turn("rec-1", "m1", "hello", START);
    turn.steps.push(call("c1", START.plus_secs(1), SONNET));
    observe(&mut desk, &(recorded_session("rec-1", START), vec![turn]));
    assert_eq!(desk.all::<RouteDecided>()[0].decision.chosen, Some(model_id(HAIKU)));
    let session = desk.engine.state().sessions.get(&session("rec-1")).unwrap().clone();
    assert_eq!(session.running_turn(&contracts::Thread::Main).unwrap().model, Some(model_id(SONNET)));
    assert_eq!(session.gateway_since, None, "it did not pass the gateway");
}
