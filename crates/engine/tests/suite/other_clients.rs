//! Imports of Codex sessions and chat completion logs: once, twice, and after a killed import.

use std::{path::Path, sync::Arc};

use contracts::events::LlmCallCompleted;
use event_bus::{EventLog as _, Expected, MemoryLog, MemoryTexts};
use event_core::{EventId, NewEvent, Payload, Recorded};
use transcripts::{
    codex::Codex,
    openai_log::OpenAiLog,
    session_file::{Format, SessionReader},
};

use crate::support::{Desk, models::models};

/// The policy of these tests.
const POLICY: &str = "global_default: sonnet";
/// Session files of Codex: name without extension, and text.
const ROLLOUTS: [(&str, &str); 5] = [
    ("rollout-contexts", include_str!("../../../transcripts/tests/fixtures/codex/contexts-of-2025.jsonl")),
    ("rollout-fork-of-2025", include_str!("../../../transcripts/tests/fixtures/codex/fork-of-2025.jsonl")),
    ("rollout-pages", include_str!("../../../transcripts/tests/fixtures/codex/pages.jsonl")),
    ("rollout-sub-agent", include_str!("../../../transcripts/tests/fixtures/codex/sub-agent.jsonl")),
    ("rollout-fork", include_str!("../../../transcripts/tests/fixtures/codex/fork.jsonl")),
];
/// Logs of chat completions: name without extension, and text.
const CALLS: [(&str, &str); 1] =
    [("calls", include_str!("../../../transcripts/tests/fixtures/openai-log/calls.jsonl"))];

/// Imports session files of the format `F`, as the program does, each durably.
fn import<F: Format>(desk: &mut Desk, files: &[(&str, &str)]) {
    for (name, text) in files {
        let mut reader = SessionReader::<_, F>::new(Path::new(&format!("{name}.jsonl")), text.as_bytes());
        while let Some(turn) = reader.next() {
            let session = reader.session().unwrap().clone();
            desk.engine.observe_session(&session).unwrap();
            desk.engine.observe_turn(&session, &turn).unwrap();
        }
        desk.engine.commit().unwrap();
    }
}

/// Returns id, kind and payload of the events of sessions, without the times of recording. Left out are events about
/// the active policy, because each test has its own folder, and the payload of decisions, which contains positions.
fn told(events: &[Recorded]) -> Vec<(EventId, String, Payload)> {
    let active = |kind: &str| kind.starts_with("policy.") || kind.starts_with("catalogue.");
    let of_sessions = events.iter().map(|event| &event.event).filter(|event| !active(&event.kind));
    let said =
        |event: &NewEvent| if event.kind == "route.decided" { Payload::default() } else { event.payload.clone() };
    of_sessions.map(|event| (event.id, event.kind.to_string(), said(event))).collect()
}

/// Asserts that importing the same files a second time adds no event.
fn importing_again_adds_nothing<F: Format>(files: &[(&str, &str)]) {
    let mut desk = Desk::with(POLICY);
    import::<F>(&mut desk, files);
    let once = told(&desk.events());
    import::<F>(&mut desk, files);
    assert_eq!(told(&desk.events()), once);
}

/// Asserts that an import into a log with any prefix of the events of these files, as a killed import leaves it,
/// results in the same events as an import that was not killed.
fn a_killed_import_is_completed<F: Format>(files: &[(&str, &str)]) {
    let mut desk = Desk::with(POLICY);
    import::<F>(&mut desk, files);
    let whole = desk.events();
    for kept in 0..=whole.len() {
        let log = Arc::new(MemoryLog::new());
        let left: Vec<NewEvent> = whole[..kept].iter().map(|event| event.event.clone()).collect();
        if !left.is_empty() {
            log.append(Expected::Any, desk.now, &left).unwrap();
            log.sync().unwrap();
        }
        let mut next = Desk::open(Some(POLICY), log, Arc::new(MemoryTexts::new()), models());
        import::<F>(&mut next, files);
        for (found, expected) in told(&next.events()).iter().zip(told(&whole)) {
            assert_eq!(*found, expected, "{kept} events were left");
        }
        assert_eq!(told(&next.events()).len(), told(&whole).len(), "{kept} events were left");
    }
}

/// Importing sessions of Codex a second time adds no event.
#[test]
fn importing_codex_again_adds_nothing() {
    importing_again_adds_nothing::<Codex>(&ROLLOUTS);
}

/// Importing a log of chat completions a second time adds no event.
#[test]
fn importing_a_log_of_calls_again_adds_nothing() {
    importing_again_adds_nothing::<OpenAiLog>(&CALLS);
}

/// After a killed import of sessions of Codex, the next one results in the complete log.
#[test]
fn an_import_of_codex_that_was_killed_is_completed_by_the_next() {
    a_killed_import_is_completed::<Codex>(&ROLLOUTS);
}

/// After a killed import of chat completions, the next one results in the complete log.
#[test]
fn an_import_of_calls_that_was_killed_is_completed_by_the_next() {
    a_killed_import_is_completed::<OpenAiLog>(&CALLS);
}

/// Imported calls have model ids with the provider in the file, also for models that are not in the catalogue.
#[test]
fn models_keep_their_provider_whether_they_are_known_or_not() {
    let mut desk = Desk::with(POLICY);
    import::<Codex>(&mut desk, &ROLLOUTS);
    import::<OpenAiLog>(&mut desk, &CALLS);
    let mut models: Vec<String> = desk.all::<LlmCallCompleted>().iter().map(|call| call.model.to_string()).collect();
    models.sort();
    models.dedup();
    insta::assert_snapshot!(models.join("\n"));
}
