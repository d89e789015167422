//! Turns made up for tests of private parts.

use contracts::{
    Features, IntentTags, ModelId, NanoUsd, Score, Sketch, TokenBucket, TurnId,
    events::TurnEmbedded,
    views::{Estimator, FingerprintKind, PatternSettings},
};
use event_core::{EventId, Timestamp};
use proptest::{option, prelude::*, sample::select};

use crate::{RowId, Sample, Store, embedding::Embedding, project};

/// Numbers that look random and are the same for the same seed.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    /// A sketch of about so many words out of `all`.
    pub(super) fn sketch(&mut self, words: usize, all: u64) -> Sketch {
        let words = (0..words).map(|_| u16::try_from(self.below(all)).unwrap()).collect();
        let shape = (0..20).map(|_| u8::try_from(self.below(6)).unwrap()).collect();
        sketch(words, Vec::new(), shape)
    }

    /// Features of which each says something, or not.
    pub(super) fn features(&mut self) -> Features {
        let mut names = |prefix: &str, values: u64| {
            let names: std::collections::BTreeSet<_> =
                (0..self.below(3)).map(|_| format!("{prefix}{}", self.below(values))).collect();
            names.into_iter().collect()
        };
        let (extensions, tools, directories) = (names(".e", 5), names("tool", 8), names("d", 40));
        Features {
            extensions,
            tools,
            directories,
            tool_history: self.below(2) == 0,
            tokens: TokenBucket(u8::try_from(self.below(4)).unwrap()),
            intents: IntentTags(u8::try_from(self.below(64)).unwrap()),
            sketch: self.sketch(12, 60),
            ..Features::default()
        }
    }
}

/// A sketch of these numbers, put in order.
pub(super) fn sketch(mut words: Vec<u16>, mut pairs: Vec<u16>, shape: Vec<u8>) -> Sketch {
    for numbers in [&mut words, &mut pairs] {
        numbers.sort_unstable();
        numbers.dedup();
    }
    pairs.retain(|pair| !words.contains(pair));
    Sketch { words, pairs, shape }
}

pub(super) fn model(number: usize) -> ModelId {
    ModelId::try_from(["a:z", "b:x", "a:a"][number % 3]).unwrap()
}

/// A turn: features, number of a model, cost in nano-dollars, score.
pub(super) type Turn = (Features, usize, Option<u64>, Option<Score>);

/// Features with words, pairs, a shape and perhaps a workload: few enough values that turns are often alike.
pub(super) fn some_features() -> impl Strategy<Value = Features> {
    let list = |values: &'static [&'static str]| {
        prop::collection::btree_set(select(values), 0..3)
            .prop_map(|values| values.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let numbers = || prop::collection::vec(0..12_u16, 0..6);
    let sketch = (numbers(), numbers(), prop::collection::vec(0..40_u8, 0..4))
        .prop_map(|(words, pairs, shape)| sketch(words, pairs, shape));
    let workload = option::weighted(0.3, select(&["mail", "code"][..]).prop_map(str::to_owned));
    (list(&[".rs", ".md"]), list(&["Read", "Bash"]), 0..3_u8, select(&[0_u8, 1, 8][..]), sketch, workload).prop_map(
        |(extensions, tools, tokens, intents, sketch, workload)| Features {
            extensions,
            tools,
            tokens: TokenBucket(tokens),
            intents: IntentTags(intents),
            sketch,
            workload,
            ..Features::default()
        },
    )
}

pub(super) fn some_turns() -> impl Strategy<Value = Vec<Turn>> {
    let score = option::weighted(0.8, (0..=4_u64).prop_map(|quarter| Score(quarter * 250_000_000)));
    let turn = (some_features(), 0..3_usize, option::weighted(0.8, 0..1_000_000_u64), score);
    prop::collection::vec(turn, 0..48)
}

pub(super) fn some_settings() -> impl Strategy<Value = PatternSettings> {
    let share = |steps: u64| (0..=steps).prop_map(move |step| Score(step * 1_000_000_000 / steps));
    let estimator = select(&[Estimator::Paper, Estimator::Calibrated][..]);
    let fingerprint = select(&[FingerprintKind::Structural, FingerprintKind::Hybrid][..]);
    let neighbours = select(&[0, 1, 2, 5, 12, 512, u16::MAX][..]);
    (estimator, fingerprint, share(5), share(10), neighbours, share(20)).prop_map(
        |(estimator, fingerprint, alpha, min_similarity, neighbours, cost_weight)| PatternSettings {
            fingerprint,
            alpha,
            min_similarity,
            neighbours,
            cost_weight,
            ..PatternSettings::of(estimator)
        },
    )
}

/// A store that has recorded and judged these turns one after another.
pub(super) fn store(turns: &[Turn]) -> Store {
    let mut store = Store::default();
    for (moment, turn) in (1..).zip(turns) {
        record(&mut store, turn, moment);
    }
    store
}

/// The meaning of a message, as one of two embedders gave it.
pub(super) fn embedding(number: u8) -> Embedding {
    let vector = project(&[f32::from(number % 5), 1.0, -f32::from(number % 7)]);
    let embedder = format!("m/{}", number % 2);
    Embedding::from(TurnEmbedded { turn: TurnId::default(), text: 0, embedder, vector })
}

/// Records and judges a turn that ended so many seconds after the beginning of time.
pub(super) fn record(store: &mut Store, (features, number, cost, score): &Turn, moment: u64) -> RowId {
    let turn = TurnId(EventId::derive(&[&moment.to_le_bytes()]));
    let at = Timestamp::from_secs(moment);
    let model = model(*number);
    let row = store.record(Sample { turn, features, model: &model, cost: cost.map(NanoUsd), at });
    if score.is_some() {
        store.judge(row, None, *score, at);
    }
    row
}

pub(super) fn config() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() }
}
