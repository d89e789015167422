//! Finds and reads the `SKILL.md` files of a workspace and of a user.
//!
//! [`applicable_roots`] lists the folders in which clients install skills. A [`SkillReader`] reads them
//! into a [`SkillSet`] and remembers every file, so that a second reading opens only files that have changed. A file that
//! has become invalid remains in use with its last valid content. Depth, number and length of files are limited, and
//! folders that contain themselves through links are visited once.

mod agents_files;
mod cache;
mod discover;
mod lint;
mod plugins;
mod reader;
mod roots;
mod stale;
mod stamp;
mod text_file;

pub use agents_files::read_agents_files;
pub use cache::CacheError;
pub use lint::lint_skills;
pub use plugins::plugin_roots;
pub use reader::{SkillReader, SkillSet};
pub use roots::{SkillRoot, applicable_roots, default_roots};
pub use stamp::{SETTLED, Stamp};
pub use text_file::{MAX_TEXT_BYTES, read_text_file};
