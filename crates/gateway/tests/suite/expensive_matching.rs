//! A message on which the regular expressions of the policy take seconds: other clients are not delayed.

use std::{
    fmt::Write as _,
    thread,
    time::{Duration, Instant},
};

use contracts::{SessionId, Thread, events::SessionSource};
use control::{ImportTurns, ImportedPart};
use event_core::Timestamp;
use serde_json::Value;
use transcripts::observed::{ObservedSession, ObservedTurn, ThreadState};

use crate::support::{World, message};

/// A policy close to the limit of the cost of regular expressions. In a random text every `a` may be the start of a match, so
/// their slowest mode is needed.
fn policy() -> String {
    let mut text = "schema_version: 1\nglobal_default: sonnet\nrules:\n".to_owned();
    for last in 'd'..'i' {
        let pattern = format!("a(?:[ab]{{40}}){{43}}[c-{last}]");
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "  - {{name: {last}, when: {{message_matches: '{pattern}'}}, use: haiku}}");
    }
    text
}

/// A message that matches no rule, but a long part of each at half of its places.
fn hostile() -> String {
    let letters =
        std::iter::successors(Some(7_u32), |state| Some(state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)));
    letters.take(32 * 1024).map(|state| if state >> 31 == 0 { 'a' } else { 'b' }).collect()
}

/// Calls `slow` and, until it returns, sends short requests. Returns the duration of `slow`, and the longest and the number
/// of the others.
fn beside(world: &World, slow: impl FnOnce() + Send) -> (Duration, Duration, usize) {
    thread::scope(|scope| {
        let began = Instant::now();
        let running = scope.spawn(slow);
        let (mut longest, mut requests) = (Duration::ZERO, 0);
        while !running.is_finished() {
            let sent = Instant::now();
            let answer = world.post("/v1/messages", &[], &message("turnwise", "hello"));
            assert_eq!(answer.status, 200, "{}", answer.body);
            longest = longest.max(sent.elapsed());
            requests += 1;
        }
        running.join().unwrap();
        (began.elapsed(), longest, requests)
    })
}

/// Asserts that other requests took much less time than the slow one.
fn assert_not_delayed((slow, longest, requests): (Duration, Duration, usize)) {
    assert!(Duration::from_millis(400) < slow, "the message is not expensive: {slow:?}");
    assert!(longest * 2 < slow && 3 < requests, "{longest:?} of {slow:?} in {requests} requests");
}

/// Attack: a message on which the regular expressions of the policy take seconds.
/// Holds: requests of other clients are decided meanwhile.
#[test]
fn an_expensive_message_does_not_delay_other_clients() {
    let world = World::new(&policy());
    let measured = beside(&world, || {
        let answer = world.post("/v1/messages", &[], &message("turnwise", &hostile()));
        assert_eq!(answer.status, 200, "{}", answer.body);
    });
    assert_not_delayed(measured);
}

/// Attack: an import with such a message while the gateway runs.
/// Holds: requests of clients are decided meanwhile.
#[test]
fn the_import_of_an_expensive_message_does_not_delay_clients() {
    let world = World::new(&policy());
    let id = SessionId::try_from("imported").unwrap();
    let session = ObservedSession {
        id: id.clone(),
        source: SessionSource::ClaudeCode,
        workspace: None,
        client: None,
        started_at: Timestamp::from_secs(1_778_000_000),
        parent: None,
    };
    let turn = ObservedTurn {
        session: id,
        name: "turn".to_owned(),
        thread: Thread::Main,
        started_at: Timestamp::from_secs(1_778_000_000),
        message: hostile(),
        message_has_images: false,
        before: ThreadState::default(),
        steps: Vec::new(),
        end: None,
    };
    let import = ImportTurns::new(vec![ImportedPart { session, turns: vec![turn] }]);
    let mut imported = Value::Null;
    let measured = beside(&world, || imported = world.control(import).unwrap());
    assert_eq!((&imported["turns"], &imported["decisions"]), (&1.into(), &1.into()), "{imported}");
    assert_not_delayed(measured);
}
