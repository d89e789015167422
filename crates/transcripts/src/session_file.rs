//! Finds session files of other clients and reads them line by line as turns, for all formats.
//!
//! All formats are JSON Lines files that only grow. [`discover`] finds files, [`SessionReader`] reads one; a line that
//! cannot be used is reported as an [`Issue`] and does not affect others. A [`Format`] interprets the lines:
//! [`claude_code`](crate::claude_code), [`codex`](crate::codex) and [`openai_log`](crate::openai_log).

mod by_start;
mod discover;
mod file_effects;
mod last_line;
mod lenient;
mod lines;
mod outcome;
mod parts;
mod path_features;
mod reader;
mod shell;
mod time;

pub use by_start::TurnsByStart;
pub use discover::{DiscoverError, Search, SessionFile, discover};
pub use lines::MAX_LINE_BYTES;
pub use outcome::{Issue, Skipped};
pub use reader::{Format, OpenError, SessionReader};

pub(crate) use file_effects::FileEffects;
pub(crate) use last_line::LastLine;
pub(crate) use lenient::{Flag, Text, lenient, skip_list, skip_object};
pub(crate) use outcome::describe_json_error;
pub(crate) use parts::{Part, Parts};
pub(crate) use path_features::PathFeatures;
pub(crate) use shell::add_reverts;
pub(crate) use time::{parse_json_time, parse_rfc3339};
