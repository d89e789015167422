//! What the command line says.

use std::path::PathBuf;

use clap::Parser;

/// Measures how well the pattern store chooses models.
#[derive(Debug, Parser)]
#[command(name = "quality")]
pub(crate) struct Arguments {
    /// A folder of `*.jsonl.gz`: prompts with the score and the cost of each model.
    pub(crate) folder: PathBuf,
    /// Print everything that was measured as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// A part of the past and of the questions, without the textbook methods.
    #[arg(long)]
    pub(crate) reduced: bool,
}
