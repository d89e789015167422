//! Measures a decision by the size of the pattern store, and folding the state of the engine from a log.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

mod numbers;
mod past;
mod rules;

use std::{hint::black_box, sync::Arc, time::Duration};

use contracts::{
    ChainSlot as _, Slot,
    events::TurnStarted,
    views::{NoPatterns, Outages, PatternView, Views},
};
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use engine::RouterState;
use event_bus::ProjectionSet as _;
use processor_time::ProcessorTime;
use router_core::{Policy, Scenario, StatedTurn, decide};

use numbers::Numbers;
use past::{WORKSPACE, features};

/// A message of average length that no rule matches.
const MESSAGE: &str = "The checkout fails for carts with more than ninety-nine items since yesterday's release: the total \
    is shown as zero and the button stays grey. Please find out which change did this, explain it in two sentences, and \
    repair it so that old carts keep working. The report came from three customers, all of them on the mobile site.";

/// Loads a policy with the built-in models.
fn policy(text: &str) -> Policy {
    let registry = catalogue::load_registry(None).unwrap();
    Policy::load(text, Arc::new(registry), Some("/home/dev")).unwrap()
}

/// Returns 64 turns that differ only in their features.
fn turns(policy: &Policy) -> Vec<StatedTurn> {
    let mut numbers = Numbers(7);
    let scenario = Scenario::message(MESSAGE).workspace(WORKSPACE).touched(".rs").tool_history().tokens(40_000);
    let turn = scenario.turn(policy).unwrap();
    let with_features = |features| {
        let started = TurnStarted { features, ..turn.started.clone() };
        StatedTurn { started, ..turn.clone() }
    };
    (0..64).map(|_| with_features(features(&mut numbers))).collect()
}

/// Measures decisions under the benchmark's name `name`, each about the next of the turns in rotation. Asserts first
/// that none of them is decided by a rule, so that every rule is evaluated.
fn bench(group: &mut BenchmarkGroup<'_, ProcessorTime>, name: &str, policy: &Policy, patterns: &dyn PatternView) {
    let outages = Outages::default();
    let views = Views { outages: &outages, patterns };
    let turns = turns(policy);
    for turn in &turns {
        let decision = decide(&turn.turn(), policy, &views).decision;
        assert!(Slot::ConfiguredRules.precedes(decision.winner().unwrap().slot), "{decision:?}");
    }
    let mut turns = turns.iter().cycle();
    group.bench_function(name, |bencher| {
        bencher.iter(|| black_box(decide(black_box(&turns.next().unwrap().turn()), policy, &views)));
    });
}

/// Measures decisions under a policy of 100 rules, with pattern stores of different sizes.
fn decision(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("decision");
    let policy = policy(&rules::mixed(100));
    bench(&mut group, "100 rules, no store", &policy, &NoPatterns);
    for fingerprints in [0, 1_000, 10_000] {
        let learned = past::learned(fingerprints);
        bench(&mut group, &format!("100 rules, {fingerprints} fingerprints"), &policy, &learned);
    }
}

/// Measures folding 100,000 events into the state of the engine.
fn state(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("state");
    let events = past::log(100_000);
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("fold 100000 events", |bencher| {
        bencher.iter_with_large_drop(|| {
            let mut state = RouterState::default();
            for event in &events {
                state.advance(event).unwrap();
            }
            state
        });
    });
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion();
    targets = decision, state
}
criterion_main!(benches);
