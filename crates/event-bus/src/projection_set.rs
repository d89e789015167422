//! [`ProjectionSet`], several projections that are folded in one pass over the log. Each has its own checkpoint.

use std::sync::Arc;

use event_core::{Checkpoint, DecodedEvent, EventSet, Position, ProjectionError, Recorded};

use crate::{
    BusError, EventLog,
    fold::{self, EVENTS_PER_READ},
};

/// A set of projections of the same event log, each a field of a struct. The log is read once for all of them.
/// [`projection_set!`](crate::projection_set) declares such a struct.
pub trait ProjectionSet: Default {
    /// Name and version of each projection, in the order of the fields.
    const PROJECTIONS: &'static [(&'static str, u32)];

    /// The type of the log's decoded events, of which each projection folds some.
    type Events: EventSet;

    /// Returns the last position that every projection has folded: the minimum of their positions.
    fn position(&self) -> Position;

    /// Folds an event into every projection that has not folded it yet.
    ///
    /// # Errors
    /// [`ProjectionError`] of the first projection that fails; the set must then be rebuilt.
    fn advance(&mut self, event: &Recorded) -> Result<(), ProjectionError> {
        self.advance_decoded(&DecodedEvent::new(event))
    }

    /// Folds an event as [`ProjectionSet::advance`] does. It is decoded at most once for all projections.
    ///
    /// # Errors
    /// Those of [`ProjectionSet::advance`].
    fn advance_decoded(&mut self, event: &DecodedEvent<'_, Self::Events>) -> Result<(), ProjectionError>;

    /// Encodes the state of each projection as a checkpoint. Returns the checkpoints with the names of their
    /// projections.
    ///
    /// # Errors
    /// [`BusError::Checkpoint`] if an encoded state exceeds 256 MiB.
    fn checkpoints(&self) -> Result<Vec<(&'static str, Checkpoint)>, BusError>;

    /// Resumes each projection from its own checkpoint, which `load` returns for the name of the projection. One
    /// without a usable checkpoint starts at the origin; the others start at the position of theirs. `head` is the last
    /// position of the log.
    ///
    /// # Errors
    /// The errors of `load`.
    fn resume<E>(head: Position, load: impl FnMut(&'static str) -> Result<Option<Checkpoint>, E>) -> Result<Self, E>;
}

/// Folds a set of projections up to the head of a log, each from its own checkpoint. Reads the log once, from the
/// earliest of their positions. Saves no checkpoint.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read, [`BusError::Projection`] if an event cannot be decoded.
pub fn fold_all<S: ProjectionSet>(log: &dyn EventLog) -> Result<S, BusError> {
    let mut set: S = resume_all(log)?;
    advance_all(log, &mut set, |set, event| Ok(set.advance_decoded(event).map_err(Arc::new)?))?;
    Ok(set)
}

/// Loads a set of projections from their checkpoints, as [`fold_all`] does, and folds no event.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read.
pub fn resume_all<S: ProjectionSet>(log: &dyn EventLog) -> Result<S, BusError> {
    let head = log.head()?;
    Ok(S::resume(head, |name| fold::load_checkpoint(log, name))?)
}

/// Calls `advance` with every event after the position of a set of projections, up to the head of the log. `advance`
/// folds the event into the set.
///
/// # Errors
/// [`BusError::Log`] if the log cannot be read; the errors of `advance`.
pub fn advance_all<S: ProjectionSet>(
    log: &dyn EventLog,
    set: &mut S,
    mut advance: impl FnMut(&mut S, &DecodedEvent<'_, S::Events>) -> Result<(), BusError>,
) -> Result<(), BusError> {
    loop {
        let events = log.read_after(set.position(), EVENTS_PER_READ)?;
        if events.is_empty() {
            return Ok(());
        }
        for event in &events {
            advance(set, &DecodedEvent::new(event))?;
        }
    }
}

/// Saves the state of each projection of a set as its checkpoint in the log.
///
/// # Errors
/// [`BusError::Checkpoint`] if an encoded state exceeds 256 MiB, [`BusError::Log`] if a checkpoint cannot be written.
pub fn save_all<S: ProjectionSet>(log: &dyn EventLog, set: &S) -> Result<(), BusError> {
    for (name, checkpoint) in set.checkpoints()? {
        fold::save_checkpoint(log, name, &checkpoint)?;
    }
    Ok(())
}

/// Declares a struct of projections and implements [`ProjectionSet`] for it. A projection is added by adding a field.
/// Raising the version of a projection discards its checkpoint only. The type after `folds` is [`Projection::Events`](event_core::Projection::Events) of
/// each projection.
///
/// ```
/// # use event_core::{Projection, Recorded};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Default, Serialize, Deserialize)]
/// # struct Events(u64);
/// # impl Projection for Events {
/// #     const NAME: &'static str = "acme.events";
/// #     const VERSION: u32 = 1;
/// #     type Events = ();
/// #     type Folded<'a> = ();
/// #     fn apply(&mut self, (): (), _: &Recorded) { self.0 += 1; }
/// # }
/// event_bus::projection_set! {
///     /// The state of the program.
///     pub struct State folds () {
///         /// Number of events.
///         pub events: Events,
///     }
/// }
/// ```
#[macro_export]
macro_rules! projection_set {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $set:ident folds $events:ty {
            $($(#[$field_meta:meta])* $field_visibility:vis $field:ident: $projection:ty,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Default, ::serde::Serialize)]
        $visibility struct $set {
            $($(#[$field_meta])* $field_visibility $field: ::event_core::Projected<$projection>,)+
        }

        impl $crate::ProjectionSet for $set {
            const PROJECTIONS: &'static [(&'static str, u32)] = &[$((
                <$projection as ::event_core::Projection>::NAME,
                <$projection as ::event_core::Projection>::VERSION,
            )),+];

            type Events = $events;

            fn position(&self) -> ::event_core::Position {
                [$(self.$field.position()),+].into_iter().min().unwrap_or_default()
            }

            fn advance_decoded(
                &mut self,
                event: &::event_core::DecodedEvent<'_, $events>,
            ) -> ::core::result::Result<(), ::event_core::ProjectionError> {
                $(self.$field.advance_decoded(event)?;)+
                Ok(())
            }

            fn checkpoints(
                &self,
            ) -> ::core::result::Result<Vec<(&'static str, ::event_core::Checkpoint)>, $crate::BusError> {
                Ok(vec![$($crate::named_checkpoint(&self.$field)?),+])
            }

            fn resume<E>(
                head: ::event_core::Position,
                mut load: impl FnMut(&'static str) -> ::core::result::Result<Option<::event_core::Checkpoint>, E>,
            ) -> ::core::result::Result<Self, E> {
                Ok(Self {
                    $($field: ::event_core::Projected::resume(
                        load(<$projection as ::event_core::Projection>::NAME)?.as_ref(),
                        head,
                    ),)+
                })
            }
        }
    };
}
