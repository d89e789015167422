//! Events for tests. A test states the fields it is about, with struct update syntax; all others are absent or zero.
//! `sample()` of an event type is the opposite: every field has a typical value.

mod bodies;
mod envelope;

pub use bodies::{call_completed, call_failed, route_overridden, tool_called, turn_scored, turn_started};
pub use envelope::{new_event, recorded, turn_event};
