//! Each projection of the engine has a checkpoint of its own (ADR 21).

use std::collections::BTreeSet;

use engine::RouterState;
use event_bus::{ProjectionSet as _, fold_all, save_all};
use event_core::{Checkpoint, Position, encode_state};

use crate::support::Desk;

/// Returns an engine after three turns, with saved checkpoints.
fn desk() -> Desk {
    let mut desk = Desk::with("global_default: sonnet");
    for message in ["hello", "/commit it", "that is wrong"] {
        desk.turn("one", message);
    }
    save_all(desk.log.as_ref(), desk.engine.state()).unwrap();
    desk
}

/// Names of projections are unique, since checkpoints are stored by name.
#[test]
fn names_of_projections_are_unique() {
    let names: BTreeSet<_> = RouterState::PROJECTIONS.iter().map(|(name, _)| name).collect();
    assert_eq!(names.len(), RouterState::PROJECTIONS.len());
}

/// A checkpoint of another version is ignored: that projection alone is folded from the first event, with the same
/// result.
#[test]
fn raising_a_version_folds_that_projection_alone_again() {
    for (raised, version) in RouterState::PROJECTIONS {
        let desk = desk();
        let saved = desk.log.load_checkpoint(raised).unwrap().unwrap();
        desk.log.save_checkpoint(raised, &Checkpoint { version: version - 1, ..saved }).unwrap();

        let resumed = RouterState::resume(desk.head(), |name| desk.log.load_checkpoint(name)).unwrap();
        let positions: Vec<_> = resumed.checkpoints().unwrap();
        for (name, checkpoint) in positions {
            let expected = if name == *raised { Position::ORIGIN } else { desk.head() };
            assert_eq!(checkpoint.position, expected, "{name}, with another version of {raised}");
        }
        let folded: RouterState = fold_all(desk.log.as_ref()).unwrap();
        let bytes = |state: &RouterState| encode_state("state", state).unwrap();
        assert!(bytes(&folded) == bytes(desk.engine.state()), "{raised}");
    }
}
