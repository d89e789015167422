//! Every kind of fact this program knows: how to show it as JSON and how to read it back.

use event_core::{CodecError, Event, decode, encode};
use serde_json::Value;

use crate::facts::{self, Fact, Sensitivity};

/// A kind of fact in one layout version.
#[derive(Debug, Clone, Copy)]
pub struct KindSpec {
    /// The stable name.
    pub kind: &'static str,
    /// The layout version.
    pub version: u16,
    /// What happened, in one sentence.
    pub about: &'static str,
    /// How carefully it must be handled.
    pub sensitivity: Sensitivity,
    /// The payload of an example.
    pub sample: fn() -> Result<Vec<u8>, CodecError>,
    /// A payload as JSON.
    pub to_json: fn(&[u8]) -> Result<Value, JsonError>,
    /// JSON as a payload.
    pub from_json: fn(Value) -> Result<Vec<u8>, JsonError>,
}

/// Why a payload cannot be shown or read as JSON.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The payload is not what its kind and version claim.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The JSON is not what its kind and version claim.
    #[error("the JSON does not fit `{kind}` version {version}")]
    Json {
        /// The kind.
        kind: &'static str,
        /// The layout version.
        version: u16,
        /// What serde says.
        source: serde_json::Error,
    },
}

fn json_error<E: Event>(source: serde_json::Error) -> JsonError {
    JsonError::Json { kind: E::KIND, version: E::VERSION, source }
}

const fn entry<F: Fact>() -> KindSpec {
    KindSpec {
        kind: F::KIND,
        version: F::VERSION,
        about: F::ABOUT,
        sensitivity: F::SENSITIVITY,
        sample: || encode(F::KIND, &F::sample()),
        to_json: |payload| serde_json::to_value(decode::<F>(F::KIND, payload)?).map_err(json_error::<F>),
        from_json: |value| {
            let fact: F = serde_json::from_value(value).map_err(json_error::<F>)?;
            Ok(encode(F::KIND, &fact)?)
        },
    }
}

/// All kinds, sorted by name; a kind with older layouts has an entry for each version.
pub const KINDS: &[KindSpec] = &[
    entry::<facts::CatalogueLoaded>(),
    entry::<facts::earlier::EvalCompletedV1>(),
    entry::<facts::EvalCompleted>(),
    entry::<facts::FeedbackGiven>(),
    entry::<facts::earlier::LlmCallCompletedV1>(),
    entry::<facts::LlmCallCompleted>(),
    entry::<facts::earlier::LlmCallFailedV1>(),
    entry::<facts::LlmCallFailed>(),
    entry::<facts::LlmCallStarted>(),
    entry::<facts::LogPurged>(),
    entry::<facts::LogRepaired>(),
    entry::<facts::PatternsCleared>(),
    entry::<facts::PatternEvicted>(),
    entry::<facts::PatternFilling>(),
    entry::<facts::PatternOverrideDismissed>(),
    entry::<facts::PolicyLoaded>(),
    entry::<facts::RouteDecided>(),
    entry::<facts::RouteFellThrough>(),
    entry::<facts::RouteOverridden>(),
    entry::<facts::PolicyInvalid>(),
    entry::<facts::ProviderRecovered>(),
    entry::<facts::ProviderUnavailable>(),
    entry::<facts::earlier::SessionCompactedV1>(),
    entry::<facts::SessionCompacted>(),
    entry::<facts::SessionModelSelected>(),
    entry::<facts::SessionResumed>(),
    entry::<facts::SessionStarted>(),
    entry::<facts::earlier::ToolCalledV1>(),
    entry::<facts::ToolCalled>(),
    entry::<facts::ToolFinished>(),
    entry::<facts::TurnEmbedded>(),
    entry::<facts::TurnEnded>(),
    entry::<facts::earlier::TurnStartedV1>(),
    entry::<facts::earlier::TurnStartedV2>(),
    entry::<facts::TurnStarted>(),
    entry::<facts::TurnTextRecorded>(),
];

/// The kind called `kind` in layout `version`, if this program knows it.
pub fn find(kind: &str, version: u16) -> Option<&'static KindSpec> {
    KINDS.iter().find(|spec| spec.kind == kind && spec.version == version)
}
