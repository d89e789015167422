//! Live turns: requests as they arrive, several at once, each turn decided once and locked to its model.
//!
//! Nothing here waits for the disk. A caller that informs a client calls [`Engine::commit`] first.

mod abandoned;
mod arrival;
mod calls;
mod fallback;
mod recover;
mod turn_counts;

pub use calls::{Call, CallFailure, CallResponse, ToolRequest, ToolResult};
pub(crate) use turn_counts::TurnCounts;
