//! [`CacheRules::Automatic`]: caches that find the longest known prefix without marks.

use costs::prompt_cache::{CacheRules, Call};
use event_core::Timestamp;

use super::table::{BEDROCK, GPT, HAIKU, SONNET, at, check_with, command, hour, message, model};

/// Models of provider `anthropic` have its rules, Claude models of other providers their own, and all others automatic
/// caches.
#[test]
fn the_cache_rules_depend_on_provider_and_model() {
    let check = |name: &str, rules| assert_eq!(CacheRules::for_model(&model(name)), rules, "{name}");
    check(SONNET, CacheRules::Anthropic);
    check("anthropic:something-new", CacheRules::Anthropic);
    check(BEDROCK, CacheRules::ClaudeElsewhere);
    check("openrouter:anthropic/claude-opus-4-6", CacheRules::ClaudeElsewhere);
    check(GPT, CacheRules::Automatic);
    check("google:gemini-3-pro", CacheRules::Automatic);
    check("ollama:qwen3", CacheRules::Automatic);
}

#[test]
fn reads_come_in_steps_of_128_tokens_from_1024_on_and_nothing_is_charged_for_writing() {
    check_with(&[
        (at(0, 20_000), GPT, (0, 0, 0, 20_000)),
        // 20,000 is 156 steps and a quarter.
        (at(10, 21_000), GPT, (19_968, 0, 0, 1_032)),
    ]);
    check_with(&[(at(0, 1_023), GPT, (0, 0, 0, 1_023)), (at(1, 1_100), GPT, (0, 0, 0, 1_100))]);
    check_with(&[(at(0, 1_024), GPT, (0, 0, 0, 1_024)), (at(1, 1_100), GPT, (1_024, 0, 0, 76))]);
}

/// The lifetime is 300 seconds after the last use, also if one hour was requested.
#[test]
fn automatic_caches_have_a_lifetime_of_300_seconds() {
    let later = |micros| Call { sent: Timestamp(micros), ..hour(0, 21_000) };
    check_with(&[(hour(0, 20_000), GPT, (0, 0, 0, 20_000)), (later(300_000_000), GPT, (19_968, 0, 0, 1_032))]);
    check_with(&[(hour(0, 20_000), GPT, (0, 0, 0, 20_000)), (later(300_000_001), GPT, (0, 0, 0, 21_000))]);
}

/// A prefix is found however many blocks back, and for every variant.
#[test]
fn automatic_caches_have_unlimited_reach_and_no_variants() {
    let away = Call { blocks: 99, ..at(10, 21_000) };
    check_with(&[
        (at(0, 20_480), GPT, (0, 0, 0, 20_480)),
        (away, HAIKU, (0, 20_992, 0, 8)),
        (at(20, 22_000), HAIKU, (20_992, 1_000, 0, 8)),
        (command(30, 23_000), GPT, (20_480, 0, 0, 2_520)),
    ]);
}

/// After a completed turn only the recorded prompts are cached.
#[test]
fn the_last_response_is_not_read_by_an_unrecorded_call() {
    check_with(&[(at(0, 20_480), GPT, (0, 0, 0, 20_480)), (message(10, 23_000), GPT, (20_480, 0, 0, 2_520))]);
}
