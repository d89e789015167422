//! Live turns: handles requests as they arrive. Several turns may run at once; each is decided once and locked to its
//! model.
//!
//! No function of this module waits for the disk. Before a caller informs its client, it calls
//! [`Engine::commit`](crate::Engine::commit).

mod abandoned;
mod arrival;
mod calls;
mod fallback;
mod recover;
mod turn_counts;

pub use calls::{Call, CallFailure, ToolResult};
pub(crate) use turn_counts::TurnCounts;
