//! Properties that hold for random sequences of calls.

use std::collections::{BTreeMap, BTreeSet};

use contracts::events::{ErrorClass, ProviderRecovered, ProviderUnavailable};
use event_core::{Position, Projected};
use proptest::{prelude::*, sample::select};

use crate::{
    reference,
    script::{Call, Log, Outcome, at, model, seconds},
};

/// The models of the scripts: four of provider `a`, two of provider `b`.
const MODELS: [&str; 6] = ["a:x", "a:y", "a:z", "a:w", "b:x", "b:y"];

/// Generates outcomes, mostly starts of calls and failures.
fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        8 => Just(Outcome::Sent),
        2 => Just(Outcome::Ok),
        12 => Just(Outcome::Failed(ErrorClass::Overloaded)),
        2 => Just(Outcome::Failed(ErrorClass::Network)),
        1 => Just(Outcome::Failed(ErrorClass::Auth)),
        1 => Just(Outcome::Failed(ErrorClass::Cancelled)),
        1 => Just(Outcome::Failed(ErrorClass::InvalidRequest)),
    ]
}

/// Random calls in order, whose intervals are often at the boundaries of the windows.
fn script() -> impl Strategy<Value = Vec<Call>> {
    let gap = prop_oneof![20 => 0..12_u64, 1 => select(vec![29, 30, 31, 59, 60, 61, 119, 120, 121, 299, 300, 301])];
    let model_name = prop_oneof![2 => select(&MODELS[..]), 1 => Just("a:x")];
    prop::collection::vec((gap, model_name, outcome()), 0..60).prop_map(told)
}

/// Random calls with many outages that end automatically and are probed.
fn story_of_probes() -> impl Strategy<Value = Vec<Call>> {
    let gap = prop_oneof![
        8 => 0..4_u64,
        2 => select(vec![58, 59, 60, 61]),
        1 => 240..300_u64,
        3 => select(vec![299, 300, 301, 359, 360]),
    ];
    let outcome = prop_oneof![
        6 => Just(Outcome::Sent),
        1 => Just(Outcome::Ok),
        3 => Just(Outcome::Failed(ErrorClass::Overloaded)),
        2 => Just(Outcome::Failed(ErrorClass::Auth)),
        1 => Just(Outcome::Failed(ErrorClass::Cancelled)),
        1 => Just(Outcome::Failed(ErrorClass::InvalidRequest)),
    ];
    prop::collection::vec((gap, select(&["a:x", "a:x", "a:y"][..]), outcome), 0..60).prop_map(told)
}

/// Converts the seconds since the previous call into seconds since the start of the script.
fn told(calls: Vec<(u64, &str, Outcome)>) -> Vec<Call> {
    let mut now = 1_000;
    let calls = calls.into_iter().map(|(gap, name, outcome)| {
        now += gap;
        (now, model(name), outcome)
    });
    calls.collect()
}

/// Moves some calls less than 400 seconds back in time without changing the order, so that they are recorded late.
fn with_late_calls(script: impl Strategy<Value = Vec<Call>>) -> impl Strategy<Value = Vec<Call>> {
    (script, prop::collection::vec(prop_oneof![5 => Just(0_u64), 1 => 1..400_u64], 60)).prop_map(|(mut calls, late)| {
        for (call, late) in calls.iter_mut().zip(late) {
            call.0 -= late.min(call.0);
        }
        calls
    })
}

/// Asserts after every call that the projection and the naive reference have the same outages.
fn agrees(calls: &[Call]) -> Result<(), TestCaseError> {
    let mut log = Log::default();
    for (index, call) in calls.iter().enumerate() {
        log.call(call);
        let outages = log.state().outages();
        let so_far = &calls[..=index];
        for name in MODELS {
            let found = outages.models.get(name).copied().map(seconds);
            prop_assert_eq!(found, reference::model_until(so_far, &model(name)), "{} after {:?}", name, so_far);
        }
        for name in ["a", "b"] {
            let found = outages.providers.get(name).copied().map(seconds);
            prop_assert_eq!(found, reference::provider_until(so_far, name), "{} after {:?}", name, so_far);
        }
    }
    Ok(())
}

/// Returns the configuration of the tests: 192 cases, and no files for failures.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    /// For scripts at the boundaries of the windows, the outages equal those of the reference.
    #[test]
    fn the_projection_agrees_with_a_naive_implementation_after_every_call(calls in with_late_calls(script())) {
        agrees(&calls)?;
    }

    /// For scripts with many probes, the outages equal those of the reference.
    #[test]
    fn the_projection_agrees_with_a_naive_implementation_with_probes(calls in with_late_calls(story_of_probes())) {
        agrees(&calls)?;
    }

    /// A model that was available at the time of an event is available at that time for later queries as well.
    #[test]
    fn the_availability_at_the_time_of_an_event_does_not_change_later(calls in story_of_probes()) {
        let mut log = Log::default();
        let mut then = BTreeMap::new();
        for call in &calls {
            log.call(call);
            // What was cleared and began again since is forgotten.
            then.insert(at(call.0), log.state().clone());
        }
        for (at, before) in then {
            let now = log.state().outages_at(at);
            for name in MODELS {
                let (name, before) = (model(name), before.outages_at(at));
                prop_assert!(before.against(&name, at).is_some() || now.against(&name, at).is_none());
            }
        }
    }

    /// Folding the log from any checkpoint results in the same state as folding it from the start.
    #[test]
    fn a_state_resumed_from_any_checkpoint_equals_the_state_rebuilt(calls in with_late_calls(story_of_probes()), tell in any::<bool>()) {
        let mut log = Log::default();
        let mut saved = Vec::new();
        for call in &calls {
            log.call(call);
            if tell {
                log.react(call.0);
            }
            saved.push(log.view.checkpoint().unwrap());
        }
        let head = Position(log.events.len() as u64);
        for checkpoint in std::iter::once(None).chain(saved.iter().map(Some)) {
            let mut resumed = Projected::<availability::Availability>::resume(checkpoint, head);
            for event in &log.events {
                resumed.advance(event).unwrap();
            }
            prop_assert_eq!(&resumed, &log.view);
        }
    }

    /// In the log, starts and ends of outages alternate for every scope and end with an end. Recording them, at any
    /// times, does not change which scopes are unavailable.
    #[test]
    fn starts_and_ends_alternate_for_every_scope_and_change_no_state(calls in prop_oneof![script(), story_of_probes()], asks in prop::collection::vec(any::<bool>(), 60)) {
        let mut log = Log::default();
        let mut untold = Log::default();
        for (call, ask) in calls.iter().zip(asks) {
            if ask {
                log.react(call.0);
            }
            log.call(call);
            untold.call(call);
            log.react(call.0);
            prop_assert_eq!(log.out(call.0), untold.out(call.0));
            prop_assert_eq!(log.react(call.0), Vec::new());
        }
        log.react(100_000);
        let mut out = BTreeSet::new();
        for event in &log.events {
            if let Some(body) = event.read::<ProviderUnavailable>().unwrap() {
                prop_assert!(out.insert(body.scope));
            } else if let Some(body) = event.read::<ProviderRecovered>().unwrap() {
                prop_assert!(out.remove(&body.scope));
            }
        }
        prop_assert_eq!(out, BTreeSet::new());
    }

    /// Five minutes after the last call no scope is unavailable.
    #[test]
    fn an_outage_ends_at_most_five_minutes_after_the_last_call(calls in prop_oneof![script(), story_of_probes()]) {
        let mut log = Log::default();
        for call in &calls {
            log.call(call);
        }
        let last = calls.last().map_or(0, |call| call.0);
        prop_assert_eq!(log.out(last + 300), "");
    }
}
