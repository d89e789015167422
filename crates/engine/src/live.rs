//! Turns as they come in over the wire: several at once, each decided once and locked, on the disk a moment later.
//!
//! Nothing here waits for the disk. Whoever tells a client something calls [`Engine::commit`] first.

mod abandoned;
mod arrival;
mod attempts;
mod calls;
mod fall;
mod recover;

pub(crate) use attempts::Attempts;
pub use calls::{Call, CallAnswer, CallFailure, ToolAnswer, ToolRequest};
