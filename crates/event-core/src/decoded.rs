//! What a payload was read as, kept beside it: of several projections that fold the same fact, the first reads it.

use std::{
    any::Any,
    fmt,
    sync::{Arc, OnceLock},
};

/// A payload as the type it was first read as. No part of the fact: two that differ in it alone are equal.
#[derive(Clone, Default)]
pub(crate) struct Decoded(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Decoded {
    /// The payload as `T`, if it was read as that before.
    pub(crate) fn get<T: Clone + 'static>(&self) -> Option<T> {
        self.0.get()?.downcast_ref::<T>().cloned()
    }

    /// Keeps what the payload was read as, unless something is kept already.
    pub(crate) fn keep<T: Clone + Send + Sync + 'static>(&self, read: &T) {
        self.0.get_or_init(|| Arc::new(read.clone()));
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
