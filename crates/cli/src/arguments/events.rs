//! What can be typed about the log.

use std::path::PathBuf;

use clap::{Subcommand, ValueHint};

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Show the latest events.
    Tail {
        /// How many.
        #[arg(short, default_value_t = 20)]
        number: usize,
        /// Wait for more.
        #[arg(short, long)]
        follow: bool,
        /// Only kinds that start like this, such as `route.`.
        #[arg(long, value_name = "KIND")]
        kind: Option<String>,
    },
    /// Show one event with everything in it.
    Show {
        /// Its position or id.
        event: String,
    },
    /// Write the log as JSON Lines, loss-free.
    Export {
        /// The file; standard output when omitted.
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Only events after this position.
        #[arg(long, default_value_t = 0)]
        after: u64,
    },
    /// Read JSON Lines into an empty log, or the rest of this one.
    Import {
        /// The file; standard input when it is `-`.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Take lines that carry no hash chain, as another tool writes them.
        #[arg(long)]
        without_chain: bool,
    },
    /// Walk everything: frames, chain, index, texts, and every projection rebuilt.
    Verify,
    /// Remove the text that users and models wrote; every decision about it stays, and the hash chain still holds.
    Purge {
        /// Remove text: the messages of turns, in the log and beside it.
        #[arg(long, required = true)]
        text: bool,
        /// Only what was written before a time: `2026-11-01`, `2026-11-01T12:30`, or `30d` for so long ago.
        #[arg(long, value_name = "TIME")]
        before: Option<String>,
        /// Only the messages of a session.
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Act. There is no way back.
        #[arg(long)]
        yes: bool,
    },
    /// Explain what is damaged and what can be saved; with --yes do it, keeping the old files.
    Repair {
        /// Act.
        #[arg(long)]
        yes: bool,
    },
}
