//! Live turns: requests as they arrive, several at once, each turn decided once and locked to its model.
//!
//! Nothing here waits for the disk. A caller that informs a client calls [`Engine::commit`] first.

mod abandoned;
mod arrival;
mod attempts;
mod calls;
mod fall;
mod recover;

pub(crate) use attempts::Attempts;
pub use calls::{Call, CallAnswer, CallFailure, ToolAnswer, ToolRequest};
