//! Benchmarks one recommendation, for stores of 1,000 to 100,000 fingerprints and both estimators. For comparison, it
//! measures in the same run a plain scan over as many bytes as the search reads.
//!
//! With `TURNWISE_BENCH_MILLION` set, it measures a store of a million fingerprints instead.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;

use contracts::{
    Features, IntentTags, ModelId, NanoUsd, Score, SideEffect, Sketch, TokenBucket, TurnId,
    views::{Estimator, PatternQuery, PatternSettings},
};
use criterion::{Criterion, criterion_group, criterion_main};
use event_core::Timestamp;
use patterns::{BYTES_COMPARED, Sample, Store};
use processor_time::ProcessorTime;

/// A reproducible generator of features (a linear congruential generator, so that published figures stay comparable).
struct Numbers(u64);

impl Numbers {
    /// Returns a pseudorandom number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Returns up to `most` distinct names, sorted: `prefix` followed by a number below `values`.
    fn names(&mut self, prefix: &str, values: u64, most: u64) -> Vec<String> {
        let count = self.below(most + 1);
        let mut names: Vec<_> = (0..count).map(|_| format!("{prefix}{}", self.below(values))).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns a sketch of about forty words from a vocabulary of five thousand with a skewed distribution.
    fn sketch(&mut self) -> Sketch {
        let mut number = |from: u64| {
            let rare = self.below(5_000);
            u16::try_from(from + self.below(rare + 1)).unwrap()
        };
        let mut words: Vec<_> = (0..40).map(|_| number(0)).collect();
        let mut pairs: Vec<_> = (0..30).map(|_| number(10_000)).collect();
        for numbers in [&mut words, &mut pairs] {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let shape = (0..20).map(|_| u8::try_from(self.below(12)).unwrap()).collect();
        Sketch { words, pairs, shape }
    }

    /// Returns random features: sets of up to eight names, a sketch, no workload and no text hash.
    fn features(&mut self) -> Features {
        let effects = [SideEffect::Read, SideEffect::Write, SideEffect::Execute, SideEffect::Network];
        Features {
            extensions: self.names(".e", 40, 5),
            directories: self.names("d", 100, 5),
            tools: self.names("tool", 60, 8),
            side_effects: effects.into_iter().filter(|_| self.below(2) == 0).collect(),
            images: self.below(10) == 0,
            tool_history: self.below(2) == 0,
            tokens: TokenBucket(u8::try_from(self.below(4)).unwrap()),
            intents: IntentTags(u8::try_from(self.below(64)).unwrap()),
            sketch: self.sketch(),
            ..Features::default()
        }
    }
}

/// Builds a store with `fingerprints` fingerprints, each with at least one scored row.
fn store(numbers: &mut Numbers, fingerprints: usize) -> Store {
    let models = ["a:haiku", "a:sonnet", "a:opus"].map(|name| ModelId::try_from(name).unwrap());
    let mut store = Store::default();
    while store.fingerprints() < fingerprints {
        let features = numbers.features();
        let model = &models[usize::try_from(numbers.below(3)).unwrap()];
        let cost = Some(NanoUsd(numbers.below(1_000_000_000)));
        let (turn, at) = (TurnId::default(), Timestamp::default());
        let row = store.record(Sample { turn, features: &features, model, cost, at });
        store.replace_score(row, None, Some(Score(numbers.below(1_000_000_001))), at);
    }
    store
}

/// Measures `recommend` with both estimators, and the plain scan, for each number of fingerprints.
fn neighbours(criterion: &mut Criterion<ProcessorTime>) {
    // Building a store of a million fingerprints takes long, so it has to be requested.
    let sizes: &[usize] =
        if std::env::var_os("TURNWISE_BENCH_MILLION").is_some() { &[1_000_000] } else { &[1_000, 10_000, 100_000] };
    for fingerprints in sizes {
        let mut numbers = Numbers(42);
        let store = store(&mut numbers, *fingerprints);
        let queries: Vec<_> = (0..64).map(|_| numbers.features()).collect();
        for (name, estimator) in [("calibrated", Estimator::Calibrated), ("paper", Estimator::Paper)] {
            let settings = PatternSettings::defaults_for(estimator);
            let mut queries = queries.iter().cycle();
            criterion.bench_function(&format!("{name}/{fingerprints}"), |bencher| {
                bencher.iter(|| {
                    let features = black_box(queries.next().unwrap());
                    let settings = &settings;
                    store.recommend(&PatternQuery {
                        workspace: None,
                        features,
                        settings,
                        baseline: None,
                        known: &|_| true,
                    })
                });
            });
        }
        let bytes = vec![1_u8; fingerprints * BYTES_COMPARED];
        criterion.bench_function(&format!("plain-scan/{fingerprints}"), |bencher| {
            bencher.iter(|| {
                let words = black_box(&bytes).as_chunks::<8>().0;
                words.iter().fold(0_u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)))
            });
        });
    }
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion();
    targets = neighbours
}
criterion_main!(benches);
