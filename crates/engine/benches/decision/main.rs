//! How long a decision takes, by the rules of the policy and by what was learned; and what comes before it.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

mod numbers;
mod past;
mod rules;

use std::{hint::black_box, sync::Arc, time::Duration};

use contracts::{
    Slot, Turn,
    views::{NoPatterns, Outages, PatternView, Views},
};
use criterion::{BatchSize, BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use engine::RouterState;
use event_core::Projected;
use router_core::{Policy, Scenario, decide};

use numbers::Numbers;
use past::{WORKSPACE, features};

/// A message of the usual length that no rule matches.
const MESSAGE: &str = "The checkout fails for carts with more than ninety-nine items since yesterday's release: the total \
    is shown as zero and the button stays grey. Please find out which change did this, explain it in two sentences, and \
    repair it so that old carts keep working. The report came from three customers, all of them on the mobile site.";

fn policy(text: &str) -> Policy {
    let registry = adapters::catalogue::load(None).unwrap();
    Policy::load(text, Arc::new(registry), Some("/home/dev")).unwrap()
}

/// Turns that differ only in their features.
fn turns(policy: &Policy) -> Vec<Turn> {
    let mut numbers = Numbers(7);
    let scenario = Scenario::message(MESSAGE).workspace(WORKSPACE).touched(".rs").tool_history().tokens(40_000);
    let turn = scenario.turn(policy).unwrap();
    (0..64).map(|_| Turn { features: features(&mut numbers), ..turn.clone() }).collect()
}

/// One decision after the other, each on the next of the turns. None of them may be decided by a rule.
fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, policy: &Policy, patterns: &dyn PatternView) {
    let outages = Outages::default();
    let views = Views { outages: &outages, patterns };
    let turns = turns(policy);
    for turn in &turns {
        let decision = decide(turn, policy, &views).decision;
        assert!(Slot::ConfiguredRules < decision.winner().unwrap().slot, "{decision:?}");
    }
    let mut turns = turns.iter().cycle();
    group.bench_function(name, |bencher| {
        bencher.iter(|| black_box(decide(black_box(turns.next().unwrap()), policy, &views)));
    });
}

fn decision(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("decision");
    let policy = policy(&rules::mixed(100));
    bench(&mut group, "100 rules, no store", &policy, &NoPatterns);
    for fingerprints in [0, 1_000, 10_000] {
        let learned = past::learned(fingerprints);
        bench(&mut group, &format!("100 rules, {fingerprints} fingerprints"), &policy, &learned);
    }
}

fn regex_rules(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("regex rules");
    for count in [10, 100, 1_000] {
        bench(&mut group, &count.to_string(), &policy(&rules::regexes(count)), &NoPatterns);
    }
    for count in [10, 100, 1_000] {
        let policy = policy(&rules::regexes_without_literals(count));
        bench(&mut group, &format!("{count}, none with a literal"), &policy, &NoPatterns);
    }
}

fn policy_files(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("policy");
    let text = rules::mixed(100);
    let registry = Arc::new(adapters::catalogue::load(None).unwrap());
    let parse = || Policy::load(black_box(&text), Arc::clone(&registry), Some("/home/dev")).unwrap();
    group.bench_function("parse 100 rules", |bencher| bencher.iter_with_large_drop(parse));
    // Patterns are compiled when they are first needed.
    let turn = turns(&parse()).remove(0);
    let outages = Outages::default();
    let views = Views { outages: &outages, patterns: &NoPatterns };
    group.bench_function("first decision after parsing 100 rules", |bencher| {
        bencher.iter_batched_ref(parse, |policy| decide(&turn, policy, &views), BatchSize::SmallInput);
    });
}

fn state(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("state");
    let facts = past::log(100_000);
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    group.bench_function("fold 100000 facts", |bencher| {
        bencher.iter_with_large_drop(|| {
            let mut state = Projected::<RouterState>::default();
            for fact in &facts {
                state.advance(fact).unwrap();
            }
            state
        });
    });
}

criterion_group!(benches, decision, regex_rules, policy_files, state);
criterion_main!(benches);
