//! Event envelope, codec and projections: everything that a third party needs to read the log.
//!
//! An [`EventType`] is a typed event. A [`NewEvent`] is that event encoded for the log, and [`Sealed`] is a new event
//! together with its value. Its [`Payload`] is shared by all copies. A [`Recorded`] event also has the [`Position`] and
//! time that the log assigned. A [`Projection`] folds recorded events into state, and [`Projected`] contains that state
//! with the last folded position.
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
