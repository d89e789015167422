//! Every event of turnwise, by concern. A layout is frozen once released; a changed event is a new version.
//!
//! An event is derived from what caused it: its id follows from the ids before it, so a retry is the same event.

mod evaluation;
mod llm;
mod log;
mod pattern;
mod policy;
mod provider;
mod route;
mod session;
mod text;
mod tool;
mod turn;

pub use evaluation::{EvalCompleted, FeedbackGiven, Rating, Signal, SignalKind};
pub use llm::{CallRole, ErrorClass, LlmCallCompleted, LlmCallFailed, LlmCallStarted, StopReason};
pub use log::{LogPurged, LogRepaired, RepairAction};
pub use pattern::{EvictionReason, PatternEvicted, PatternFilling, PatternsCleared, TurnEmbedded};
pub use policy::{CatalogueLoaded, PolicyInvalid, PolicyLoaded};
pub use provider::{OutageTrigger, ProviderRecovered, ProviderUnavailable, RecoveredBy};
pub use route::{DecisionMode, PatternOverrideDismissed, RouteDecided, RouteFallback, RouteOverridden};
pub use session::{
    CompactionTrigger, SessionCompacted, SessionModelSelected, SessionResumed, SessionSource, SessionStarted,
};
pub use text::{INLINE_TEXT_BYTES, TextBody};
pub use tool::{ToolCalled, ToolFinished, ToolOutcome};
pub use turn::{TurnEnded, TurnStarted, TurnStatus, TurnTextRecorded};

/// How carefully the content of an event must be handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sensitivity {
    /// What the user or the model wrote; never leaves the machine unless told to, removed by `events purge`.
    Private,
    /// Names of the user's own making: paths, rule names, session ids.
    Internal,
    /// Numbers and names of models.
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
            /// One sentence: what happened.
            pub(crate) const ABOUT: &'static str = $about;
            /// How carefully the content must be handled.
            pub(crate) const SENSITIVITY: crate::events::Sensitivity = crate::events::Sensitivity::$sensitivity;

            /// Returns an example, used by the documentation and by the test of the layout's bytes.
            pub fn sample() -> Self {
                $sample
            }
        }
    };
}
use event;

/// Values for the examples.
mod sample {
    use event_core::EventId;

    use crate::{ModelId, Provider, SessionId, TurnId, Usage};

    pub(super) fn turn() -> TurnId {
        TurnId(EventId([0x11; 16]))
    }

    pub(super) fn session() -> SessionId {
        name("sess-42")
    }

    pub(super) fn model() -> ModelId {
        name("anthropic:claude-sonnet-4-6")
    }

    pub(super) fn usage() -> Usage {
        Usage { input: 3, cache_read: 18_338, cache_write_5m: 0, cache_write_1h: 7_771, output: 261 }
    }

    pub(super) fn provider() -> Provider {
        name("anthropic")
    }

    #[expect(clippy::expect_used, reason = "the samples are literals that a test decodes")]
    pub(super) fn name<N>(text: &'static str) -> N
    where
        N: TryFrom<&'static str>,
        N::Error: std::fmt::Debug,
    {
        N::try_from(text).expect("a sample is a valid name")
    }
}
