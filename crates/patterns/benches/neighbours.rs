//! How long one recommendation takes, by the number of fingerprints of the workspace.
#![expect(clippy::unwrap_used, reason = "a benchmark may panic")]

use std::hint::black_box;

use contracts::{Features, IntentTags, ModelId, NanoUsd, Score, SideEffect, TokenBucket, views::PatternSettings};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use patterns::{Sample, Store};
use processor_time::ProcessorTime;

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// Up to `most` of `values` names that start with `prefix`.
    fn names(&mut self, prefix: &str, values: u64, most: u64) -> Vec<String> {
        let count = self.below(most + 1);
        let mut names: Vec<_> = (0..count).map(|_| format!("{prefix}{}", self.below(values))).collect();
        names.sort();
        names.dedup();
        names
    }

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
            ..Features::default()
        }
    }
}

/// A store of so many fingerprints, each with one scored row.
fn store(numbers: &mut Numbers, fingerprints: usize) -> Store {
    let models = ["a:haiku", "a:sonnet", "a:opus"].map(|name| ModelId::try_from(name).unwrap());
    let mut store = Store::keeping(usize::MAX);
    while store.fingerprints() < fingerprints {
        let features = numbers.features();
        let model = &models[usize::try_from(numbers.below(3)).unwrap()];
        let cost = Some(NanoUsd(numbers.below(1_000_000_000)));
        let row = store.record(Sample { features: &features, model, cost });
        store.judge(row, None, Some(Score(numbers.below(1_000_000_001))));
    }
    store
}

fn neighbours(criterion: &mut Criterion<ProcessorTime>) {
    let mut group = criterion.benchmark_group("recommend");
    for fingerprints in [1_000, 10_000, 100_000] {
        let mut numbers = Numbers(42);
        let store = store(&mut numbers, fingerprints);
        let queries: Vec<_> = (0..64).map(|_| numbers.features()).collect();
        let settings = PatternSettings::default();
        let mut queries = queries.iter().cycle();
        group.bench_function(BenchmarkId::from_parameter(fingerprints), |bencher| {
            bencher.iter(|| {
                let query = queries.next().unwrap();
                black_box(store.recommend(black_box(query), &settings, &|_| true))
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = ProcessorTime::criterion();
    targets = neighbours
}
criterion_main!(benches);
