//! Cache of the decoded value of an event: the first projection that reads an event decodes it for all later ones. If
//! the producer supplied the value, no projection decodes it.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::{NewEvent, Payload};

/// Cache for the decoded value of one event; filled at most once. Not part of the event: it has no influence on
/// equality or serialisation.
///
/// The cached value is used only for the payload and layout version it was decoded from. If the event is changed
/// afterwards, each read decodes it again.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Known>);

/// Decoded value of an event, with the payload and layout version it was decoded from. Clones share the value.
#[derive(Clone)]
pub struct Known(Arc<Read>);

/// Decoded value with the payload and layout version it was decoded from. To check that it is valid for an event, the
/// payloads are compared: usually they share one allocation, so no bytes are compared.
struct Read {
    /// Layout version of `bytes`.
    version: u16,
    /// Payload that `body` was decoded from.
    bytes: Payload,
    /// Decoded value; its type is the event type that decoded it.
    body: Arc<dyn Any + Send + Sync>,
}

impl Known {
    /// Creates the decoded value of `event`. `body` must be the value that the payload of `event` encodes; this is not
    /// checked.
    pub(crate) fn new<T: Send + Sync + 'static>(event: &NewEvent, body: Arc<T>) -> Self {
        Self(Arc::new(Read { version: event.version, bytes: event.payload.clone(), body }))
    }
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("version", &self.0.version).finish_non_exhaustive()
    }
}

impl Decoded {
    /// Returns the cached value if its type is `T` and it was decoded from the payload and layout version of `event`;
    /// `None` otherwise.
    pub(crate) fn get<T: 'static>(&self, event: &NewEvent) -> Option<&T> {
        let Known(read) = self.0.get()?;
        let same = read.bytes.is(&event.payload) || read.bytes == event.payload;
        let is_of_it = read.version == event.version && same;
        read.body.downcast_ref().filter(|_| is_of_it)
    }

    /// Returns whether a value is cached, even if it is not valid for the present payload.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.get().is_some()
    }

    /// Caches `read`, the decoded value of `event`, unless a value is cached already. Returns the cached value as
    /// [`Decoded::get`] does.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, event: &NewEvent, read: T) -> Option<&T> {
        // A value set by another thread in the meantime is equal.
        let _ = self.0.set(Known::new(event, Arc::new(read)));
        self.get(event)
    }
}

impl From<Known> for Decoded {
    fn from(known: Known) -> Self {
        Self(known.into())
    }
}

impl fmt::Debug for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_kept() { "read" } else { "not read" })
    }
}

/// Always equal, so that the cache does not affect the comparison of events.
impl PartialEq for Decoded {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Decoded {}
