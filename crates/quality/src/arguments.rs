//! The command-line arguments of `quality`.

use std::path::PathBuf;

use clap::Parser;

/// Measures how well the pattern store routes prompts to models.
#[derive(Debug, Parser)]
#[command(name = "quality")]
pub(crate) struct Arguments {
    /// Folder of `*.jsonl.gz` files: prompts with the score and the cost of each model.
    pub(crate) folder: PathBuf,
    /// Print all measurements as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Measure a sample of the training and test turns only, without the baseline methods.
    #[arg(long)]
    pub(crate) reduced: bool,
}
