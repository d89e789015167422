//! Arguments of `feedback` and `patterns`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// The rating; the last one of a turn counts.
    pub(crate) rating: RatingChoice,
    /// The id of a turn or the start of one, or `last`.
    #[arg(default_value = "last", value_name = "TURN")]
    pub(crate) turn: String,
}

/// A rating on the command line.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum RatingChoice {
    /// The turn went well.
    Up,
    /// The turn went badly.
    Down,
}

impl From<RatingChoice> for contracts::events::Rating {
    fn from(choice: RatingChoice) -> Self {
        match choice {
            RatingChoice::Up => Self::Up,
            RatingChoice::Down => Self::Down,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PatternsCommand {
    /// Show how many turns were learned, by workspace.
    Status,
    /// Show the success and cost of each model in a workspace, and the latest outcomes.
    Inspect {
        #[command(flatten)]
        workspace: WorkspaceArgument,
        /// The number of outcomes.
        #[arg(short, default_value_t = 10)]
        number: usize,
    },
    /// Show the similar turns behind a recommendation, how much each contributed, and what would change it.
    Explain {
        /// The id of a turn or the start of one, or `last`.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
        /// The number of turns for each model.
        #[arg(short, default_value_t = 5)]
        number: usize,
    },
    /// Clear the patterns of a workspace. The events stay in the log; later turns are learned again.
    Clear {
        #[command(flatten)]
        workspace: WorkspaceArgument,
        /// Clear the patterns of every workspace.
        #[arg(long, conflicts_with = "workspace")]
        all: bool,
        /// Clear them. Without this option, only the count is printed.
        #[arg(long)]
        yes: bool,
    },
    /// Embed the messages of the log with the embedder that `embedding` in routing.yaml names.
    Embed,
    /// Judge every turn of the log again, under the built-in rubric or your own.
    Evaluate {
        /// A rubric in a YAML file [default: the built-in rubric].
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        rubric: Option<PathBuf>,
    },
}

/// The option that selects the workspace whose patterns a command reads or changes.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgument {
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
}
