//! Limits of a `SKILL.md`. Lengths marked "specification" are those of Agent Skills (agentskills.io).

/// The maximum length of a `SKILL.md` in bytes: 1 MiB, eight times the longest that is known to be in use.
pub const MAX_MANIFEST_BYTES: usize = 1024 * 1024;
/// The maximum length of front matter in bytes.
pub(super) const MAX_FRONT_MATTER_BYTES: usize = 64 * 1024;
/// The maximum nesting of lists and mappings in front matter.
pub(super) const MAX_DEPTH: usize = 16;
/// The maximum number of characters of a name (specification).
pub(super) const MAX_NAME_CHARACTERS: usize = 64;
/// The maximum number of characters of a description (specification).
pub(super) const MAX_DESCRIPTION_CHARACTERS: usize = 1024;
/// The maximum number of keywords, patterns or tags of a skill.
pub(super) const MAX_VALUES: usize = 256;
/// The maximum length of a keyword, pattern or tag in bytes.
pub(super) const MAX_VALUE_BYTES: usize = 256;
/// The maximum number of wildcards and alternatives in a file pattern.
pub(super) const MAX_WILDCARDS: usize = 16;
/// The maximum length of a section about the use of a skill in bytes; a longer section is cut.
pub(super) const MAX_USE_CASE_BYTES: usize = 2048;
