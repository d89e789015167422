//! Arguments of `events`.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Show the latest events.
    Tail {
        /// The number of events.
        #[arg(short, default_value_t = 20)]
        number: usize,
        /// Keep printing events as they are appended.
        #[arg(short, long)]
        follow: bool,
        /// Only events whose kind starts with this, such as `route.`.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Show one event with all its fields.
    Show {
        /// The position or the id of the event.
        event: String,
    },
    /// Export the log as JSON Lines without loss.
    Export {
        /// The file [default: standard output].
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Only events after this position.
        #[arg(long, default_value_t = 0)]
        after: u64,
    },
    /// Import JSON Lines into an empty log, or lines that continue the log.
    Import {
        /// The file; `-` for standard input.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Accept lines without a hash chain, as other tools write them.
        #[arg(long)]
        without_chain: bool,
    },
    /// Verify every frame, the hash chain, the index and the texts, and rebuild every projection.
    Verify,
    /// Remove the text of messages. Decisions, calls and costs stay, and the hash chain stays valid.
    Purge {
        /// Remove the text of messages, in the log and in the files beside it.
        #[arg(long, required = true)]
        text: bool,
        /// Only text written before a time: `2026-11-01`, `2026-11-01T12:30`, or `30d` for 30 days ago.
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        /// Only the messages of a session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Remove it; this cannot be undone. Without this option, only the plan is printed.
        #[arg(long)]
        yes: bool,
    },
    /// Remove the contents of old sessions. Their decisions and costs stay as totals, and the hash chain stays valid.
    Retain {
        /// Sessions whose last event is before a time: `2026-11-01`, `2026-11-01T12:30`, or `90d` for 90 days ago.
        #[arg(long, value_name = "TIME", required_unless_present = "max_size")]
        before: Option<String>,
        /// The oldest sessions, until the log has about this size: `500MB`, `2GB`.
        #[arg(long, value_name = "SIZE")]
        max_size: Option<String>,
        /// Remove them; this cannot be undone. Without this option, only the plan is printed.
        #[arg(long)]
        yes: bool,
    },
    /// Show which damage the log has and what a repair would save.
    Repair {
        /// Repair the log; the old files are kept. Without this option, only the plan is printed.
        #[arg(long)]
        yes: bool,
    },
}
