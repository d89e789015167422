//! A search allocates memory for its result only.

use contracts::{Features, ModelId, NanoUsd, Score, TurnId, views::PatternSettings};
use event_core::Timestamp;
use patterns::{Sample, Store, features::sketch};

use crate::fixtures::{model, recommend_any};

/// A message of five words from a vocabulary of two hundred.
fn message(number: u64) -> Features {
    let words: Vec<_> = (1..=5).map(|word| format!("word{}", number.wrapping_mul(word * 7 + 3) % 200)).collect();
    Features { sketch: sketch(&format!("{} number{number}", words.join(" "))), ..Features::default() }
}

/// Returns a store with this number of messages, each with a scored turn of three models.
fn store(fingerprints: u64) -> Store {
    let models: [ModelId; 3] = ["a:one", "a:two", "a:three"].map(model);
    let mut store = Store::default();
    for number in 0..fingerprints {
        let (turn, at) = (TurnId::default(), Timestamp::default());
        let (features, cost) = (message(number), Some(NanoUsd(number)));
        for model in &models {
            let row = store.record(Sample { turn, features: &features, model, cost, at });
            store.replace_score(row, None, Some(Score(number % 5 * 250_000_000)), at);
        }
    }
    store
}

/// The number of allocations of a second search in a store.
fn allocations(store: &Store) -> u64 {
    let (features, settings) = (message(77), PatternSettings::default());
    assert!(recommend_any(store, &features, &settings).is_some());
    let search = || drop(recommend_any(store, &features, &settings));
    allocation_counter::measure(search).count_total
}

#[test]
fn the_number_of_allocations_is_small_and_does_not_depend_on_the_store() {
    let [small, large] = [100, 5_000].map(|fingerprints| allocations(&store(fingerprints)));
    assert_eq!(small, large);
    // Two lists of models with their ids, and the ids of the recommendation.
    assert!(0 < small && small <= 20, "{small} times");
}
