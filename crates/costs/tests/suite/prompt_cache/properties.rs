//! Properties of the simulated cache that hold for random calls.

use contracts::{CacheLifetime, CacheVariant, SessionId, Usage};
use costs::prompt_cache::{Call, CancelledCall, InitialRead, PrecedingInput, PromptCache, PromptSplit};
use event_core::{Timestamp, decode_state, encode_state};
use proptest::{collection::vec, prelude::*, sample::select};

use super::table::{BEDROCK, GPT, HAIKU, SONNET, at, model};

/// Generates calls of two sessions and four models, some of them after a compaction, a resumption or a cancelled call.
fn call() -> impl Strategy<Value = Call> {
    let what = (
        select(&["one", "two"][..]),
        select(&[SONNET, HAIKU, GPT, BEDROCK][..]),
        select(&[PrecedingInput::Message, PrecedingInput::Cut, PrecedingInput::Tools][..]),
        select(&[CacheLifetime::FiveMinutes, CacheLifetime::OneHour][..]),
        0..2_u32,
    );
    let flags = (prop::bool::weighted(0.05), prop::bool::weighted(0.05));
    let numbers = (0..60_000_u64, 0..60_000_u64, 0..2_000_u64, 0..30_u64);
    // Second of the start, seconds until the response, and seconds for which a cancelled call before it ran.
    let times = (0..8_000_u64, 0..40_u64, proptest::option::weighted(0.1, 0..20_u64));
    (what, flags, numbers, times).prop_map(
        |((session, by, after, lifetime, variant), (compacted, resumed), numbers, times)| {
            let ((input, cache_read, message_bytes, blocks), (sent, answered, cancelled)) = (numbers, times);
            let attempt = |ran: u64| CancelledCall {
                sent: Timestamp::from_secs(sent.saturating_sub(ran + 1)),
                stopped: Timestamp::from_secs(sent.saturating_sub(1)),
            };
            Call {
                session: SessionId::try_from(session).unwrap(),
                model: model(by),
                began: Timestamp::from_secs(sent + answered),
                lifetime,
                variant: CacheVariant(variant),
                usage: Usage { input, cache_read, ..Usage::default() },
                after,
                message_bytes,
                blocks,
                compacted,
                resumed,
                attempts: cancelled.map(attempt).into_iter().collect(),
                ..at(sent, 0)
            }
        },
    )
}

/// Random calls in the order in which they were sent.
fn calls() -> impl Strategy<Value = Vec<Call>> {
    vec(call(), 1..40).prop_map(|mut calls| {
        calls.sort_by_key(|call| call.sent);
        calls
    })
}

/// Returns the split of each call by its recorded model.
fn splits(opening: InitialRead, calls: &[Call]) -> Vec<PromptSplit> {
    let mut cache = PromptCache::new(opening);
    calls.iter().map(|call| cache.call(call, &call.model)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn read_written_and_uncached_are_the_whole_prompt(calls in calls()) {
        for opening in [InitialRead::Given, InitialRead::Predicted] {
            for (call, split) in calls.iter().zip(splits(opening, &calls)) {
                prop_assert_eq!(split.total(), call.total());
                let other = match call.lifetime {
                    CacheLifetime::FiveMinutes => split.written_1h,
                    CacheLifetime::OneHour => split.written_5m,
                };
                prop_assert_eq!(other, 0, "written as long as asked for");
            }
        }
    }

    #[test]
    fn without_the_unrecorded_call_reads_never_exceed_earlier_prompts(calls in calls()) {
        let calls: Vec<_> = calls
            .into_iter()
            .map(|call| match call.after {
                PrecedingInput::Message => {
                    Call { after: PrecedingInput::Cut, lifetime: CacheLifetime::FiveMinutes, ..call }
                }
                _ => Call { lifetime: CacheLifetime::FiveMinutes, ..call },
            })
            .collect();
        for (number, split) in splits(InitialRead::Predicted, &calls).iter().enumerate() {
            let before = calls[..number].iter().filter(|call| call.session == calls[number].session);
            prop_assert!(split.read <= before.map(Call::total).max().unwrap_or(0));
        }
    }

    #[test]
    fn a_model_without_a_cached_conversation_reads_at_most_the_base(calls in calls(), last in call()) {
        let mut cache = PromptCache::new(InitialRead::Predicted);
        for call in &calls {
            cache.call(call, &call.model);
        }
        let last = Call { sent: Timestamp::from_secs(9_000), attempts: Vec::new(), ..last };
        let first = calls.iter().find(|call| call.session == last.session).unwrap_or(&last).total();
        let base = match last.lifetime {
            CacheLifetime::FiveMinutes => 0,
            CacheLifetime::OneHour => (first * 7 / 10).min(17_500),
        };
        prop_assert_eq!(cache.call(&last, &model("anthropic:never-used")).read, base.min(last.total()));
        prop_assert_eq!(cache.call(&Call { session: "new".try_into().unwrap(), ..last }, &model("openai:new")).read, 0);
    }

    /// A cache restored from a checkpoint returns the same splits.
    #[test]
    fn equal_calls_have_equal_splits_also_from_a_checkpoint(calls in calls(), cut in 0..40_usize) {
        let whole = splits(InitialRead::Given, &calls);
        let (before, after) = calls.split_at(cut.min(calls.len()));
        let mut cache = PromptCache::new(InitialRead::Given);
        let mut parts: Vec<_> = before.iter().map(|call| cache.call(call, &call.model)).collect();
        let state = encode_state("prompt cache", &cache).unwrap();
        let mut cache: PromptCache = decode_state("prompt cache", &state).unwrap();
        parts.extend(after.iter().map(|call| cache.call(call, &call.model)));
        prop_assert_eq!(parts, whole);
    }

    #[test]
    fn sessions_have_separate_states(calls in calls()) {
        let together = splits(InitialRead::Predicted, &calls);
        for session in ["one", "two"] {
            let is_of = |call: &Call| call.session.as_str() == session;
            let alone: Vec<_> = calls.iter().filter(|call| is_of(call)).cloned().collect();
            let of = calls.iter().zip(&together).filter(|(call, _)| is_of(call)).map(|(_, split)| *split);
            prop_assert_eq!(splits(InitialRead::Predicted, &alone), of.collect::<Vec<_>>());
        }
    }

    /// `cached_tokens` returns the tokens that a large enough call at that time would read.
    #[test]
    fn cached_tokens_equal_those_read_by_the_same_request(calls in calls(), wait in 0..4_000_u64) {
        let mut cache = PromptCache::new(InitialRead::Predicted);
        for call in &calls {
            cache.call(call, &call.model);
        }
        let last = calls.last().unwrap();
        let sent = last.sent.plus_secs(wait);
        for name in [SONNET, HAIKU, GPT, BEDROCK] {
            let warm = cache.cached_tokens(&last.session, &contracts::Thread::Main, &model(name), sent);
            let large = Usage { input: 1_000_000, ..Usage::default() };
            let next = Call {
                sent,
                began: sent,
                usage: large,
                after: PrecedingInput::Tools,
                compacted: false,
                resumed: false,
                cost: None,
                attempts: Vec::new(),
                ..last.clone()
            };
            prop_assert_eq!(cache.clone().call(&next, &model(name)).read, warm);
        }
    }
}
