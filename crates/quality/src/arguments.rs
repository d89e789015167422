//! The command-line arguments of `quality`.

use std::path::PathBuf;

use clap::Parser;

/// Measures how well the pattern store routes prompts to models, or how well skills are ranked.
#[derive(Debug, Parser)]
#[command(name = "quality")]
pub(crate) struct Arguments {
    /// Folder of `*.jsonl.gz` files: prompts with the score and the cost of each model. With `--skills`, folder of
    /// `*.jsonl` files: skills, and requests with the skill of each.
    pub(crate) folder: PathBuf,
    /// Print all measurements as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    /// Measure a sample of the training and test turns only, without the baseline methods.
    #[arg(long)]
    pub(crate) reduced: bool,
    /// Measure the ranking of skills.
    #[arg(long)]
    pub(crate) skills: bool,
    /// Folder of folders with `skills/*/SKILL.md` and the authors' labelled requests in `cases.jsonl`.
    #[arg(long, requires = "skills")]
    pub(crate) cases: Option<PathBuf>,
}
