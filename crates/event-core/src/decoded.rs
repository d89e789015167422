//! What a payload was read as, kept beside it: of several projections that fold the same fact, the first reads it.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

/// A payload as the type it was first read as. No part of the fact: two that differ in it alone are equal.
///
/// It belongs to the very bytes it was read from, so a fact that is given another payload is read anew, as is a copy.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Read>);

/// What was read, and where the bytes stand.
#[derive(Clone)]
struct Read {
    bytes: (usize, usize),
    read: Arc<dyn Any + Send + Sync>,
}

impl Decoded {
    /// The payload as `T`, if it was read as that before.
    pub(crate) fn get<T: Clone + 'static>(&self, payload: &[u8]) -> Option<T> {
        let known = self.0.get().filter(|known| known.bytes == place(payload))?;
        known.read.downcast_ref::<T>().cloned()
    }

    /// Keeps what the payload was read as, unless something is kept already.
    pub(crate) fn keep<T: Clone + Send + Sync + 'static>(&self, payload: &[u8], read: &T) {
        self.0.get_or_init(|| Read { bytes: place(payload), read: Arc::new(read.clone()) });
    }
}

/// Where bytes stand in memory, and how many there are.
fn place(payload: &[u8]) -> (usize, usize) {
    (payload.as_ptr().addr(), payload.len())
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
