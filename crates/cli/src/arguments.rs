//! What can be typed.

mod events;
mod gateway;
mod learning;
mod what_if;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueHint};

pub(crate) use events::EventsCommand;
pub(crate) use gateway::{ServeArguments, TokenCommand};
pub(crate) use learning::{FeedbackArguments, PatternsCommand, WorkspaceArgument};
pub(crate) use what_if::{BacktestArguments, RangeArguments};

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
        /// The session; the latest one of the log when omitted.
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
    /// Run the gateway: coding agents and SDKs point at it, and every turn is routed.
    Serve(ServeArguments),
    /// Watch turns as they are decided, what they cost and who is out, until Ctrl-C.
    Watch {
        /// How many turns to show.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
        turns: usize,
    },
    /// Manage the tokens that clients of the gateway bring.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Run the main job on a bundled session, with a log in a temporary folder.
    Demo,
    /// Print a completion script for a shell.
    Completions { shell: clap_complete::Shell },
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
    /// The workspace; the current folder when omitted.
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
        /// The file; the policy active when omitted.
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
        /// A folder or a file; ~/.claude/projects when omitted.
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
    },
    /// Codex's own session files.
    Codex {
        /// A folder or a file; `sessions` in `$CODEX_HOME` or ~/.codex when omitted.
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
