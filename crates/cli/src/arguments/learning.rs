//! What can be typed about what was learned, and about how turns went.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// How it went; the last rating on a turn counts.
    pub(crate) rating: RatingChoice,
    /// `last`, or the id of a turn or the start of one.
    #[arg(default_value = "last", value_name = "TURN")]
    pub(crate) turn: String,
}

/// A rating as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum RatingChoice {
    /// It went well.
    Up,
    /// It went badly.
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
    /// Show how much was learned, by workspace.
    Status,
    /// Show what is known about each model in a workspace, and the latest outcomes.
    Inspect {
        #[command(flatten)]
        workspace: WorkspaceArgument,
        /// How many outcomes.
        #[arg(short, default_value_t = 10)]
        number: usize,
    },
    /// Show which turns a decision was compared with, what each contributed, and what would change the choice.
    Explain {
        /// `last`, or the id of a turn or the start of one.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
        /// How many turns for each model.
        #[arg(short, default_value_t = 5)]
        number: usize,
    },
    /// Forget what was learned in a workspace. The events stay, and turns from now on are learned as before.
    Clear {
        #[command(flatten)]
        workspace: WorkspaceArgument,
        /// Forget it in every workspace.
        #[arg(long, conflicts_with = "workspace")]
        all: bool,
        /// Act.
        #[arg(long)]
        yes: bool,
    },
    /// Put the messages of the log into numbers by the embedder that `embedding` in routing.yaml names.
    Embed,
    /// Judge every turn of the log anew, under the built-in rubric or one of your own.
    Evaluate {
        /// A rubric in YAML.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        rubric: Option<PathBuf>,
    },
}

/// Which workspace is asked about.
#[derive(Debug, Args)]
pub(crate) struct WorkspaceArgument {
    /// The workspace; the current folder when omitted.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
}
