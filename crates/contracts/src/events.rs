//! Event types, one module per subject. A layout is frozen once it is released; a changed event is a new version.
//!
//! The id of an event is derived from the ids of its subject, such as the turn, so a retry results in the same event.

mod evaluation;
mod llm;
mod log;
mod pattern;
mod policy;
mod provider;
mod retention;
mod route;
mod session;
mod skill;
mod text;
mod tool;
mod turn;

pub use evaluation::{EvalCompleted, FeedbackGiven, Rating, Signal, SignalKind};
pub use llm::{ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, StopReason};
pub use log::{LogCommandPanicked, LogPurged, LogRepaired, RepairAction};
pub use pattern::{EvictionReason, PatternEvicted, PatternFilling, PatternsCleared, TurnEmbedded};
pub use policy::{CatalogueLoaded, PolicyInvalid, PolicyLoaded};
pub use provider::{OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy};
pub use retention::{CostsRetained, DecisionsRetained, LogRetained};
pub use route::{DecisionMode, PatternOverrideDismissed, RouteDecided, RouteFallback, RouteOverridden};
pub use session::{
    CompactionTrigger, SessionCompacted, SessionModelSelected, SessionResumed, SessionSource, SessionStarted,
};
pub use skill::{
    SkillActivated, SkillClarificationRequested, SkillCorrected, SkillDeferred, SkillFileFinding, SkillIndexInvalid,
    SkillIndexed, SkillInputs, SkillLoaded, SkillModelAsked, SkillModelReply, SkillPromptRecorded, SkillQuestionSent,
    SkillReused, SkillRouted, SkillRoutingMode, SkillWished,
};
pub use text::{INLINE_TEXT_BYTES, TextBody};
pub use tool::{ToolCalled, ToolFinished, ToolOutcome};
pub use turn::{TurnEnded, TurnStarted, TurnStatus, TurnTextRecorded};

/// Sensitivity of an event's content. `events purge` removes the payloads of private events only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sensitivity {
    /// Text written by the user or a model. Stays on the machine unless the user allows more; removed by `events
    /// purge`.
    Private,
    /// Names chosen by the user: paths, rule names, session ids.
    Internal,
    /// Numbers and model names.
    Public,
}

/// Declares the kind, layout version, sensitivity, description and example of an event type.
macro_rules! event {
    ($name:ident, $kind:literal, $version:literal, $sensitivity:ident, $about:literal, $sample:expr) => {
        impl event_core::EventType for $name {
            const KIND: &'static str = $kind;
            const VERSION: u16 = $version;
        }

        impl $name {
            /// One sentence that describes what happened, for the documentation.
            pub(crate) const ABOUT: &'static str = $about;
            /// Sensitivity of the content.
            pub(crate) const SENSITIVITY: crate::events::Sensitivity = crate::events::Sensitivity::$sensitivity;

            /// Returns an example, for the documentation and for the test of the encoded layout.
            pub fn sample() -> Self {
                $sample
            }
        }
    };
}
use event;

/// Field values that the examples of the event types share.
mod sample {
    use event_core::EventId;

    use crate::{KeyHash, KeyId, ModelId, Provider, SessionId, TurnId, Usage};

    /// Returns the turn id of examples.
    pub(super) fn turn() -> TurnId {
        TurnId(EventId([0x11; 16]))
    }

    /// Returns the session id of examples.
    pub(super) fn session() -> SessionId {
        name("sess-42")
    }

    /// Returns the model id of examples.
    pub(super) fn model() -> ModelId {
        name("anthropic:claude-sonnet-4-6")
    }

    /// Returns the token counts of a model call for examples.
    pub(super) fn usage() -> Usage {
        Usage { input: 3, cache_read: 18_338, cache_write_5m: 0, cache_write_1h: 7_771, output: 261 }
    }

    /// Returns the identity of a provider key for examples.
    pub(super) fn key() -> KeyId {
        KeyId { hash: KeyHash([0x22; 16]), variable: Some("ANTHROPIC_API_KEY".to_owned()) }
    }

    /// Returns the provider of examples.
    pub(super) fn provider() -> Provider {
        name("anthropic")
    }

    /// Converts a literal of an example to a name or id. Panics if it is not valid.
    #[expect(clippy::expect_used, reason = "the samples are literals that a test decodes")]
    pub(super) fn name<N>(text: &'static str) -> N
    where
        N: TryFrom<&'static str>,
        N::Error: std::fmt::Debug,
    {
        N::try_from(text).expect("a sample is a valid name")
    }
}
