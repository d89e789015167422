//! Messages are embedded while the gateway runs.

use std::time::Duration;

use contracts::events::{TurnEmbedded, TurnStarted, TurnTextRecorded};
use event_bus::EventLog as _;
use event_core::{EventType as _, Position};

use crate::{
    stand_in::{Reply, StandIn},
    support::{SESSION, World, message},
};

/// Creates a gateway whose policy names an embeddings endpoint. The endpoint responds with 503 to its first request
/// only.
fn world() -> (World, StandIn) {
    let stand_in = StandIn::answering(|asked, number| match number {
        0 => Reply::Status(503, "retry-after: 0\r\n", "starting"),
        _ => Reply::directions(&asked.texts().iter().map(|_| vec![0.5, -0.25, 1.0]).collect::<Vec<_>>()),
    });
    let endpoint = format!("embedding: {{url: \"{}\", model: m}}\n", stand_in.url);
    (World::new(&format!("schema_version: 1\nglobal_default: sonnet\n{endpoint}")), stand_in)
}

/// Waits up to ten seconds until this number of embeddings is recorded, and returns them.
fn embedded(world: &World, count: usize) -> Vec<TurnEmbedded> {
    for _ in 0..1_000 {
        let embedded = world.events::<TurnEmbedded>();
        if count <= embedded.len() {
            return embedded;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("{:?} of {count} messages are embedded", world.events::<TurnEmbedded>());
}

#[test]
fn the_messages_of_turns_are_embedded_once_without_a_command() {
    let (world, stand_in) = world();
    // The reactor begins at the head that it finds.
    while world.log.load_checkpoint("reactor.embedding").unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(10));
    }
    world.post("/v1/messages", &SESSION, &message("turnwise", "users cannot sign in"));
    let first = embedded(&world, 1).remove(0);
    let started = &world.events::<TurnStarted>()[0];
    assert_eq!((Some(first.text), first.turn, &*first.embedder), (started.features.text, started.turn, "m/3"));
    let events = world.log.read_after(Position::ORIGIN, usize::MAX).unwrap();
    let recorded = events.iter().find(|event| event.event.kind == TurnEmbedded::KIND).unwrap();
    assert_eq!(recorded.event.causation, Some(started.turn.0.then(TurnTextRecorded::KIND, 0)));
    // The same message in another session needs no other event, a new one does.
    world.post("/v1/messages", &[], &message("turnwise", "users cannot sign in"));
    world.post("/v1/messages", &SESSION, &message("turnwise", "write a poem"));
    let all = embedded(&world, 2);
    assert_eq!(all.iter().filter(|event| event.text == first.text).count(), 1);
    assert!(stand_in.asked()[0].texts() == ["users cannot sign in"], "the first request was refused and repeated");
    let _runtime = world.stop();
}
