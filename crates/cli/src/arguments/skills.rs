//! Arguments of `skills`, `triggers` and `cases`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

/// The files from which skills are loaded.
#[derive(Debug, Args)]
pub(crate) struct SkillPlaces {
    /// The workspace [default: the current folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) workspace: Option<PathBuf>,
    /// Read only this folder of skills, or this skill; can be repeated [default: `skills.dirs` of the policy, or else those of
    /// the workspace, the user and the plugins of Claude Code].
    #[arg(long = "dir", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) dirs: Vec<PathBuf>,
    /// A Markdown file with a trigger table [default: `skills.triggers` of the policy].
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) table: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SkillsCommand {
    /// List the skills of the workspace and the user.
    List {
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// Check SKILL.md files and the trigger table: errors, warnings and, with --all, recommendations for authors.
    Lint {
        #[command(flatten)]
        places: SkillPlaces,
        /// Also print recommendations.
        #[arg(long)]
        all: bool,
        /// Exit with 1 if there are warnings.
        #[arg(long)]
        strict: bool,
    },
    /// Show the metadata of a skill and the findings about its file.
    Show {
        /// The name of the skill.
        name: String,
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// Show which skills a message would load and why, without loading or recording anything.
    Explain(Box<ExplainArguments>),
    /// List the recorded skill decisions, oldest first.
    Log {
        /// Print Markdown, YAML or JSON Lines instead of a table.
        #[arg(long, value_name = "FORMAT")]
        format: Option<RoutingLogFormat>,
        /// The number of decisions [default: 20 in the table, all in other formats].
        #[arg(short, value_name = "N")]
        number: Option<usize>,
        /// Only decisions of this workspace [default: all].
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        workspace: Option<PathBuf>,
    },
    /// Compare the recorded decisions with the skills that were needed: precision, missed and unnecessary skills, targets.
    Telemetry {
        /// Only decisions of this workspace [default: all].
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        workspace: Option<PathBuf>,
    },
    /// Compare thresholds for the model that is asked which skill fits, and recommend one. Nothing is changed.
    Calibrate {
        /// Only decisions of this workspace [default: all].
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        workspace: Option<PathBuf>,
    },
    /// Find recorded messages that the keywords do not cover, and the words to add.
    Gaps {
        /// Only decisions of this workspace [default: all].
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        workspace: Option<PathBuf>,
    },
    /// Find anti-patterns in the recorded decisions of the workspace and in its trigger table.
    Audit {
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// Show the phase of the workspace's routing, and whether the recorded decisions recommend the next one.
    Scaling {
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// State which skill a recorded decision should have loaded. The last statement about a decision counts.
    Corrected {
        /// The id of a turn or a decision, or the start of one, or `last`.
        #[arg(value_name = "TURN")]
        turn: String,
        /// The skill that would have been right; `none` if no skill.
        #[arg(value_name = "SKILL|none")]
        skill: String,
    },
}

/// A format of the routing log.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum RoutingLogFormat {
    /// A Markdown table.
    Md,
    /// A YAML document for each decision.
    Yaml,
    /// A JSON object for each decision, on a line of its own.
    Jsonl,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The message.
    pub(crate) message: String,
    /// A file of the task, relative to the workspace; can be repeated.
    #[arg(long = "file", value_name = "PATH")]
    pub(crate) files: Vec<String>,
    /// A command of the task, such as `npm run migrate`; can be repeated.
    #[arg(long = "command", value_name = "COMMAND")]
    pub(crate) commands: Vec<String>,
    /// The criticality of the task: C1, C2, C3 or C4.
    #[arg(long, value_name = "LEVEL")]
    pub(crate) criticality: Option<String>,
    /// The skill of the previous message.
    #[arg(long, value_name = "SKILL")]
    pub(crate) prior: Option<String>,
    /// Nobody can answer a question, as in a script.
    #[arg(long)]
    pub(crate) batch: bool,
    #[command(flatten)]
    pub(crate) places: SkillPlaces,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TriggersCommand {
    /// Show the rows of the trigger table in the order of their priority.
    Show {
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// List keywords that several skills have.
    Collisions {
        #[command(flatten)]
        places: SkillPlaces,
    },
    /// Show how decisions about the recorded messages, and about labelled ones, would change with a new keyword.
    Add {
        /// The skill.
        skill: String,
        /// The keyword.
        keyword: String,
        /// Change nothing, which is required: the table is yours to edit.
        #[arg(long, required = true)]
        dry_run: bool,
        /// Labelled requests on which the keyword is tried as well.
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        cases: Option<PathBuf>,
        #[command(flatten)]
        places: SkillPlaces,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum CasesCommand {
    /// Decide labelled requests and compare the skills with the labels.
    Run(Box<CasesArguments>),
}

#[derive(Debug, Args)]
pub(crate) struct CasesArguments {
    /// JSON Lines with `prompt`, `expected_skills` and `acceptable_skills`, or an array of `query` and `should_trigger`.
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
    /// The skill that an array of queries is about.
    #[arg(long, value_name = "NAME")]
    pub(crate) skill: Option<String>,
    /// Exit with 1 if fewer loaded skills are right, in percent.
    #[arg(long, value_name = "PERCENT")]
    pub(crate) min_precision: Option<u64>,
    /// Exit with 1 if more cases lack a skill, in percent.
    #[arg(long, value_name = "PERCENT")]
    pub(crate) max_missed: Option<u64>,
    /// Exit with 1 if more cases that need no skill load one, in percent.
    #[arg(long, value_name = "PERCENT")]
    pub(crate) max_false_positives: Option<u64>,
    #[command(flatten)]
    pub(crate) places: SkillPlaces,
}
