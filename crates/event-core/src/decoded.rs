//! Cache of decoded payloads: the first projection that reads an event decodes it for all, or none if the producer
//! supplied the value.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::{NewEvent, Payload};

/// Cache for the decoded value of an event. Not part of the event: it has no influence on equality or serialisation.
///
/// The cached value is valid only for the payload it was decoded from, so a changed payload is decoded again.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Known>);

/// The decoded value of a payload. Clones share it.
#[derive(Clone)]
pub struct Known(Arc<Read>);

/// A decoded event with the version and bytes it was decoded from. Most comparisons are of the same allocation, which
/// is much cheaper than decoding.
struct Read {
    /// Layout version that `bytes` was decoded with.
    version: u16,
    /// Payload that was decoded.
    bytes: Payload,
    /// The decoded value, of the event type of that kind.
    body: Arc<dyn Any + Send + Sync>,
}

impl Known {
    /// Creates the decoded value of `event`; `body` must be what its payload encodes.
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
    /// Returns the cached value if it is of type `T` and was decoded from the payload of `event`.
    pub(crate) fn get<T: 'static>(&self, event: &NewEvent) -> Option<&T> {
        let Known(read) = self.0.get()?;
        let same = read.bytes.is(&event.payload) || read.bytes == event.payload;
        let is_of_it = read.version == event.version && same;
        read.body.downcast_ref().filter(|_| is_of_it)
    }

    /// Returns whether a value is cached, even if it was decoded from another payload.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.get().is_some()
    }

    /// Caches a value unless there already is one, and returns the cached value if it is valid for `event`.
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

impl PartialEq for Decoded {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Decoded {}
