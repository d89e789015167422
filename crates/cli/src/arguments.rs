//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};

const EXIT_CODES: &str = "\
Exit codes:
  0  done
  1  done, and the answer is no: a rule check, a test or a verification failed, a turn was refused
  2  not understood: wrong arguments, or a file of yours that cannot be used
  3  not done: the log is in use, damaged or full, a file cannot be read or written";

/// Every turn, the right model, and the reason why.
#[derive(Debug, Parser)]
#[command(name = "turnwise", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The folder of your policy, models and log.
    #[arg(long, global = true, env = "TURNWISE_HOME", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) home: Option<PathBuf>,
    /// The policy file, instead of routing.yaml in the home folder.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours; NO_COLOR is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Say more about what happens; twice for more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    pub(crate) fn write_global(self) {
        match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        }
        .write_global();
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a commented routing.yaml, and say what was found on this machine.
    Init {
        /// Replace a routing.yaml that is there.
        #[arg(long)]
        force: bool,
    },
    /// Decide a message without sending or recording it, and show the whole chain.
    Route(RouteArguments),
    /// Show why a turn got its model.
    Why {
        /// `last`, or the id of a turn or the start of one.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
    },
    /// Check, show or test the policy.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Set the model of a session, clear it with `-`, or `show` it with the last decision.
    Model {
        /// An alias or id of a model, `-`, or `show`.
        #[arg(value_name = "ALIAS|-|show", allow_hyphen_values = true)]
        choice: String,
        /// The session; the latest one of the log when left out.
        #[arg(long)]
        session: Option<String>,
    },
    /// List the models, or import prices and capabilities.
    Models {
        #[command(subcommand)]
        command: Option<ModelsCommand>,
    },
    /// Show which providers and models are available.
    Status,
    /// Show what was spent: by model, role and day, or for one session.
    Cost {
        /// A session, or `last`.
        #[arg(long)]
        session: Option<String>,
    },
    /// Say how a turn went: what you think of it outweighs all that was noticed.
    Feedback(FeedbackArguments),
    /// Look at what was learned from turns that are over, and manage it.
    #[command(subcommand)]
    Patterns(PatternsCommand),
    /// Make every recorded decision again from the log alone, and compare byte for byte.
    Replay(RangeArguments),
    /// What the recorded turns would have cost under other policies, and which would have changed model.
    Backtest(BacktestArguments),
    /// Bring in sessions that another client recorded, and decide every turn of them.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Look at the log, move it, check it, repair it.
    #[command(subcommand)]
    Events(EventsCommand),
    /// Run the main job on a bundled session, with a log in a temporary folder.
    Demo,
    /// Print a completion script for a shell.
    Completions { shell: clap_complete::Shell },
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// How it went; the last thumb on a turn counts.
    pub(crate) thumb: ThumbChoice,
    /// `last`, or the id of a turn or the start of one.
    #[arg(default_value = "last", value_name = "TURN")]
    pub(crate) turn: String,
}

/// A thumb as it is typed.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ThumbChoice {
    /// It went well.
    Up,
    /// It went badly.
    Down,
}

impl From<ThumbChoice> for contracts::facts::Thumb {
    fn from(choice: ThumbChoice) -> Self {
        match choice {
            ThumbChoice::Up => Self::Up,
            ThumbChoice::Down => Self::Down,
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
    /// Forget what was learned in a workspace. The facts stay, and turns from now on are learned as before.
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
    /// The workspace; the current folder when left out.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
}

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
    /// The policies to try; several are ranked by what they cost. The policy in force when left out.
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

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[expect(clippy::struct_excessive_bools, reason = "flags of a command line")]
pub(crate) struct RouteArguments {
    #[command(subcommand)]
    pub(crate) command: Option<RouteCommand>,
    /// The message, as you would send it; `@alias` in front names a model.
    #[arg(required_unless_present = "session")]
    pub(crate) message: Option<String>,
    /// Decide every turn of a session file instead.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "message")]
    pub(crate) session: Option<PathBuf>,
    /// The workspace; the current folder when left out.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
    /// The message has images.
    #[arg(long)]
    pub(crate) images: bool,
    /// The prompt defines tools.
    #[arg(long)]
    pub(crate) tools: bool,
    /// The prompt has a system part.
    #[arg(long)]
    pub(crate) system_prompt: bool,
    /// The answer must follow a schema.
    #[arg(long)]
    pub(crate) structured_output: bool,
    /// Tokens of the prompt before the message.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) tokens: u64,
    /// What kind of work it is, in a word of your own: turns of the same kind count as more alike.
    #[arg(long, value_name = "NAME")]
    pub(crate) workload: Option<String>,
    /// A tool was called earlier.
    #[arg(long)]
    pub(crate) tool_history: bool,
    /// A file extension that tools have touched, such as .sql; may be repeated.
    #[arg(long = "extension", value_name = "EXT")]
    pub(crate) extensions: Vec<String>,
    /// A skill that matches the message; may be repeated.
    #[arg(long = "skill", value_name = "NAME")]
    pub(crate) skills: Vec<String>,
    /// Continue this session of the log: its model and its history count.
    #[arg(long, value_name = "SESSION")]
    pub(crate) continue_session: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RouteCommand {
    /// Take the pattern store's suggestion for a turn.
    Override {
        /// `last`, or the id of a turn.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
    },
    /// Dismiss the pattern store's suggestion for a turn.
    Ignore {
        /// `last`, or the id of a turn.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Check a policy file: every error with its line, or ok.
    Check {
        /// The file; the policy in force when left out.
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
    },
    /// Show the rules in the order in which they are tried.
    Show,
    /// Try the policy on situations written in YAML, and compare what it decides.
    Test {
        /// The file of expectations.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print the JSON Schema of routing.yaml.
    Schema,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List them.
    List,
    /// Read a price list in LiteLLM's format into models.yaml.
    Import {
        /// The file, such as the one LiteLLM publishes.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Print the list that is built into this program instead.
        #[arg(long)]
        built_in: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Claude Code's own session files.
    ClaudeCode {
        /// A folder or a file; ~/.claude/projects when left out.
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
    },
    /// Codex's own session files.
    Codex {
        /// A folder or a file; `sessions` in `$CODEX_HOME` or ~/.codex when left out.
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
    },
    /// A log of chat completions: JSON Lines, each with a request and its response.
    OpenaiLog {
        /// The file, or a folder of such files.
        #[arg(value_hint = ValueHint::AnyPath)]
        file: PathBuf,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Show the latest facts.
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
    /// Show one fact with everything in it.
    Show {
        /// Its position or id.
        event: String,
    },
    /// Write the log as JSON Lines, loss-free.
    Export {
        /// The file; standard output when left out.
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Only facts after this position.
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
