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
fn the_recorded_model_reads_first_what_was_recorded_and_everything_after_is_simulated() {
    assert_eq!(reads(InitialRead::Given, SONNET), [16_100, 19_992]);
    assert_eq!(reads(InitialRead::Predicted, SONNET), [0, 19_992]);
}

#[test]
fn another_model_of_the_provider_begins_alike_and_one_of_another_provider_is_predicted() {
    assert_eq!(reads(InitialRead::Given, HAIKU), [16_100, 19_992]);
    assert_eq!(reads(InitialRead::Predicted, HAIKU)[0], 0);
    assert_eq!(reads(InitialRead::Given, "openai:gpt-5-mini")[0], 0);
}

#[test]
fn only_the_first_call_of_a_line_of_work_is_given() {
    let [first, second] = calls();
    let mut cache = PromptCache::default();
    cache.call(&second, &model(HAIKU));
    assert_eq!(cache.call(&first, &model(SONNET)).read, 0);
}
