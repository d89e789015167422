//! [`EventSet`], the decoded events of a log, and [`EventSubset`], the ones that a projection folds.

use crate::{CodecError, EventType, Recorded};

/// Decoded event of a log: usually an enum with a variant for each kind.
///
/// An [`EventType`] is the set of its one kind. `()` is the set of events of all kinds, without decoding their payload.
pub trait EventSet: Sized {
    /// Decodes an event, upcasting an older layout. `None` if the kind is not in the set, or if the payload was purged.
    ///
    /// # Errors
    /// [`CodecError`] for an unknown layout version, or for bytes that do not match the layout.
    fn decode(event: &Recorded) -> Result<Option<Self>, CodecError>;
}

impl<E: EventType> EventSet for E {
    fn decode(event: &Recorded) -> Result<Option<Self>, CodecError> {
        event.read()
    }
}

impl EventSet for () {
    fn decode(_event: &Recorded) -> Result<Option<Self>, CodecError> {
        Ok(Some(()))
    }
}

/// Reference to a decoded event of the set `S`, of one of the kinds that a projection folds.
///
/// For several kinds it is an enum with a variant for each, so that `apply` matches exactly the kinds that it receives.
pub trait EventSubset<'a, S>: Sized {
    /// Returns whether `kind` is in the subset. An event of another kind is not decoded.
    fn includes(kind: &str) -> bool;

    /// Selects a decoded event; `None` if its kind is not in the subset.
    fn select(event: &'a S) -> Option<Self>;
}

impl<'a, E: EventType> EventSubset<'a, E> for &'a E {
    fn includes(kind: &str) -> bool {
        kind == E::KIND
    }

    fn select(event: &'a E) -> Option<Self> {
        Some(event)
    }
}

impl EventSubset<'_, ()> for () {
    fn includes(_kind: &str) -> bool {
        true
    }

    fn select((): &()) -> Option<Self> {
        Some(())
    }
}
