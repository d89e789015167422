//! What a payload was read as, kept beside it: of several projections that fold the same fact, the first reads it.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

use crate::NewEvent;

/// A payload as the type it was first read as. No part of the fact: two that differ in it alone are equal.
///
/// It belongs to the very bytes it was read from, so a fact that is given another payload is read anew.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Arc<Known>>);

/// What was read, and the bytes it was read from: to compare them costs a fraction of reading them.
struct Known {
    version: u16,
    bytes: Box<[u8]>,
    fact: Box<dyn Any + Send + Sync>,
}

impl Decoded {
    /// The event as `T`, if it was read as that before.
    pub(crate) fn get<T: 'static>(&self, event: &NewEvent) -> Option<&T> {
        let known = self.0.get().filter(|known| known.version == event.version && *known.bytes == *event.payload)?;
        known.fact.downcast_ref()
    }

    /// Whether something is kept, be it of these bytes or of what stood here before.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.get().is_some()
    }

    /// Keeps what the event was read as, unless something is kept already, and shows what is kept of it.
    pub(crate) fn keep<T: Send + Sync + 'static>(&self, event: &NewEvent, read: T) -> Option<&T> {
        let known = Known { version: event.version, bytes: event.payload[..].into(), fact: Box::new(read) };
        // Whoever was quicker has read the same.
        let _ = self.0.set(Arc::new(known));
        self.get(event)
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
