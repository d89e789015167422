//! Arguments of `replay`, `backtest`, `savings` and `cost`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use contracts::NanoUsd;

use crate::commands::Dimension;

/// The options that select the turns which a replay or a backtest reads.
#[derive(Debug, Args)]
pub(crate) struct RangeArguments {
    /// Only turns that started at this time or later: `2026-11-01`, `2026-11-01T12:30`, or `7d` for 7 days ago.
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<String>,
    /// Only turns that started before this time.
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<String>,
    /// Only turns of this session.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CostArguments {
    /// Only calls that ended at this time or later: `2026-11-01`, `2026-11-01T12:30`, or `7d` for 7 days ago.
    #[arg(long, value_name = "TIME", conflicts_with = "session")]
    pub(crate) from: Option<String>,
    /// Only calls that ended before this time.
    #[arg(long, value_name = "TIME", conflicts_with = "session")]
    pub(crate) to: Option<String>,
    /// Print every group of one dimension instead of the overview, or every combination: `--by project,week`.
    #[arg(long, value_name = "DIMENSION", value_delimiter = ',', conflicts_with = "session")]
    pub(crate) by: Vec<Dimension>,
    /// Compare each month at API prices with a subscription that costs this many dollars a month.
    #[arg(long, value_name = "USD", conflicts_with_all = ["session", "by"])]
    pub(crate) plan: Option<NanoUsd>,
    /// Only one session, by thread and model: its id, or `last`.
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BacktestArguments {
    /// The policies to evaluate; several are ranked by cost [default: the active policy].
    #[arg(long, value_name = "FILE", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub(crate) policy: Vec<PathBuf>,
    /// The baseline: a policy file, or `recorded` for the models that the turns ran on.
    #[arg(long, value_name = "FILE|recorded", default_value = "recorded", value_hint = ValueHint::FilePath)]
    pub(crate) against: String,
    /// Evaluate several values of a number in the policy: `pattern.cost_weight=0:0.3:0.05`.
    #[arg(long, value_name = "NUMBER=FROM:TO:STEP")]
    pub(crate) sweep: Option<what_if::Sweep>,
    #[command(flatten)]
    pub(crate) range: RangeArguments,
    /// Print every turn, not only those with another model.
    #[arg(long)]
    pub(crate) all: bool,
    /// Print comma-separated values, one line for each turn and policy.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    /// Write a self-contained HTML report with charts.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) html: Option<PathBuf>,
}
