//! The command line interface: commands, options and help texts.

mod events;
mod gateway;
mod hook;
mod learning;
mod parse;
mod situation;
mod skills;
mod what_if;

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueHint};

pub(crate) use events::EventsCommand;
pub(crate) use gateway::{LogFormat, ProvidersCommand, ServeArguments, TokenCommand, TokenScope};
pub(crate) use hook::HookCommand;
pub(crate) use learning::{FeedbackArguments, PatternsCommand, WorkspaceArgument};
pub(crate) use parse::parse_process_arguments;
pub(crate) use situation::SituationArguments;
pub(crate) use skills::{
    CasesArguments, CasesCommand, ExplainArguments, RoutingLogFormat, SkillPlaces, SkillsCommand, TriggersCommand,
};
pub(crate) use what_if::{BacktestArguments, CostArguments, RangeArguments};

const EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  negative result: a check, test or verification failed, or a turn was refused
  2  invalid input: wrong arguments, or a configuration file with errors
  3  failure: the log is in use, damaged or full, or a file cannot be read or written";

/// Every turn, the right model, and the reason why.
#[derive(Debug, Parser)]
#[command(name = "turnwise", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// The home folder, which holds the policy, the models and the log [default: ~/.turnwise].
    #[arg(long, global = true, env = "TURNWISE_HOME", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) home: Option<PathBuf>,
    /// The policy file, instead of routing.yaml in the home folder.
    #[arg(long, global = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON instead of text.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The setting of `--color`: when the output has colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,
    /// Log more: once for info, twice for debug. `RUST_LOG` overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Also into files and pipes.
    Always,
    /// Nowhere.
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
    /// Write a routing.yaml for the keys, clients and sessions of this machine, and try its rules on the sessions.
    Init {
        /// Replace an existing routing.yaml, or with --claude-code another status line.
        #[arg(long)]
        force: bool,
        /// Install the status line and the hook for skills in the settings of Claude Code, and nothing else.
        #[arg(long)]
        claude_code: bool,
        /// Change `.claude/settings.json` of the project in the current folder, which gets the hook only.
        #[arg(long, requires = "claude_code")]
        project: bool,
        /// Remove the status line and the hook from the settings of Claude Code.
        #[arg(long, requires = "claude_code", conflicts_with = "force")]
        remove: bool,
    },
    /// Check policy, keys, clients, gateway, log and machine, and name the next step for each problem.
    Doctor {
        /// Send a request to each provider that has a key, to list its models.
        #[arg(long)]
        online: bool,
    },
    /// Show which model a message would get and why, without sending or recording it.
    Route(Box<RouteArguments>),
    /// Explain the decision of a turn: the chain of policies with every reason. Or list the turns of a session.
    Why {
        /// The id of a turn or a session, or the start of one; `last` is the latest turn of a main conversation.
        #[arg(default_value = "last", value_name = "TURN|SESSION")]
        turn: String,
    },
    /// List sessions, the latest first.
    Sessions {
        /// The number of sessions.
        #[arg(short, default_value_t = 20)]
        number: usize,
    },
    /// Check, show or test the policy.
    #[command(subcommand)]
    Rules(RulesCommand),
    /// Set, clear or show the model of a session.
    Model {
        /// The alias or id of a model; `-` clears the model, `show` shows it with the last decision.
        #[arg(value_name = "ALIAS|-|show", allow_hyphen_values = true)]
        choice: String,
        /// The session [default: the one with the latest event].
        #[arg(long)]
        session: Option<String>,
    },
    /// List the models, or import prices and capabilities of models.
    Models {
        #[command(subcommand)]
        command: Option<ModelsCommand>,
    },
    /// Show which providers and models are available.
    Status,
    /// List the providers with their keys and outages, or end the outages of one.
    Providers {
        #[command(subcommand)]
        command: Option<ProvidersCommand>,
    },
    /// Show costs in a period: an overview, by one dimension, or of one session.
    Cost(CostArguments),
    /// Show what routing has saved against the models that the clients requested.
    Savings(RangeArguments),
    /// Rate a turn. Your rating outweighs everything else in the verdict on the turn.
    Feedback(FeedbackArguments),
    /// Show and manage the patterns learned from past turns.
    #[command(subcommand)]
    Patterns(PatternsCommand),
    /// List, check and explain the skills of a workspace, and report on the recorded decisions about them.
    #[command(subcommand)]
    Skills(SkillsCommand),
    /// Show the trigger table, its collisions, and the effect of a new keyword.
    #[command(subcommand)]
    Triggers(TriggersCommand),
    /// Decide labelled requests and compare the loaded skills with the labels.
    #[command(subcommand)]
    Cases(CasesCommand),
    /// Repeat every recorded decision from the log, and compare the results byte for byte.
    Replay(RangeArguments),
    /// Compute what the recorded turns would have cost under other policies, and which would have had another model.
    Backtest(BacktestArguments),
    /// Import sessions that another client recorded, and decide each of their turns.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Show, export, import, verify, purge and repair the event log.
    #[command(subcommand)]
    Events(EventsCommand),
    /// Run Claude Code through the gateway, which is started in the background if none runs.
    #[command(disable_help_flag = true)]
    Claude {
        /// The arguments of Claude Code; options that turnwise has too, such as `--json`, come after `--`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// Run Codex through the gateway, which is started in the background if none runs.
    #[command(disable_help_flag = true)]
    Codex {
        /// The arguments of Codex; after `--` also those that turnwise has, such as `--json`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
        arguments: Vec<OsString>,
    },
    /// Run the gateway, which routes the requests of coding agents and SDKs.
    Serve(ServeArguments),
    /// Print one line about a session of Claude Code, whose JSON is read from the standard input.
    #[command(name = "statusline")]
    StatusLine,
    /// Answer a hook of Claude Code, whose JSON is read from the standard input. Errors never end with exit code 2.
    #[command(subcommand)]
    Hook(HookCommand),
    /// Show turns, costs and outages as they happen, until Ctrl-C.
    Watch {
        /// The most turns to show; on a terminal no more than it has lines for.
        #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
        turns: usize,
    },
    /// Manage access tokens for clients of the gateway.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Import, decide and explain a bundled session, with a log in a temporary folder.
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
    /// The message; `@alias` at its start selects a model.
    #[arg(required_unless_present = "session")]
    pub(crate) message: Option<String>,
    /// Decide every turn of a Claude Code session file instead of a message.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "message")]
    pub(crate) session: Option<PathBuf>,
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
    /// The message contains images.
    #[arg(long)]
    pub(crate) images: bool,
    /// The prompt defines tools.
    #[arg(long)]
    pub(crate) tools: bool,
    /// The prompt has a system prompt.
    #[arg(long)]
    pub(crate) system_prompt: bool,
    /// The response must follow a JSON schema.
    #[arg(long)]
    pub(crate) structured_output: bool,
    /// The tokens of the prompt before the message.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) tokens: u64,
    /// A name for the kind of work; turns with the same name count as more similar.
    #[arg(long, value_name = "NAME")]
    pub(crate) workload: Option<String>,
    /// The session has tool calls already.
    #[arg(long)]
    pub(crate) tool_history: bool,
    /// The extension of a file that tools have read or written, such as .sql; can be repeated.
    #[arg(long = "extension", value_name = "EXT")]
    pub(crate) extensions: Vec<String>,
    /// A skill that matches the message; can be repeated.
    #[arg(long = "skill", value_name = "NAME")]
    pub(crate) skills: Vec<String>,
    /// Continue a session of the log, with its model and history.
    #[arg(long, value_name = "SESSION")]
    pub(crate) continue_session: Option<String>,
    #[command(flatten)]
    pub(crate) situation: SituationArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RouteCommand {
    /// Accept the suggestion of the pattern store for a turn: its model is used instead.
    Override {
        /// The id of a turn or the start of one, or `last`.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
    },
    /// Dismiss the suggestion of the pattern store for a turn.
    Ignore {
        /// The id of a turn or the start of one, or `last`.
        #[arg(default_value = "last", value_name = "TURN")]
        turn: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum RulesCommand {
    /// Check a policy file: list every error with its line, and warn about rules that cannot fire.
    Check {
        /// The policy file [default: the active policy].
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Exit with 1 if there are warnings.
        #[arg(long)]
        strict: bool,
    },
    /// Show the rules in the order in which they are evaluated.
    Show,
    /// Read the policy file again and show which policy is active. An edited file is also read at the next turn.
    Reload,
    /// Test the policy against expected decisions in a YAML file.
    Test {
        /// The YAML file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Print the JSON Schema of routing.yaml.
    Schema,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// List the models.
    List,
    /// Import a price list in LiteLLM's format into models.yaml.
    Import {
        /// The price list, such as the one LiteLLM publishes.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Print the entries for the list that is built into this program instead of importing.
        #[arg(long)]
        built_in: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Import session files of Claude Code.
    ClaudeCode {
        /// A folder or a file [default: ~/.claude/projects].
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
    },
    /// Import session files of Codex.
    Codex {
        /// A folder or a file [default: `sessions` in `$CODEX_HOME`, or in ~/.codex].
        #[arg(value_hint = ValueHint::AnyPath)]
        path: Option<PathBuf>,
    },
    /// Import a log of chat completions: JSON Lines, each with a request and its response.
    OpenaiLog {
        /// The file, or a folder of such files.
        #[arg(value_hint = ValueHint::AnyPath)]
        file: PathBuf,
    },
}
