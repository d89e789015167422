//! Parallel runs of one prompt by a client without session ids: they share a session, and each keeps its turns.

use std::collections::BTreeSet;

use contracts::{
    ResponseSummary, ToolRequest, TurnId,
    events::{RouteDecided, StopReason, TurnEnded, TurnStatus},
};
use engine::{Call, Route, ToolResult, TurnInput};

use crate::support::{
    Desk,
    again::{Words, all_are_the_same},
    desk::{client_request, session},
    models::{HAIKU, OPUS},
};

/// The id of the session that all runs share.
const SESSION: &str = "http-of-them-all";
/// The message that all runs begin with.
const PROMPT: &str = "fix the parser";
/// A policy that decides messages with `docs` for Opus and all others for Haiku.
const POLICY: &str = "rules: [{name: docs, when: {message_matches: docs}, use: opus}]\nglobal_default: haiku";

/// Returns an engine with this policy.
fn desk() -> Desk {
    let mut desk = Desk::with(POLICY);
    desk.engine.refresh_policy().unwrap();
    desk
}

/// Returns a request with a message, and with these tool calls in its history.
fn says(message: &str, calls: &[&str]) -> TurnInput {
    let calls_in_history = Some(calls.iter().map(|call| (*call).to_owned()).collect());
    TurnInput {
        request: Some(client_request()),
        calls_in_history,
        ..TurnInput::new(session(SESSION), message, message)
    }
}

/// Returns a request that continues a turn with the result of a tool call.
fn brings(message: &str, call: &str) -> TurnInput {
    let tool_results = vec![ToolResult {
        id: call.to_owned(),
        failed: false,
        bytes: 9,
        extensions: BTreeSet::new(),
        failure: String::new(),
    }];
    TurnInput { continues: true, tool_results, ..says(message, &[call]) }
}

/// Records the model's response, with a tool call for each of these ids.
fn answer(desk: &mut Desk, sent: &Call, calls: &[&str]) {
    let tool = |id: &&str| ToolRequest { id: (*id).to_owned(), name: "Bash".to_owned(), arguments: "{}".to_owned() };
    let answer = ResponseSummary {
        stop_reason: if calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse },
        tool_calls: calls.iter().map(tool).collect(),
        ..ResponseSummary::default()
    };
    desk.engine.record_response(sent, &answer, None, desk.now).unwrap();
    desk.engine.commit().unwrap();
    desk.stands_where_the_log_says();
}

/// Starts a turn whose first response calls these tools; returns the turn.
fn waits(desk: &mut Desk, input: TurnInput, calls: &[&str]) -> TurnId {
    desk.pass_secs(1);
    let started = desk.engine.arrive(input).unwrap();
    assert!(matches!(started.route, Route::Decided(_)), "{:?}", started.route);
    let sent = desk.engine.record_call(&started, started.model().unwrap(), &BTreeSet::new()).unwrap();
    answer(desk, &sent, calls);
    started.turn
}

/// Sends the result of a call and completes the response; returns the continued turn and its model.
fn goes_on(desk: &mut Desk, message: &str, id: &str) -> (TurnId, String) {
    desk.pass_secs(1);
    let continued = desk.engine.arrive(brings(message, id)).unwrap();
    let Route::Locked(model) = &continued.route else { panic!("decided again: {:?}", continued.route) };
    let sent = desk.engine.record_call(&continued, model, &BTreeSet::new()).unwrap();
    answer(desk, &sent, &[]);
    (continued.turn, model.to_string())
}

/// Returns the open turns of the session, oldest first.
fn open(desk: &Desk) -> Vec<TurnId> {
    desk.engine.state().sessions.get(&session(SESSION)).unwrap().open.iter().map(|open| open.turn).collect()
}

/// Returns the ended turns with their status, in the order of the log.
fn ended(desk: &Desk) -> Vec<(TurnId, TurnStatus)> {
    desk.all::<TurnEnded>().into_iter().map(|ended| (ended.turn, ended.status)).collect()
}

/// The next message of a run does not end the waiting turn of another run; each run continues its own turns on their
/// models, and every decision can be repeated.
#[test]
fn a_run_that_goes_on_to_its_next_message_leaves_the_turn_of_another_run_locked() {
    let mut desk = desk();
    let one = waits(&mut desk, says(PROMPT, &[]), &["a"]);
    let other = waits(&mut desk, says(PROMPT, &[]), &["b"]);
    assert_eq!(goes_on(&mut desk, PROMPT, "a"), (one, HAIKU.to_owned()));
    let next = waits(&mut desk, says("and the docs", &["a"]), &["c"]);
    assert_eq!(open(&desk), [other, next]);
    // Each run sends the result of its own tool, in any order.
    assert_eq!(goes_on(&mut desk, PROMPT, "b"), (other, HAIKU.to_owned()));
    assert_eq!(goes_on(&mut desk, "and the docs", "c"), (next, OPUS.to_owned()));
    assert_eq!(ended(&desk), [one, other, next].map(|turn| (turn, TurnStatus::Completed)));
    assert_eq!(desk.all::<RouteDecided>().len(), 3);
    assert_eq!(all_are_the_same(&desk, Words::Kept), 3);
}

/// The next message of a run cancels the waiting turn whose tool calls are in its history, and no other.
#[test]
fn what_a_run_was_interrupted_in_ends_with_its_next_message() {
    let mut desk = desk();
    let other = waits(&mut desk, says(PROMPT, &[]), &["x"]);
    // One of several calls in the history is enough.
    let interrupted = waits(&mut desk, says(PROMPT, &[]), &["a", "b"]);
    let next = waits(&mut desk, says("do something else", &["b"]), &["c"]);
    assert_eq!(ended(&desk), [(interrupted, TurnStatus::Cancelled)]);
    assert_eq!(open(&desk), [other, next]);
}

/// Of more than 64 waiting turns of other runs, the oldest are cancelled.
#[test]
fn runs_that_were_left_for_good_are_bounded_and_the_oldest_end_first() {
    let mut desk = desk();
    // Their clients have removed the calls from the history.
    let turns: Vec<_> =
        (0..70).map(|run| waits(&mut desk, says(&format!("try {run}"), &[]), &[&format!("call-{run}")])).collect();
    let (over, left) = turns.split_at(5);
    assert_eq!(open(&desk), left, "as many as may wait at once, and the one that started last");
    assert_eq!(ended(&desk), over.iter().map(|turn| (*turn, TurnStatus::Cancelled)).collect::<Vec<_>>());
}

/// In a session that the client identifies, the next message cancels all waiting turns.
#[test]
fn in_a_session_that_its_client_names_whatever_waits_ends_with_the_next_message() {
    let mut desk = desk();
    let named = |message: &str| TurnInput { calls_in_history: None, ..says(message, &[]) };
    let first = waits(&mut desk, named(PROMPT), &["a"]);
    let same = waits(&mut desk, named(PROMPT), &["b"]);
    assert_eq!(open(&desk), [first, same]);
    let next = waits(&mut desk, named("and the docs"), &["c"]);
    assert_eq!(ended(&desk), [first, same].map(|turn| (turn, TurnStatus::Cancelled)));
    assert_eq!(open(&desk), [next]);
}

/// A waiting turn with a tool call whose id the client may have changed (empty, not in the usual form, or too long) is
/// not assumed to be of another run, and is cancelled.
#[test]
fn calls_that_the_client_may_know_by_another_name_cannot_be_another_run_s() {
    for name in ["", "functions.Bash:0", &"c".repeat(200)] {
        let mut desk = desk();
        let first = waits(&mut desk, says(PROMPT, &[]), &[name]);
        let next = waits(&mut desk, says("and the docs", &["call_ffeedd"]), &["b"]);
        assert_eq!((ended(&desk), open(&desk)), (vec![(first, TurnStatus::Cancelled)], vec![next]), "{name}");
    }
}
