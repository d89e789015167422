//! [`DecodedEvent`], a recorded event that several projections fold and that is decoded once.

use std::cell::OnceCell;

use crate::{CodecError, EventSet, EventSubset, Recorded};

/// A recorded event with its decoded value in the set of events `S`. The event is decoded when a projection first needs
/// it, at most once.
#[derive(Debug)]
pub struct DecodedEvent<'a, S> {
    /// The recorded event.
    recorded: &'a Recorded,
    /// The decoded value, set when a projection first needs it; `None` in the cell if the event has no value in `S`.
    value: OnceCell<Option<S>>,
}

impl<'a, S: EventSet> DecodedEvent<'a, S> {
    /// Creates the event without a decoded value.
    pub const fn new(recorded: &'a Recorded) -> Self {
        Self { recorded, value: OnceCell::new() }
    }

    /// Creates the event with its decoded value. `value` must be the value that the payload of `recorded` encodes; this
    /// is not checked.
    pub fn with_value(recorded: &'a Recorded, value: S) -> Self {
        Self { recorded, value: OnceCell::from(Some(value)) }
    }

    /// Returns the recorded event.
    pub const fn recorded(&self) -> &'a Recorded {
        self.recorded
    }

    /// Returns the event as one of the subset `T`; decodes it if no projection has. `None` if its kind is not in the
    /// subset, or if its payload was purged.
    ///
    /// # Errors
    /// As [`EventSet::decode`].
    pub fn select<'s, T: EventSubset<'s, S>>(&'s self) -> Result<Option<T>, CodecError> {
        let value = match self.value.get() {
            Some(value) => value,
            None if !T::includes(&self.recorded.event.kind) => return Ok(None),
            None => {
                let value = S::decode(self.recorded)?;
                self.value.get_or_init(|| value)
            }
        };
        Ok(value.as_ref().and_then(T::select))
    }
}
