//! The model that a recommendation for a recorded turn is compared with.

use contracts::events::{RouteDecided, TurnStarted};
use what_if::explain;

use crate::past::Past;

#[test]
fn decision_d35_an_imported_turn_is_compared_with_the_model_that_ran_and_not_with_the_default() {
    let past = Past::under("global_default: haiku\ngateway: {client_model: default}");
    let started: Vec<_> = past.events().iter().filter_map(|event| event.read::<TurnStarted>().unwrap()).collect();
    let decided: Vec<_> = past.events().iter().filter_map(|event| event.read::<RouteDecided>().unwrap()).collect();
    let mut compared = 0;
    for (started, decided) in started.iter().zip(&decided) {
        let is_requested =
            decided.decision.winner().is_some_and(|winner| winner.slot == contracts::Slot::WorkspaceDefault);
        let explained = explain(past.log.as_ref(), past.texts.as_ref(), decided.turn).unwrap().unwrap();
        if is_requested {
            assert_eq!(explained.baseline, started.request.as_ref().unwrap().named);
            compared += 1;
        }
    }
    assert!(0 < compared);
    let auto = Past::under("global_default: haiku\ngateway: {client_model: auto}");
    let explained = explain(auto.log.as_ref(), auto.texts.as_ref(), decided[0].turn).unwrap().unwrap();
    assert_eq!(explained.baseline.unwrap().as_str(), "anthropic:claude-haiku-5-5");
}
