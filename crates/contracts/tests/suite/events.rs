//! Round trips of the larger events with random content through bytes and JSON.

use contracts::{
    Alternative, Attempt, AuxiliaryCall, CacheVariant, ChainEntry, ChainSlot as _, ContentHash, Decision, Estimates,
    Failure, Features, ModelId, NanoUsd, Needs, OutageScope, Override, Period, Reason, Recommendation, RefusedKey,
    Score, SessionId, SideEffect, Sketch, Slot, SpentLimit, Thread, ThreadId, Tier, TokenBucket, Tone, TurnId, Usage,
    Verdict,
    events::{DecisionMode, LlmCallCompleted, RouteDecided, StopReason, TurnStarted},
};
use event_core::{EventId, EventType, Position, Timestamp, decode, encode};
use proptest::{option, prelude::*, sample::select};

fn model() -> impl Strategy<Value = ModelId> {
    "[a-z]{1,8}:[a-z0-9.-]{1,20}".prop_map(|id| ModelId::try_from(id.as_str()).unwrap())
}

fn session() -> impl Strategy<Value = SessionId> {
    "[^\\s\\p{Cc}]{1,20}".prop_map(|id| SessionId::try_from(id.as_str()).unwrap())
}

fn thread() -> impl Strategy<Value = Thread> {
    let sub_agent = session().prop_map(|id| Thread::SubAgent(ThreadId::try_from(id.as_str()).unwrap()));
    prop_oneof![Just(Thread::Main), sub_agent, select(&AuxiliaryCall::ALL[..]).prop_map(Thread::Auxiliary)]
}

fn turn() -> impl Strategy<Value = TurnId> {
    any::<[u8; 16]>().prop_map(|id| TurnId(EventId(id)))
}

fn names() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("\\PC{0,12}", 0..4)
}

fn score() -> impl Strategy<Value = Score> {
    (0..=1_000_000_000_u64).prop_map(Score)
}

fn call() -> impl Strategy<Value = LlmCallCompleted> {
    let ids = (turn(), session(), thread(), model());
    let numbers = (any::<[u64; 5]>(), option::of(any::<u64>()), option::of(any::<u64>()), any::<[u32; 3]>());
    let kinds = (
        select(vec![StopReason::EndTurn, StopReason::ToolUse, StopReason::MaxTokens, StopReason::Unknown]),
        option::of("\\PC{0,80}"),
        option::of(any::<u64>()),
    );
    (ids, numbers, kinds).prop_map(|((turn, session, thread, model), (usage, cost, latency_ms, counts), kinds)| {
        let [input, cache_read, cache_write_5m, cache_write_1h, output] = usage;
        let (stop_reason, raw_usage, began) = kinds;
        LlmCallCompleted {
            turn,
            session,
            thread,
            model,
            usage: Usage { input, cache_read, cache_write_5m, cache_write_1h, output },
            cost: cost.map(NanoUsd),
            latency_ms,
            stop_reason,
            tool_calls: counts[0],
            thinking_blocks: counts[1],
            raw_usage,
            variant: CacheVariant(counts[2]),
            began_at: began.map(Timestamp),
        }
    })
}

fn started() -> impl Strategy<Value = TurnStarted> {
    let ids = (turn(), session(), option::of(model()), option::of(model()), option::of("\\PC{0,40}"));
    let flags = any::<[bool; 6]>();
    let numbers = (any::<u64>(), any::<i16>(), any::<u64>(), any::<u64>(), any::<u8>());
    (ids, flags, numbers, [names(), names(), names()]).prop_map(|(ids, flags, numbers, lists)| {
        let (turn, session, chosen, sticky, workspace) = ids;
        let (message_bytes, offset_minutes, tokens, spent, bits) = numbers;
        let [extensions, skills, tools] = lists;
        TurnStarted {
            turn,
            session,
            thread: Thread::Main,
            message_bytes,
            offset_minutes,
            override_model: chosen.map(|model| Override { alias: model.model().to_owned(), model }),
            sticky,
            delegation: None,
            workspace,
            needs: Needs { images: flags[0], tools: flags[1], system_prompt: flags[2], structured_output: flags[3] },
            message_has_images: flags[4],
            tool_calls_in_history: flags[5],
            tokens: Estimates::same(tokens),
            extensions: extensions.clone(),
            skills,
            spent_today: NanoUsd(spent),
            spending: contracts::Spending { week: NanoUsd(spent), ..contracts::Spending::default() },
            features: Features {
                extensions,
                directories: Vec::new(),
                tools,
                side_effects: vec![SideEffect::Execute, SideEffect::Network],
                images: flags[4],
                tool_history: flags[5],
                tokens: TokenBucket::from_tokens(tokens),
                intents: contracts::IntentTags(bits),
                workload: Some("nightly".to_owned()).filter(|_| flags[0]),
                sketch: Sketch { words: vec![bits.into(), u16::MAX], pairs: vec![7], shape: vec![bits] },
                text: Some(spent).filter(|_| flags[1]),
            },
            tone: if flags[2] { Tone::Correction } else { Tone::Plain },
            request: flags[1].then(|| TurnStarted::sample().request).flatten(),
        }
    })
}

fn failure() -> impl Strategy<Value = Failure> {
    prop_oneof![
        Just(Failure::NotConfigured),
        model().prop_map(|model| Failure::ProviderUnavailable(OutageScope::ModelSpecific(model))),
        "[a-z]{1,9}".prop_map(|name| {
            Failure::ProviderUnavailable(OutageScope::ProviderWide(name.as_str().try_into().unwrap()))
        }),
        any::<(u64, u64)>().prop_map(|(estimate, window)| Failure::ExceedsContextWindow { estimate, window }),
        Just(Failure::NoStructuredOutputSupport),
        option::of("[A-Z]{1,9}")
            .prop_map(|variable| RefusedKey { provider: "a".try_into().unwrap(), variable })
            .prop_map(|key| Failure::KeyRefused(Box::new(key))),
    ]
}

fn reason() -> impl Strategy<Value = Reason> {
    let alternative = (model(), option::of(score()), any::<u64>()).prop_map(|(model, score, samples)| Alternative {
        model,
        score,
        samples,
    });
    prop_oneof![
        Just(Reason::NoOverride),
        "[a-z]{1,9}".prop_map(|alias| Reason::Override { alias }),
        ("\\PC{0,20}", option::of(any::<u64>()), any::<bool>()).prop_map(|(name, budget, cut)| Reason::Rule {
            name,
            budget: budget.map(|amount| SpentLimit { amount: NanoUsd(amount), period: Period::Week }),
            cut
        }),
        (score(), any::<u64>()).prop_map(|(confidence, samples)| Reason::BelowThreshold { confidence, samples }),
        (model(), score(), any::<u64>(), prop::collection::vec(alternative, 0..4)).prop_map(
            |(model, confidence, samples, alternatives)| {
                Reason::Pattern(Recommendation { model, confidence, samples, alternatives })
            }
        ),
        (select(&Tier::ALL[..]), select(&Tier::ALL[..])).prop_map(|(asked, given)| Reason::Tier { asked, given }),
    ]
}

fn evaluation() -> impl Strategy<Value = ChainEntry> {
    let verdicts = vec![Verdict::NotApplicable, Verdict::Deferred, Verdict::Rejected, Verdict::Chose];
    let attempt =
        ("\\PC{0,20}", model(), failure()).prop_map(|(name, candidate, failure)| Attempt { name, candidate, failure });
    let parts = (select(Slot::CHAIN), select(verdicts), option::of(model()));
    (parts, reason(), option::of(failure()), prop::collection::vec(attempt, 0..3)).prop_map(
        |((slot, verdict, candidate), reason, failure, attempts)| ChainEntry {
            slot,
            verdict,
            candidate,
            reason,
            failure,
            attempts,
        },
    )
}

fn decided() -> impl Strategy<Value = RouteDecided> {
    let ids = (turn(), session(), any::<[[u8; 32]; 2]>(), any::<u64>());
    let numbers = (any::<u16>(), any::<u32>(), prop::collection::vec(any::<u16>(), 0..9));
    (ids, numbers, option::of(model()), prop::collection::vec(evaluation(), 0..8)).prop_map(
        |((turn, session, hashes, based_on), (decider, elapsed_micros, matched), model, chain)| RouteDecided {
            turn,
            session,
            mode: DecisionMode::Observed,
            policy: ContentHash(hashes[0]),
            catalogue: ContentHash(hashes[1]),
            decider,
            based_on: Position(based_on),
            matched,
            elapsed_micros,
            decision: Decision { chosen: model, chain },
        },
    )
}

#[track_caller]
fn comes_back<F: event_core::EventType + PartialEq + std::fmt::Debug>(event: &F) {
    // What does not fit is refused; that is tested elsewhere.
    if let Ok(bytes) = encode(F::KIND, event) {
        assert_eq!(&decode::<F>(F::KIND, &bytes).unwrap(), event);
    }
    let json = serde_json::to_string(event).unwrap();
    assert_eq!(&serde_json::from_str::<F>(&json).unwrap(), event);
    assert!(<F as EventType>::VERSION >= 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_call_comes_back(call in call()) {
        comes_back(&call);
    }

    #[test]
    fn a_started_turn_comes_back(started in started()) {
        comes_back(&started);
    }

    #[test]
    fn a_decision_comes_back(decided in decided()) {
        comes_back(&decided);
    }
}
