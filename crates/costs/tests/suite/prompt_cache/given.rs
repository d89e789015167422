//! [`InitialRead`]: the tokens that the first call of a thread reads are recorded or predicted.

use contracts::Usage;
use costs::prompt_cache::{Call, InitialRead, PromptCache};

use super::table::{HAIKU, SONNET, at, model};

/// Returns a first call that read 16,100 tokens, and the next one.
fn calls() -> [Call; 2] {
    let usage = Usage { input: 8, cache_read: 16_100, cache_write_5m: 3_892, ..Usage::default() };
    [Call { usage, ..at(0, 0) }, at(10, 21_000)]
}

/// Returns the tokens that each call reads if a model serves both.
fn reads(opening: InitialRead, name: &str) -> Vec<u64> {
    let mut cache = PromptCache::new(opening);
    calls().iter().map(|call| cache.call(call, &model(name)).read).collect()
}

#[test]
fn the_first_read_is_recorded_and_later_ones_are_simulated() {
    assert_eq!(reads(InitialRead::Given, SONNET), [16_100, 19_992]);
    assert_eq!(reads(InitialRead::Predicted, SONNET), [0, 19_992]);
}

#[test]
fn the_first_read_is_recorded_for_the_same_provider_and_predicted_for_others() {
    assert_eq!(reads(InitialRead::Given, HAIKU), [16_100, 19_992]);
    assert_eq!(reads(InitialRead::Predicted, HAIKU)[0], 0);
    assert_eq!(reads(InitialRead::Given, "openai:gpt-5-mini")[0], 0);
}

#[test]
fn only_the_first_call_of_a_thread_reads_the_recorded_number() {
    let [first, second] = calls();
    let mut cache = PromptCache::default();
    cache.call(&second, &model(HAIKU));
    assert_eq!(cache.call(&first, &model(SONNET)).read, 0);
}
