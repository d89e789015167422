//! Catalogue of all event kinds: the [`Event`] enum, and for each kind a description and its conversion to and from
//! JSON.

use std::sync::Arc;

use event_core::{CodecError, EventSet, EventSubset, EventType, Recorded, decode, encode};
use serde_json::Value;

use crate::events::{self, Sensitivity};

/// Description of one kind of event in one version of its layout. [`KINDS`] lists all of them.
#[derive(Debug, Clone, Copy)]
pub struct KindSpec {
    /// Stable name, such as `turn.started`.
    pub kind: &'static str,
    /// Layout version, from 1.
    pub version: u16,
    /// One sentence that describes what happened, for the documentation.
    pub about: &'static str,
    /// Sensitivity of the content: private, internal or public.
    pub sensitivity: Sensitivity,
    /// Returns an example event, for the documentation and for the test of the encoded layout.
    pub sample: fn() -> Event,
    /// Encodes the example event as a payload; fails if it exceeds the payload limit.
    pub payload: fn() -> Result<Vec<u8>, CodecError>,
    /// Decodes a payload and converts it to JSON.
    pub to_json: fn(&[u8]) -> Result<Value, JsonError>,
    /// Converts JSON to an event and encodes it as a payload.
    pub from_json: fn(Value) -> Result<Vec<u8>, JsonError>,
}

/// An error of converting the payload of an event to JSON or back.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// The payload does not match the layout of its kind and version, or exceeds the payload limit.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// The JSON does not match the layout of its kind and version.
    #[error("the JSON does not fit `{kind}` version {version}")]
    Json {
        /// Kind of the event.
        kind: &'static str,
        /// Layout version of the event.
        version: u16,
        /// Error of `serde_json`.
        source: serde_json::Error,
    },
}

/// Converts an error of `serde_json` to a [`JsonError`] with the event kind and layout version of `E`.
fn json_error<E: EventType>(source: serde_json::Error) -> JsonError {
    JsonError::Json { kind: E::KIND, version: E::VERSION, source }
}

/// Decodes a payload of the event type `E` and converts it to JSON. Fails if the payload does not match the layout.
fn to_json<E: EventType>(payload: &[u8]) -> Result<Value, JsonError> {
    serde_json::to_value(decode::<E>(E::KIND, payload)?).map_err(json_error::<E>)
}

/// Converts JSON to an event of type `E` and encodes it. Fails if the JSON does not match the layout, or if the payload
/// exceeds its limit.
fn from_json<E: EventType>(value: Value) -> Result<Vec<u8>, JsonError> {
    let event: E = serde_json::from_value(value).map_err(json_error::<E>)?;
    Ok(encode(E::KIND, &event)?)
}

/// A generic function that [`visit_kinds`] calls with the Rust type of each event kind.
pub trait KindVisitor {
    /// Called once for each kind; `E` is its event type.
    fn visit<E: EventType>(&mut self);
}

/// Declares the catalogue from a list of event types, sorted by kind. A new kind is one line in the list.
macro_rules! catalogue {
    ($($name:ident,)*) => {
        /// A decoded event of any kind in the catalogue. Clones share the value, so cloning is cheap.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Event {
            $(#[doc = concat!("See [`events::", stringify!($name), "`].")] $name(Arc<events::$name>),)*
        }

        impl EventSet for Event {
            fn decode(event: &Recorded) -> Result<Option<Self>, CodecError> {
                match &*event.event.kind {
                    $(<events::$name as EventType>::KIND => {
                        Ok(event.read::<events::$name>()?.map(|body| Self::$name(Arc::new(body))))
                    })*
                    _ => Ok(None),
                }
            }
        }

        $(impl<'a> EventSubset<'a, Event> for &'a events::$name {
            fn includes(kind: &str) -> bool {
                kind == <events::$name as EventType>::KIND
            }

            fn select(event: &'a Event) -> Option<Self> {
                if let Event::$name(body) = event { Some(body) } else { None }
            }
        })*

        $(impl From<Arc<events::$name>> for Event {
            fn from(body: Arc<events::$name>) -> Self {
                Self::$name(body)
            }
        })*

        /// All event kinds, sorted by name and layout version.
        pub const KINDS: &[KindSpec] = &[$(KindSpec {
            kind: <events::$name as EventType>::KIND,
            version: <events::$name as EventType>::VERSION,
            about: events::$name::ABOUT,
            sensitivity: events::$name::SENSITIVITY,
            sample: || Event::$name(Arc::new(events::$name::sample())),
            payload: || encode(<events::$name as EventType>::KIND, &events::$name::sample()),
            to_json: to_json::<events::$name>,
            from_json: from_json::<events::$name>,
        },)*];

        /// Calls the visitor with the Rust type of each event kind, in the order of [`KINDS`].
        pub fn visit_kinds(visitor: &mut impl KindVisitor) {
            $(visitor.visit::<events::$name>();)*
        }
    };
}

catalogue! {
    CatalogueLoaded,
    CostsRetained,
    DecisionsRetained,
    EvalCompleted,
    FeedbackGiven,
    LlmCallCompleted,
    LlmCallFailed,
    LlmCallStarted,
    LogCommandPanicked,
    LogPurged,
    LogRepaired,
    LogRetained,
    PatternsCleared,
    PatternEvicted,
    PatternFilling,
    PatternOverrideDismissed,
    PolicyLoaded,
    RouteDecided,
    RouteFallback,
    RouteOverridden,
    PolicyInvalid,
    ProviderRecovered,
    ProviderUnavailable,
    SessionCompacted,
    SessionModelSelected,
    SessionResumed,
    SessionStarted,
    SkillActivated,
    SkillClarificationRequested,
    SkillCorrected,
    SkillDeferred,
    SkillIndexInvalid,
    SkillIndexed,
    SkillLoaded,
    SkillModelAsked,
    SkillPromptRecorded,
    SkillQuestionSent,
    SkillReused,
    SkillRouted,
    SkillWished,
    ToolCalled,
    ToolFinished,
    TurnEmbedded,
    TurnEnded,
    TurnStarted,
    TurnTextRecorded,
}

/// Returns the description of the event kind `kind` in layout `version`; `None` if it is not in the catalogue.
pub fn find_kind(kind: &str, version: u16) -> Option<&'static KindSpec> {
    KINDS.iter().find(|spec| spec.kind == kind && spec.version == version)
}
