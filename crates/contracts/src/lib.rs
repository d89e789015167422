//! Shared types of turnwise: ids, money, models, turns, decisions, and all [`events`].
//!
//! Deciders, projections, adapters and front ends do not call each other. They communicate through events in the log
//! and through the [`views`] that a decision reads.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod bounded_map;
mod cache;
mod call_id;
mod chain;
mod decision;
mod event_subset;
mod features;
mod hash;
mod ids;
mod key_id;
mod model;
mod money;
mod request;
mod requirement;
mod response;
mod score;
mod sealed;
mod skill_choice;
mod skill_wish;
mod spending;
mod thread;
mod tokens;
mod turn;
mod wire;

pub mod catalogue;
pub mod events;
pub mod views;

pub use bounded_map::BoundedMap;
pub use cache::{CacheLifetime, CacheVariant};
pub use call_id::fits_every_api;
pub use catalogue::Event;
pub use chain::{Attempt, ChainEntry, ChainSlot, ChainValue, Decision, DecisionKind, Verdict};
pub use decision::{
    Alternative, Failure, ModelChoice, OutageScope, Reason, Recommendation, RefusedKey, Slot, SpentBudget, SpentLimit,
};
pub use features::{Features, IntentTag, IntentTags, SideEffect, Sketch, TokenBucket, Tone};
pub use hash::{ContentHash, ParseHashError};
pub use ids::{IdError, ModelId, Provider, SessionId, ThreadId, TurnId};
pub use key_id::{KeyHash, KeyId, ParseKeyHashError, usual_key_variable};
pub use model::{AUTO_NAMES, Capabilities, ModelSpec, Registry, RegistryError, Tier};
pub use money::{NanoUsd, ParseMoneyError, PicoUsd, Prices, Rates};
pub use request::{AuxiliaryCall, ClientRequest};
pub use requirement::Requirement;
pub use response::{ResponseSummary, ToolRequest};
pub use score::Score;
pub use sealed::Sealed;
pub use skill_choice::{
    Criticality, IntentBasis, KeywordCandidate, KeywordEvidence, KeywordMatch, KeywordOutcome, KeywordResolution,
    PartialCompound, SkillChoice, SkillFailure, SkillOutcome, SkillReason, SkillScore, SkillSlot, SuppressedMatch,
    TreeEvidence, shorten_skill_decision,
};
pub use skill_wish::SkillWish;
pub use spending::{InFlight, Period, PeriodAmounts, Spending};
pub use thread::{CallRole, Parent, Thread};
pub use tokens::{Estimates, Tokenizer, Usage};
pub use turn::{Delegation, FailedCandidate, MessageText, Needs, Override, Turn};
pub use wire::WireApi;
