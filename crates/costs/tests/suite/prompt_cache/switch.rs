//! [`PromptCache::cached_tokens`]: the tokens that a model has cached, from which the cost of a switch follows.

use contracts::{SessionId, Thread};
use costs::prompt_cache::{Call, InitialRead, PromptCache};
use event_core::Timestamp;

use super::table::{GPT, HAIKU, SONNET, at, command, hour, model};

/// Creates a cache after calls to their recorded models.
fn fed(calls: &[Call]) -> PromptCache {
    let mut cache = PromptCache::new(InitialRead::Predicted);
    for call in calls {
        cache.call(call, &call.model);
    }
    cache
}

/// Returns the tokens that a model would read in the main thread at a second.
fn warm(cache: &PromptCache, name: &str, seconds: u64) -> u64 {
    let session = SessionId::try_from("one").unwrap();
    cache.cached_tokens(&session, &Thread::Main, &model(name), Timestamp::from_secs(seconds))
}

#[test]
fn only_the_called_model_has_cached_tokens_until_its_lifetime_ends() {
    let cache = fed(&[at(0, 20_000), at(10, 60_000)]);
    assert_eq!([SONNET, HAIKU, GPT].map(|name| warm(&cache, name, 20)), [59_992, 0, 0]);
    assert_eq!(warm(&cache, SONNET, 316), 0, "after the lifetime nothing is lost by switching");
}

#[test]
fn at_one_hour_another_model_reads_the_base() {
    let cache = fed(&[hour(0, 20_000)]);
    assert_eq!([SONNET, HAIKU].map(|name| warm(&cache, name, 20)), [19_992, 14_000]);
}

#[test]
fn cached_tokens_assume_a_request_like_the_last() {
    let cache = fed(&[at(0, 20_000), command(1, 21_000)]);
    assert_eq!(warm(&cache, SONNET, 2), 20_992);
}

#[test]
fn without_calls_no_tokens_are_cached() {
    let cache = fed(&[at(0, 20_000)]);
    let (one, two) = (SessionId::try_from("one").unwrap(), SessionId::try_from("two").unwrap());
    let agent = crate::log::sub_agent("agent");
    let now = Timestamp::from_secs(1);
    assert_eq!(cache.cached_tokens(&one, &agent, &model(SONNET), now), 0);
    assert_eq!(cache.cached_tokens(&two, &Thread::Main, &model(SONNET), now), 0);
}

#[test]
fn querying_cached_tokens_changes_no_state() {
    let cache = fed(&[at(0, 20_000)]);
    let before = cache.clone();
    warm(&cache, SONNET, 100);
    assert_eq!(cache, before);
}
