//! Layouts that are no longer written, and how they are read as the ones of today.

mod evaluation;
mod llm;
mod session;
mod tool;
mod turn;

pub use evaluation::EvalCompletedV1;
pub use llm::{LlmCallCompletedV1, LlmCallFailedV1};
pub use session::SessionCompactedV1;
pub use tool::ToolCalledV1;
pub use turn::{FeaturesV1, TurnStartedV1, TurnStartedV2};
