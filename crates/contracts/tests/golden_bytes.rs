//! The bytes of every event, by kind and version. A released layout never changes: a changed event is a new version.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fmt::{Debug, Write as _};

use contracts::{
    CacheLifetime, Failure, OutageScope, Reason, SideEffect, Slot, Tier, Verdict,
    catalogue::KINDS,
    events::{
        CallRole, CompactionTrigger, DecisionMode, ErrorClass, OutageTrigger, RecoveredBy, RepairAction, SessionSource,
        StopReason, TextBody, ToolOutcome, TurnStatus,
    },
};
use event_core::encode;
use serde::Serialize;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

#[test]
fn every_layout_is_what_it_was_when_it_was_released() {
    let mut lines: Vec<_> =
        KINDS.iter().map(|spec| format!("{} {} {}", spec.kind, spec.version, hex(&(spec.sample)().unwrap()))).collect();
    lines.sort();
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn kinds_are_listed_once_per_version_in_the_order_of_their_names() {
    let names: Vec<_> = KINDS.iter().map(|spec| (spec.kind, spec.version)).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}

/// The alternatives of an enumeration and the bytes each begins with.
fn alternatives<T: Debug + Serialize>(all: &[T]) -> String {
    let shown = |one: &T| format!("{one:?} {}\n", hex(&encode("alternative", one).unwrap()[..1]));
    all.iter().map(shown).collect()
}

#[test]
fn alternatives_keep_their_numbers_and_new_ones_go_to_the_end() {
    use contracts::events::{CallRole as Role, ErrorClass as Class, StopReason as Stop};
    let (model, provider) = ("a:one".try_into().unwrap(), "a".try_into().unwrap());
    let scopes = [OutageScope::ModelSpecific(model), OutageScope::ProviderWide(provider)];
    let lists = [
        alternatives(&[CacheLifetime::FiveMinutes, CacheLifetime::OneHour]),
        alternatives::<CallRole>(&[Role::Planner, Role::Worker, Role::Side]),
        alternatives::<CompactionTrigger>(&[CompactionTrigger::Automatic, CompactionTrigger::Manual]),
        alternatives::<DecisionMode>(&[DecisionMode::Live, DecisionMode::Observed]),
        alternatives::<ErrorClass>(&[
            Class::RateLimit,
            Class::Overloaded,
            Class::ServerError,
            Class::Network,
            Class::Timeout,
            Class::ModelNotFound,
            Class::Auth,
            Class::Cancelled,
            Class::InvalidRequest,
            Class::ContextOverflow,
            Class::ContentFilter,
            Class::Other,
        ]),
        alternatives(&[
            Failure::NotConfigured,
            Failure::ProviderUnavailable(scopes[0].clone()),
            Failure::NoVisionSupport,
            Failure::ExceedsContextWindow { estimate: 1, window: 1 },
            Failure::NoToolSupport,
            Failure::NoSystemPromptSupport,
            Failure::NoStructuredOutputSupport,
        ]),
        alternatives(&scopes),
        alternatives(&[
            OutageTrigger::ConsecutiveFailures,
            OutageTrigger::AuthError,
            OutageTrigger::NetworkErrors,
            OutageTrigger::MultiModelFailures,
            OutageTrigger::ProbeFailed,
        ]),
        alternatives(&reasons()),
        alternatives(&[RecoveredBy::Success, RecoveredBy::AutoClear]),
        alternatives(&[RepairAction::TailCut, RepairAction::IndexRebuilt, RepairAction::JournalRestored]),
        alternatives(&[
            SessionSource::ClaudeCode,
            SessionSource::CommandLine,
            SessionSource::Codex,
            SessionSource::OpenAiLog,
        ]),
        alternatives(&[
            SideEffect::None,
            SideEffect::Read,
            SideEffect::Write,
            SideEffect::Execute,
            SideEffect::Network,
        ]),
        alternatives(&Slot::CHAIN),
        alternatives::<StopReason>(&[
            Stop::EndTurn,
            Stop::ToolUse,
            Stop::MaxTokens,
            Stop::StopSequence,
            Stop::Refusal,
            Stop::Unknown,
        ]),
        alternatives(&[
            TextBody::Inline(String::new()),
            TextBody::Stored { hash: contracts::ContentHash::default(), bytes: 0 },
        ]),
        alternatives(&Tier::ALL),
        alternatives(&[ToolOutcome::Succeeded, ToolOutcome::Failed, ToolOutcome::Interrupted]),
        alternatives(&[TurnStatus::Completed, TurnStatus::Cancelled, TurnStatus::Refused, TurnStatus::Failed]),
        alternatives(&[Verdict::NotApplicable, Verdict::Deferred, Verdict::Rejected, Verdict::Chose]),
    ];
    insta::assert_snapshot!(lists.join("\n"));
}

fn reasons() -> Vec<Reason> {
    let (model, score) = (contracts::ModelId::try_from("a:one").unwrap(), contracts::Score::ZERO);
    vec![
        Reason::NoOverride,
        Reason::Override { alias: "one".to_owned() },
        Reason::NoSticky,
        Reason::Sticky,
        Reason::NoRules,
        Reason::NoRuleMatched,
        Reason::Rule { name: "rule".to_owned(), budget: None },
        Reason::NoNeighbours,
        Reason::BelowThreshold { confidence: score, samples: 0 },
        Reason::InDelegation,
        Reason::Pattern(contracts::Recommendation { model, confidence: score, samples: 0, alternatives: Vec::new() }),
        Reason::NotDelegation,
        Reason::Tier { asked: Tier::Fast, given: Tier::Fast },
        Reason::TierExhausted { asked: Tier::Fast },
        Reason::NoWorkspaceDefault,
        Reason::WorkspaceDefault,
        Reason::NoGlobalDefault,
        Reason::GlobalDefault,
    ]
}
