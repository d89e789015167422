//! Purging private text: decisions, their inputs and the hash chain stay.

use std::path::Path;

use contracts::{
    SessionId,
    events::{LogPurged, RouteDecided, SkillIndexed, SkillPromptRecorded, SkillRouted, TextBody},
};
use engine::{EngineError, PurgeScope, plan_purge};
use event_bus::{EventLog, ManualClock, SledLog, TextFiles, TextStore, verify};
use event_core::{EventId, EventType, NewEvent, Position, Recorded, Timestamp};

use crate::support::{Desk, desk::session};

/// Writes a log to a directory: two sessions with a secret in their messages, one of them too long for an event, and a
/// stored text without an event. Returns the events.
fn on_disk(directory: &Path) -> Vec<Recorded> {
    let mut desk = Desk::with("global_default: haiku");
    for number in 0..10 {
        desk.pass_secs(60);
        let name = if number % 2 == 0 { "even" } else { "odd" };
        let message = if number == 6 { "secret ".repeat(1_000) } else { format!("secret {number}") };
        desk.turn(name, &message);
    }
    let events = desk.log.read_after(Position::ORIGIN, 10_000).unwrap();
    let (log, _) = SledLog::open(directory).unwrap();
    log.restore(&events).unwrap();
    log.close().unwrap();
    let texts = TextFiles::open(directory);
    texts.put(&"secret ".repeat(1_000)).unwrap();
    texts.put("a secret no event names").unwrap();
    events
}

/// Returns all events of a log.
fn all(log: &SledLog) -> Vec<Recorded> {
    log.read_after(Position::ORIGIN, 10_000).unwrap()
}

/// Returns the decisions among events.
fn decisions(events: &[Recorded]) -> Vec<RouteDecided> {
    events.iter().filter_map(|event| event.read::<RouteDecided>().unwrap()).collect()
}

/// Counts the occurrences of the secret in the files of a directory.
fn secrets(directory: &Path) -> usize {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            if path.is_dir() {
                return secrets(&path);
            }
            std::fs::read(path).unwrap().windows(6).filter(|window| window == b"secret").count()
        })
        .sum()
}

/// Plans and executes a purge of the log in a directory; returns the planned numbers of events and texts.
fn purge(directory: &Path, scope: PurgeScope) -> (u64, u64) {
    let (log, _) = SledLog::open(directory).unwrap();
    let plan = plan_purge(&log, scope).unwrap();
    let planned = (plan.events(), plan.texts());
    let clock = ManualClock::new(Timestamp(1_800_000_000_000_000));
    let (_, purged) = plan.execute(log, &TextFiles::open(directory), &clock).unwrap();
    assert_eq!(purged.events, planned.0);
    planned
}

/// A purge without limits removes the secret from all files, also from texts without an event; every decision and the
/// hash chain stay.
#[test]
fn without_a_scope_no_file_holds_private_text_and_every_decision_stays() {
    let directory = tempfile::tempdir().unwrap();
    let events = on_disk(directory.path());
    assert!(10 < secrets(directory.path()));
    assert_eq!(purge(directory.path(), PurgeScope::default()), (10, 1));
    assert_eq!(secrets(directory.path()), 0);
    let (log, repairs) = SledLog::open(directory.path()).unwrap();
    assert_eq!(repairs, []);
    let left = all(&log);
    assert_eq!(decisions(&left), decisions(&events));
    let told = left.last().unwrap().read::<LogPurged>().unwrap().unwrap();
    assert_eq!(told, LogPurged { events: 10, texts: 2, before: None, session: None });
    drop(log);
    let verified = verify(directory.path()).unwrap();
    assert!(verified.is_sound(), "{verified:?}");
    assert_eq!((verified.purged, verified.texts), (10, 0));
}

/// A purge with a session or a time removes only the texts within it; later purges remove the rest.
#[test]
fn a_scope_removes_only_what_it_names_and_the_rest_later() {
    let directory = tempfile::tempdir().unwrap();
    on_disk(directory.path());
    let odd = PurgeScope { session: Some(session("odd")), before: None };
    assert_eq!(purge(directory.path(), odd.clone()), (5, 0));
    assert_eq!(purge(directory.path(), odd), (0, 0), "nothing is left of it");
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let sixth = all(&log).iter().filter(|event| event.event.kind == "turn.started").nth(6).unwrap().event.at;
    drop(log);
    assert_eq!(purge(directory.path(), PurgeScope { before: Some(sixth), session: None }), (3, 0));
    assert_eq!(purge(directory.path(), PurgeScope::default()), (2, 1));
    assert_eq!(secrets(directory.path()), 0);
}

/// Purging an unknown session is an error with its id.
#[test]
fn a_session_nobody_has_seen_is_named() {
    let directory = tempfile::tempdir().unwrap();
    on_disk(directory.path());
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let unknown = PurgeScope { session: Some(SessionId::try_from("nobody").unwrap()), before: None };
    assert!(matches!(plan_purge(&log, unknown), Err(EngineError::UnknownSession(name)) if name == "nobody"));
}

/// If the log has an event of an unknown version, a stored text without a known reference is not removed.
#[test]
fn texts_that_a_event_nobody_can_read_may_name_are_kept() {
    let directory = tempfile::tempdir().unwrap();
    on_disk(directory.path());
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let mut newer = all(&log)[0].event.clone();
    (newer.id, newer.version) = (newer.id.then("newer", 0), newer.version + 1);
    log.append(event_bus::Expected::Any, Timestamp(1_800_000_000_000_000), &[newer]).unwrap();
    log.close().unwrap();
    drop(log);
    assert_eq!(purge(directory.path(), PurgeScope::default()), (10, 1));
    let left = TextFiles::open(directory.path()).get(*blake3::hash(b"a secret no event names").as_bytes()).unwrap();
    assert!(left.is_some());
}

/// Appends an event with the correlation of the session `hooked` to the log in a directory.
fn append(log: &SledLog, name: &str, event: &impl EventType) {
    let (id, at) = (EventId::derive(&[name.as_bytes()]), Timestamp(1_800_000_000_000_000));
    let event = NewEvent::new(id, at, session("hooked").correlation(), event).unwrap();
    log.append(event_bus::Expected::Any, at, &[event]).unwrap();
}

/// The text of a message whose skills a hook decided is removed, also with its session as the limit, although the session
/// has no turn. The skills that decisions refer to stay.
#[test]
fn the_text_that_a_hook_recorded_is_removed_and_the_skills_stay() {
    let directory = tempfile::tempdir().unwrap();
    let (log, _) = SledLog::open(directory.path()).unwrap();
    let (skills, secret) = (r#"{"index":{"skills":[]}}"#, "secret ".repeat(1_000));
    let texts = TextFiles::open(directory.path());
    let stored = |text: &str| contracts::ContentHash(texts.put(text).unwrap());
    let sources = stored(skills);
    append(&log, "indexed", &SkillIndexed { sources, ..SkillIndexed::sample() });
    append(&log, "routed", &SkillRouted { session: session("hooked"), turn: None, ..SkillRouted::sample() });
    let text = TextBody::Stored { hash: stored(&secret), bytes: secret.len() as u64 };
    let prompt = SkillPromptRecorded { session: session("hooked"), text, ..SkillPromptRecorded::sample() };
    append(&log, "prompt", &prompt);
    log.close().unwrap();
    drop(log);
    assert_eq!(purge(directory.path(), PurgeScope { session: Some(session("hooked")), before: None }), (1, 1));
    assert_eq!(purge(directory.path(), PurgeScope::default()), (0, 0));
    assert_eq!((secrets(directory.path()), texts.get(sources.0).unwrap().as_deref()), (0, Some(skills)));
}
