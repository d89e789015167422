//! Events about skills: the index that decisions read, the decisions, and what happened after them (000, 003).

mod index;
mod model_reply;
mod outcome;
mod question_sent;
mod routed;
mod wished;

pub use index::{SkillFileFinding, SkillIndexInvalid, SkillIndexed};
pub use model_reply::{SkillModelAsked, SkillModelReply};
pub use outcome::{SkillActivated, SkillClarificationRequested, SkillCorrected, SkillDeferred, SkillLoaded};
pub use question_sent::SkillQuestionSent;
pub use routed::{SkillInputs, SkillPromptRecorded, SkillReused, SkillRouted, SkillRoutingMode};
pub use wished::SkillWished;
