//! What a payload was read as, kept beside it: of several projections that fold the same event, the first reads it, or
//! none when whoever sealed the event gave it along.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::{NewEvent, Payload};

/// A payload as the type it was first read as. No part of the event: two that differ in it alone are equal.
///
/// It belongs to the very bytes it was read from, so an event that is given another payload is read anew.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Known>);

/// What a payload says.
#[derive(Clone)]
pub struct Known(Arc<Read>);

/// An event, and the bytes that say it: most often the very same ones, and to compare them costs a fraction of reading them.
struct Read {
    version: u16,
    bytes: Payload,
    body: Arc<dyn Any + Send + Sync>,
}

impl Known {
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
    /// The event as `T`, if it was read as that before.
    pub(crate) fn get<T: 'static>(&self, event: &NewEvent) -> Option<&T> {
        let Known(read) = self.0.get()?;
        let same = read.bytes.is(&event.payload) || read.bytes == event.payload;
        let is_of_it = read.version == event.version && same;
        read.body.downcast_ref().filter(|_| is_of_it)
    }

    /// Whether something is kept, be it of these bytes or of what stood here before.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.get().is_some()
    }

    /// Keeps what the event was read as, unless something is kept already, and shows what is kept of it.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, event: &NewEvent, read: T) -> Option<&T> {
        // Whoever was quicker has read the same.
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
