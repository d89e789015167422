//! Imports of sessions that came through the gateway: their turns are in the log already and are not recorded again.

use contracts::events::RouteDecided;
use engine::TurnInput;
use event_core::Timestamp;
use transcripts::observed::{ObservedSession, ObservedTurn};

use crate::support::{
    Desk,
    desk::{START, client_request, session},
    models::SONNET,
    recorded::{call, completed, recorded_session, recorded_turn},
};

/// Returns a turn with one call, from its message to its end.
fn turn(number: u64, begins: Timestamp) -> ObservedTurn {
    let mut turn = recorded_turn("rec-1", &format!("m{number}"), "fix the parser", begins);
    turn.steps.push(call(&format!("c{number}"), begins.plus_secs(2), SONNET));
    completed(turn, begins.plus_secs(2))
}

/// Returns the session of these turns, as read from its file.
fn recorded() -> ObservedSession {
    recorded_session("rec-1", START)
}

/// Imports turns durably; returns how many were new.
fn observe(desk: &mut Desk, turns: &[ObservedTurn]) -> usize {
    desk.engine.observe_session(&recorded()).unwrap();
    let made = turns.iter().filter_map(|turn| desk.engine.observe_turn(&recorded(), turn).unwrap()).count();
    desk.engine.commit().unwrap();
    made
}

/// Starts a turn of the same session through the gateway.
fn through_gateway(desk: &mut Desk) {
    let new = TurnInput::new(session("rec-1"), "in the gateway", "fix the parser");
    desk.arrive(TurnInput { request: Some(client_request()), ..new }).unwrap();
    desk.engine.commit().unwrap();
}

/// A session that began in the gateway is not imported, neither before nor after a restart.
#[test]
fn a_session_that_began_in_the_gateway_is_not_recorded_again() {
    let mut desk = Desk::with("global_default: sonnet");
    through_gateway(&mut desk);
    let (head, costs) = (desk.head(), desk.engine.state().costs.clone());
    let turns = [turn(1, START), turn(2, START.plus_secs(60))];
    assert!(turns.iter().all(|turn| desk.engine.came_through_gateway(turn).unwrap()));
    assert_eq!(observe(&mut desk, &turns), 0);
    assert_eq!((desk.head(), &desk.engine.state().costs), (head, &costs));
    // Nor by a program that has been restarted since.
    let mut desk = desk.restarted();
    assert_eq!(observe(&mut desk, &turns), 0);
}

/// Of a session that continued in the gateway, only turns from before its first request are imported. A message is
/// recorded by the client a moment before the request arrives.
#[test]
fn of_a_session_that_went_on_in_the_gateway_only_the_turns_of_before_are_recorded() {
    let mut desk = Desk::with("global_default: sonnet");
    let before = turn(1, START);
    assert_eq!(observe(&mut desk, std::slice::from_ref(&before)), 1);
    desk.pass_secs(60);
    through_gateway(&mut desk);
    let spent = desk.engine.state().costs.overall();

    // Clients record a message a moment before they send it.
    let sent = Timestamp(desk.now.0 - 20_000);
    let direct = turn(2, START.plus_secs(10));
    let turns = [before, direct, turn(3, sent), turn(4, sent.plus_secs(30))];
    assert_eq!(
        turns.iter().map(|turn| desk.engine.came_through_gateway(turn).unwrap()).collect::<Vec<_>>(),
        [false, false, true, true]
    );
    assert_eq!(observe(&mut desk, &turns), 1, "the one that was not imported yet");
    assert_eq!(desk.engine.state().costs.overall().calls, spent.calls + 1);
    assert_eq!(desk.all::<RouteDecided>().len(), 3);
}

/// Sessions without requests in the gateway are imported.
#[test]
fn other_sessions_are_recorded_as_ever() {
    let mut desk = Desk::with("global_default: sonnet");
    desk.turn("another", "hello");
    assert!(!desk.engine.came_through_gateway(&turn(1, START)).unwrap());
    assert_eq!(observe(&mut desk, &[turn(1, START)]), 1);
}

/// `recover` ends a turn of the gateway that has neither a call nor a tool in progress, but not a turn of another front
/// end.
#[test]
fn a_turn_of_the_gateway_that_waits_for_nothing_when_the_program_was_killed_is_over() {
    let mut desk = Desk::with("global_default: sonnet");
    through_gateway(&mut desk);
    desk.start("sess_42", "by hand");
    let mut desk = desk.restarted();
    assert_eq!(desk.engine.recover().unwrap(), 1);
    assert_eq!((desk.running("rec-1"), desk.running("sess_42").is_some()), (None, true));
}
