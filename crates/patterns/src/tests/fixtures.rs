//! Random turns, settings, embeddings and stores for the tests of private modules.

use std::collections::BTreeSet;

use contracts::{
    Features, IntentTags, ModelId, NanoUsd, Score, Sketch, TokenBucket, TurnId,
    events::TurnEmbedded,
    views::{Estimator, FingerprintKind, PatternSettings},
};
use event_core::{EventId, Timestamp};
use fastrand::Rng;
use proptest::{option, prelude::*, sample::select};

use crate::{RowId, Sample, Store, embedding::Embedding, project_embedding};

/// Returns a sketch of at most `words` words with hashes up to `max_hash`, without pairs.
pub(super) fn random_sketch(rng: &mut Rng, words: usize, max_hash: u16) -> Sketch {
    let words = (0..words).map(|_| rng.u16(..=max_hash)).collect();
    let shape = (0..20).map(|_| rng.u8(..6)).collect();
    sketch(words, Vec::new(), shape)
}

/// Features in which every kind of value occurs and may be missing.
pub(super) fn random_features(rng: &mut Rng) -> Features {
    let mut names = |prefix: &str, values: u64| {
        let names: BTreeSet<_> = (0..rng.u64(..3)).map(|_| format!("{prefix}{}", rng.u64(..values))).collect();
        names.into_iter().collect()
    };
    let (extensions, tools, directories) = (names(".e", 5), names("tool", 8), names("d", 40));
    Features {
        extensions,
        tools,
        directories,
        tool_history: rng.bool(),
        tokens: TokenBucket(rng.u8(..4)),
        intents: IntentTags(rng.u8(..64)),
        sketch: random_sketch(rng, 12, 59),
        ..Features::default()
    }
}

/// Returns a sketch with these hashes, sorted and without duplicates; pairs that are also words are dropped.
pub(super) fn sketch(mut words: Vec<u16>, mut pairs: Vec<u16>, shape: Vec<u8>) -> Sketch {
    for hashes in [&mut words, &mut pairs] {
        hashes.sort_unstable();
        hashes.dedup();
    }
    pairs.retain(|pair| !words.contains(pair));
    Sketch { words, pairs, shape }
}

/// One of three models; their order by number is not that by id.
pub(super) fn model(number: usize) -> ModelId {
    ModelId::try_from(["a:z", "b:x", "a:a"][number % 3]).unwrap()
}

/// Features, number of the model, cost in nano-dollars, score.
pub(super) type Turn = (Features, usize, Option<u64>, Option<Score>);

/// Features with so few values that turns are often similar.
pub(super) fn some_features() -> impl Strategy<Value = Features> {
    let list = |values: &'static [&'static str]| {
        prop::collection::btree_set(select(values), 0..3)
            .prop_map(|values| values.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    let hashes = || prop::collection::vec(0..12_u16, 0..6);
    let sketch = (hashes(), hashes(), prop::collection::vec(0..40_u8, 0..4))
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

/// Generates up to 47 turns; some have no cost or no score.
pub(super) fn some_turns() -> impl Strategy<Value = Vec<Turn>> {
    let score = option::weighted(0.8, (0..=4_u64).prop_map(|quarter| Score(quarter * 250_000_000)));
    let turn = (some_features(), 0..3_usize, option::weighted(0.8, 0..1_000_000_u64), score);
    prop::collection::vec(turn, 0..48)
}

/// Generates settings of both estimators, with extreme numbers of neighbours and weights.
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
            ..PatternSettings::defaults_for(estimator)
        },
    )
}

/// A store with these turns, recorded and judged one after another.
pub(super) fn store(turns: &[Turn]) -> Store {
    let mut store = Store::default();
    for (second, turn) in (1..).zip(turns) {
        record(&mut store, turn, second);
    }
    store
}

/// An embedding by one of two embedders.
pub(super) fn embedding(number: u8) -> Embedding {
    let vector = project_embedding(&[f32::from(number % 5), 1.0, -f32::from(number % 7)]);
    let embedder = format!("m/{}", number % 2);
    Embedding::from(&TurnEmbedded { turn: TurnId::default(), text: 0, embedder, vector })
}

/// Records and judges a turn that ended at `second`.
pub(super) fn record(store: &mut Store, (features, number, cost, score): &Turn, second: u64) -> RowId {
    let turn = TurnId(EventId::derive(&[&second.to_le_bytes()]));
    let at = Timestamp::from_secs(second);
    let model = model(*number);
    let row = store.record(Sample { turn, features, model: &model, cost: cost.map(NanoUsd), at });
    if score.is_some() {
        store.replace_score(row, None, *score, at);
    }
    row
}

/// Runs 128 cases and saves no failures to disk.
pub(super) fn config() -> ProptestConfig {
    ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() }
}
