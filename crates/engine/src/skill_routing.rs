//! Decides which skills a message loads, and records the decision before that about the model.
//!
//! [`SkillLibrary`] reads the skills of workspaces outside of the bus thread and returns them as [`PreparedSkills`]. The
//! engine decides with them and records the decision, so that it can be repeated from the log alone.

mod activation;
mod answer;
mod decide;
mod hook;
mod index_events;
mod kept;
mod library;
mod prepared;
mod question;
mod record;
mod repeat;
mod workspace_files;
mod workspace_skills;

pub use activation::MAX_FAILURE_BYTES;
pub use answer::SkillCallResult;
pub use decide::SkillDecision;
pub use hook::HookPrompt;
pub use library::SkillLibrary;
pub use prepared::{OfferedSkill, PreparedSkills};
pub use question::{MAX_REPLY_TOKENS, SkillAnswer, SkillModel, SkillQuestion};
pub use repeat::{SkillRepeatError, SkillReplay};
pub use workspace_skills::WorkspaceSkills;

pub(crate) use activation::FailedTool;
pub(crate) use record::{RoutedMessage, SkillRouting};
