//! What can be typed about the past made again, and about other policies.

use std::path::PathBuf;

use clap::{Args, ValueHint};

/// Which turns are asked about.
#[derive(Debug, Args)]
pub(crate) struct RangeArguments {
    /// Only turns that started then or later: `2026-11-01`, `2026-11-01T12:30`, or `7d` for so long ago.
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Only turns that started before then.
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
    /// Only turns of this session.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BacktestArguments {
    /// The policies to try; several are ranked by what they cost. The policy active when omitted.
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub(crate) policy: Vec<PathBuf>,
    /// What to compare with: another policy file, or `recorded`, the models that really ran.
    #[arg(long, value_name = "FILE|recorded", default_value = "recorded", value_hint = ValueHint::FilePath)]
    pub(crate) against: String,
    /// Try a number of the policy at several values: `pattern.cost_weight=0:0.3:0.05`.
    #[arg(long, value_name = "NUMBER=FROM:TO:STEP")]
    pub(crate) sweep: Option<what_if::Sweep>,
    #[command(flatten)]
    pub(crate) range: RangeArguments,
    /// Print every turn, not only those that change model.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print comma-separated values, a line for each turn and policy.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write a report with charts into a file that needs nothing beside it.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
}
