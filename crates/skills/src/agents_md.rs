//! The POLICY layer: rows of AGENTS.md that map a task to a skill (003 Hard Rules 2 to 4).
//!
//! The text of an AGENTS.md is parsed into [`AgentsMd`]: rows that name a skill, the technologies of its Stack table, and
//! skills that it forbids. [`AgentsFiles`] finds the rows that match a request, in the file nearest to each edited path.

mod files;
mod parse;
mod phrase;
mod table;
mod task;

pub use files::{AgentsFile, AgentsFiles, PolicyMatch, PolicyRow};
pub use parse::{AgentsMd, ForbiddenSkill, SkillRow};
