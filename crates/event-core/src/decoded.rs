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
    pub(crate) fn get<T: Clone + 'static>(&self, event: &NewEvent) -> Option<T> {
        let known = self.0.get().filter(|known| known.version == event.version && *known.bytes == *event.payload)?;
        known.fact.downcast_ref::<T>().cloned()
    }

    /// Keeps what the event was read as, unless something is kept already.
    pub(crate) fn keep<T: Clone + Send + Sync + 'static>(&self, event: &NewEvent, read: &T) {
        self.0.get_or_init(|| {
            Arc::new(Known { version: event.version, bytes: event.payload[..].into(), fact: Box::new(read.clone()) })
        });
    }
}

impl fmt::Debug for Decoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "read" } else { "not read" })
    }
}

impl PartialEq for Decoded {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Decoded {}
