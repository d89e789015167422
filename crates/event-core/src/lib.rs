//! Event envelope, codec and projections: everything that a third party needs to read the log.
//!
//! The log is an append-only sequence of events. An [`EventType`] is a typed event, and an [`EventSet`] the enum of several. A [`NewEvent`] is an event encoded for the
//! log. Its [`Payload`] is shared by all copies. A [`Recorded`] event also has the [`Position`] and time that the log
//! assigned. A [`Projection`] folds the kinds of its [`EventSubset`] into state, and [`Projected`] contains that state with
//! the last folded position. A [`DecodedEvent`] is decoded once for several projections.
#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a pure crate: time, ids and randomness are arguments"
)]

mod codec;
mod decoded;
mod event;
mod event_set;
mod hex;
mod id;
mod payload;
mod position;
mod projection;
mod time;

pub use codec::{CodecError, MAX_PAYLOAD_BYTES, decode, decode_state, encode, encode_state};
pub use decoded::DecodedEvent;
pub use event::{EventType, NewEvent, Recorded, upcast};
pub use event_set::{EventSet, EventSubset};
pub use hex::{Hex, parse_hex};
pub use id::{EventId, ParseIdError};
pub use payload::Payload;
pub use position::Position;
pub use projection::{Checkpoint, Projected, Projection, ProjectionError};
pub use time::Timestamp;
