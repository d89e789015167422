//! Every kind of event this program knows: how to show it as JSON and how to read it back.

use event_core::{CodecError, Event, decode, encode};
use serde_json::Value;

use crate::events::{self, DocumentedEvent, Sensitivity};

/// A kind of event in one layout version.
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

const fn entry<E: DocumentedEvent>() -> KindSpec {
    KindSpec {
        kind: E::KIND,
        version: E::VERSION,
        about: E::ABOUT,
        sensitivity: E::SENSITIVITY,
        sample: || encode(E::KIND, &E::sample()),
        to_json: |payload| serde_json::to_value(decode::<E>(E::KIND, payload)?).map_err(json_error::<E>),
        from_json: |value| {
            let event: E = serde_json::from_value(value).map_err(json_error::<E>)?;
            Ok(encode(E::KIND, &event)?)
        },
    }
}

/// All kinds, sorted by name; a kind with older layouts has an entry for each version.
pub const KINDS: &[KindSpec] = &[
    entry::<events::CatalogueLoaded>(),
    entry::<events::earlier::EvalCompletedV1>(),
    entry::<events::EvalCompleted>(),
    entry::<events::FeedbackGiven>(),
    entry::<events::earlier::LlmCallCompletedV1>(),
    entry::<events::LlmCallCompleted>(),
    entry::<events::earlier::LlmCallFailedV1>(),
    entry::<events::LlmCallFailed>(),
    entry::<events::LlmCallStarted>(),
    entry::<events::LogPurged>(),
    entry::<events::LogRepaired>(),
    entry::<events::PatternsCleared>(),
    entry::<events::PatternEvicted>(),
    entry::<events::PatternFilling>(),
    entry::<events::PatternOverrideDismissed>(),
    entry::<events::PolicyLoaded>(),
    entry::<events::RouteDecided>(),
    entry::<events::RouteFallback>(),
    entry::<events::RouteOverridden>(),
    entry::<events::PolicyInvalid>(),
    entry::<events::ProviderRecovered>(),
    entry::<events::ProviderUnavailable>(),
    entry::<events::earlier::SessionCompactedV1>(),
    entry::<events::SessionCompacted>(),
    entry::<events::SessionModelSelected>(),
    entry::<events::SessionResumed>(),
    entry::<events::SessionStarted>(),
    entry::<events::earlier::ToolCalledV1>(),
    entry::<events::ToolCalled>(),
    entry::<events::ToolFinished>(),
    entry::<events::TurnEmbedded>(),
    entry::<events::TurnEnded>(),
    entry::<events::earlier::TurnStartedV1>(),
    entry::<events::earlier::TurnStartedV2>(),
    entry::<events::TurnStarted>(),
    entry::<events::TurnTextRecorded>(),
];

/// The kind called `kind` in layout `version`, if this program knows it.
pub fn find(kind: &str, version: u16) -> Option<&'static KindSpec> {
    KINDS.iter().find(|spec| spec.kind == kind && spec.version == version)
}
