//! Constructors of calls, and tables of the splits of their prompts.

use contracts::{CacheLifetime, CacheVariant, ModelId, SessionId, Thread, TurnId, Usage};
use costs::prompt_cache::{Call, CancelledCall, InitialRead, PrecedingInput, PromptCache, PromptSplit};
use event_core::Timestamp;

/// The recorded model of all calls.
pub(crate) const SONNET: &str = "anthropic:claude-sonnet-4-6";
/// Another model of the same provider.
pub(crate) const HAIKU: &str = "anthropic:claude-haiku-4-5";
/// A model with an automatic cache.
pub(crate) const GPT: &str = "openai:gpt-5";
/// A Claude model of another provider.
pub(crate) const BEDROCK: &str = "bedrock:anthropic.claude-sonnet-4-6";

/// Creates a model id.
pub(crate) fn model(name: &str) -> ModelId {
    ModelId::try_from(name).unwrap()
}

/// Creates a call of the main conversation at a second with a prompt of `total` tokens: within a turn, with an
/// immediate response of one block, cached for five minutes.
pub(crate) fn at(seconds: u64, total: u64) -> Call {
    Call {
        session: SessionId::try_from("one").unwrap(),
        thread: Thread::Main,
        turn: TurnId::default(),
        model: model(SONNET),
        sent: Timestamp::from_secs(seconds),
        began: Timestamp::from_secs(seconds),
        lifetime: CacheLifetime::FiveMinutes,
        variant: CacheVariant::PLAIN,
        usage: Usage { input: total, ..Usage::default() },
        after: PrecedingInput::Tools,
        message_bytes: 0,
        blocks: 1,
        compacted: false,
        resumed: false,
        cost: None,
        attempts: Vec::new(),
    }
}

/// As [`at`], cached for one hour.
pub(crate) fn hour(seconds: u64, total: u64) -> Call {
    Call { lifetime: CacheLifetime::OneHour, ..at(seconds, total) }
}

/// As [`at`], the first call of a turn after a completed one, with a message of 400 bytes.
pub(crate) fn message(seconds: u64, total: u64) -> Call {
    Call { after: PrecedingInput::Message, message_bytes: 400, ..at(seconds, total) }
}

/// As [`at`], for a command or a skill.
pub(crate) fn command(seconds: u64, total: u64) -> Call {
    Call { variant: CacheVariant::COMMAND, ..at(seconds, total) }
}

/// Creates a cancelled call; times are in milliseconds.
pub(crate) fn attempt(sent: u64, stopped: u64) -> CancelledCall {
    CancelledCall { sent: Timestamp(sent * 1_000), stopped: Timestamp(stopped * 1_000) }
}

/// The columns of a split: read, written for five minutes, written for one hour, uncached.
type Row = (u64, u64, u64, u64);

/// Asserts the predicted split of each call, simulated with the model in the same tuple.
#[track_caller]
pub(crate) fn check_with(calls: &[(Call, &str, Row)]) {
    let mut cache = PromptCache::new(InitialRead::Predicted);
    for (number, (call, answers, (read, written_5m, written_1h, uncached))) in calls.iter().enumerate() {
        let expected =
            PromptSplit { read: *read, written_5m: *written_5m, written_1h: *written_1h, uncached: *uncached };
        assert_eq!(cache.call(call, &model(answers)), expected, "call {number} of {}", calls.len());
    }
}

/// Asserts the predicted splits of calls to one model.
#[track_caller]
pub(crate) fn check(calls: &[(Call, Row)]) {
    let calls: Vec<_> = calls.iter().map(|(call, row)| (call.clone(), SONNET, *row)).collect();
    check_with(&calls);
}

/// Returns the tokens that the last of several calls to one model reads.
pub(crate) fn last_read(calls: &[Call]) -> u64 {
    let mut cache = PromptCache::new(InitialRead::Predicted);
    calls.iter().fold(0, |_, call| cache.call(call, &model(SONNET)).read)
}
