//! Arguments of `hook`.

use clap::Subcommand;

#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum HookCommand {
    /// Print which skill fits the message that the user submits, and why; nothing if it is unclear or after an error.
    PromptSubmit,
}
