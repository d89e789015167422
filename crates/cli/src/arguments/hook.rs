//! Arguments of `hook`.

use clap::Subcommand;

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum HookCommand {
    /// Print which skill fits the message that the user submits, and why; nothing if it is unclear or after an error.
    PromptSubmit {
        /// Print nothing if the user's own settings of Claude Code have the hook too, so that one message has one suggestion
        #[arg(long)]
        project: bool,
    },
}
