//! Finds session files of other clients and reads them line by line as turns, for all formats.
//!
//! All formats are JSON Lines files that only grow. [`discover`] finds files, [`SessionReader`] reads one; a line that
//! cannot be used is reported as an [`Issue`] and does not affect others. A [`Format`] interprets the lines:
//! [`claude_code`](crate::claude_code), [`codex`](crate::codex) and [`openai_log`](crate::openai_log).

mod discover;
mod last;
mod lenient;
mod lines;
mod outcome;
mod parts;
mod places;
mod reader;
mod shell;
mod time;
mod touched;

pub use discover::{DiscoverError, Search, SessionFile, discover};
pub use lines::MAX_LINE_BYTES;
pub use outcome::{Issue, Skipped};
pub use reader::{Format, OpenError, SessionReader};

pub(crate) use last::Last;
pub(crate) use lenient::{Flag, Text, lenient, skip_list, skip_object};
pub(crate) use outcome::in_line;
pub(crate) use parts::{Part, Parts};
pub(crate) use places::Places;
pub(crate) use shell::add_taken_back;
pub(crate) use time::{in_json, in_text};
pub(crate) use touched::Touched;
