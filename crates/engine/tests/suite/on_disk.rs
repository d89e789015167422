//! The engine on log and texts on disk, across restarts.

use std::{path::Path, sync::Arc};

use contracts::events::RouteDecided;
use engine::{Engine, Home, RouterState, Stores, TurnInput, export, find_decision, last_decision};
use event_bus::{ManualClock, ProjectionSet as _, SledLog, TextFiles};
use event_core::{Position, encode_state};
use transcripts::{DEMO_SESSION, claude_code::SessionReader};

use crate::support::{
    again::{Words, repeat_decision},
    desk::{START, session},
    models::{OPUS, models},
};

/// Opens an engine on the files in a folder; asserts that the log needs no repair.
fn engine(folder: &Path) -> Engine {
    let home = Home::new(folder, Some("/home/dev".into()));
    let (log, repairs) = SledLog::open(home.log()).unwrap();
    assert_eq!(repairs, []);
    let stores = Stores {
        log: Arc::new(log),
        texts: Arc::new(TextFiles::open(home.log())),
        clock: Box::new(ManualClock::new(START)),
        offset: |_| 0,
    };
    Engine::with_models(&home, models(), stores).unwrap()
}

/// Imports the bundled session; returns the number of new turns.
fn import(engine: &mut Engine) -> usize {
    let mut reader = SessionReader::new("demo.jsonl".as_ref(), DEMO_SESSION.as_bytes());
    let mut fresh = 0;
    while let Some(turn) = reader.next() {
        let session = reader.session().unwrap().clone();
        engine.observe_session(&session).unwrap();
        fresh += usize::from(engine.observe_turn(&session, &turn).unwrap().is_some());
    }
    engine.commit().unwrap();
    fresh
}

/// Encodes a state for a comparison.
fn bytes(state: &RouterState) -> Vec<u8> {
    encode_state("router-state", state).unwrap()
}

/// After a restart, the state is that before it, each projection is loaded from its checkpoint, and a second import
/// adds nothing. A decision is found by the beginning of its turn's id.
#[test]
fn an_import_survives_a_restart_and_a_second_one_adds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = engine(folder.path());
    assert!(8 <= import(&mut first));
    let (head, state) = (first.log().head().unwrap(), bytes(first.state()));
    let last = last_decision(first.log().as_ref()).unwrap();
    first.close().unwrap();

    let mut second = engine(folder.path());
    for (name, version) in RouterState::PROJECTIONS {
        let saved = second.log().load_checkpoint(name).unwrap().unwrap();
        assert_eq!((saved.position, saved.version), (head, *version), "{name} was saved where the log ends");
    }
    assert!(bytes(second.state()) == state);
    assert_eq!(import(&mut second), 0);
    assert_eq!(second.log().head().unwrap(), head);
    assert_eq!(last_decision(second.log().as_ref()).unwrap(), last);
    let turn = last.decided.turn.to_string();
    assert_eq!(find_decision(second.log().as_ref(), &turn[..12]).unwrap(), last, "the start of an id is enough");
    second.close().unwrap();
}

/// A live turn and a pending model survive the end of the process without `close`, and its decisions can be repeated.
#[test]
fn a_live_turn_goes_on_after_the_program_was_ended_without_a_goodbye() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("routing.yaml"), "global_default: opus\n").unwrap();
    let mut first = engine(folder.path());
    let long = "why is this so? ".repeat(400);
    first.refresh_policy().unwrap();
    first.arrive(TurnInput::new(session("one"), "m1", long.as_str())).unwrap();
    let haiku = first.model_named("haiku").unwrap();
    assert!(first.select_model(&session("one"), Some(haiku)).unwrap().pending);
    drop(first);

    let mut second = engine(folder.path());
    let running =
        second.state().sessions.get(&session("one")).unwrap().running_turn(&contracts::Thread::Main).unwrap().clone();
    assert_eq!(running.model.as_ref().unwrap().as_str(), OPUS);
    second.end_turn(&session("one"), running.turn, contracts::events::TurnStatus::Completed).unwrap();
    second.refresh_policy().unwrap();
    let made = second.arrive(TurnInput::new(session("one"), "m2", "go on")).unwrap();
    second.commit().unwrap();
    assert_eq!(made.decision().unwrap().winner().unwrap().slot, contracts::Slot::ManualSticky);

    // Both decisions can be repeated, including that about the long text.
    let texts = TextFiles::open(Home::new(folder.path(), None).log());
    let events = second.log().read_after(Position::ORIGIN, 100).unwrap();
    let decided: Vec<_> = events.iter().filter_map(|event| event.read::<RouteDecided>().unwrap()).collect();
    assert_eq!(decided.len(), 2);
    for event in decided {
        assert_eq!(repeat_decision(second.log().as_ref(), &texts, &event, Words::Kept).decision, event.decision);
    }
}

/// An export of a log on disk, imported into another one, results in the same export and the same state.
#[test]
fn the_log_on_the_disk_goes_out_and_in_like_the_one_in_memory() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut source = engine(here.path());
    import(&mut source);
    let out = |engine: &Engine, folder: &Path| {
        let mut lines = Vec::new();
        let texts = TextFiles::open(Home::new(folder, None).log());
        export(engine.log().as_ref(), &texts, Position::ORIGIN, &mut lines, |_| {}).unwrap();
        lines
    };
    let lines = out(&source, here.path());
    let target = engine(there.path());
    let texts = TextFiles::open(Home::new(there.path(), None).log());
    let done =
        engine::import(target.log().as_ref(), &texts, engine::ChainCheck::Required, &mut lines.as_slice(), |_| {})
            .unwrap();
    assert_eq!(done.events, source.log().head().unwrap().0);
    assert!(out(&target, there.path()) == lines);
    drop(target);
    assert!(bytes(engine(there.path()).state()) == bytes(source.state()));
}
