//! The envelope of an event, its codec, and projections: everything a third party needs to read the log.
//!
//! An [`EventType`] is a typed event. A [`NewEvent`] is that event sealed for the log ([`Sealed`] with its value beside), its bytes a
//! [`Payload`] that all copies share; a [`Recorded`] is the same event with the [`Position`] and time the log gave it. A
//! [`Projection`] folds recorded events into state, and [`Projected`] keeps that state together with the position it stands at.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod codec;
mod decoded;
mod event;
mod hex;
mod id;
mod payload;
mod position;
mod projection;
mod sealed;
mod time;

pub use codec::{CodecError, MAX_PAYLOAD_BYTES, decode, decode_state, encode, encode_state};
pub use decoded::Known;
pub use event::{EventType, NewEvent, Recorded, upcast};
pub use hex::Hex;
pub use id::{EventId, ParseIdError};
pub use payload::Payload;
pub use position::Position;
pub use projection::{Checkpoint, Projected, Projection, ProjectionError};
pub use sealed::Sealed;
pub use time::Timestamp;
