//! Development tasks: `cargo xtask ci` runs every check. Each command has a module of its own.
#![expect(clippy::print_stdout, reason = "a terminal program prints its results")]

mod arrows;
mod bench;
mod browser;
mod captures;
mod catalogue;
mod ci;
mod clients;
mod corpus;
mod crash;
mod demo;
mod deny;
mod docs;
mod failure;
mod first_hour;
mod fuzz;
mod http;
mod load;
mod models;
mod passed;
mod program;
mod quality;
mod reliability;
mod requirements;
mod sdks;
mod snapshot;
mod tidy;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use failure::Outcome;

// The command line of `cargo xtask`.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", about = "Checks, measurements and generated files of turnwise.")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

// One command; its doc comment is its help text.
#[derive(Debug, Subcommand)]
enum Task {
    /// Run every check, stopping at the first that fails.
    Ci {
        /// Continue after a failed check.
        #[arg(long)]
        keep_going: bool,
    },
    /// Check the dependencies between crates against the architecture.
    Arrows,
    /// Check rules that neither the compiler nor clippy checks: first lines, lengths, forbidden words, links,
    /// citations.
    Tidy,
    /// List the tests of every numbered statement of the specifications in docs/requirements.md.
    Requirements {
        /// Fail if it is out of date instead of writing it.
        #[arg(long)]
        check: bool,
    },
    /// Generate docs/events.md and docs/routing.schema.json from the code.
    Docs {
        /// Fail if they are out of date instead of writing them.
        #[arg(long)]
        check: bool,
    },
    /// Run all benchmarks and write the tables of docs/performance.md.
    Bench {
        /// Only the measurements of the log.
        #[arg(long)]
        log: bool,
        #[command(subcommand)]
        only: Option<Bench>,
    },
    /// Run the fault-injection suites of the log and write their counts to docs/reliability.md.
    Reliability {
        /// Run about twenty times as many cases.
        #[arg(long)]
        long: bool,
    },
    /// Kill a writer of the log at random moments and check the log.
    Crash {
        /// Number of kills.
        #[arg(long, default_value_t = 50)]
        rounds: u32,
        /// Seed of the random moments; taken from the clock and printed if omitted.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Fuzz every parser of external input (needs a nightly compiler; installs cargo-fuzz).
    Fuzz {
        /// Only this target.
        target: Option<String>,
        /// Duration of each target, in seconds.
        #[arg(long, default_value_t = 30)]
        seconds: u32,
    },
    /// Run the bus under two model checkers: every schedule within a bound, and random ones.
    Models,
    /// Import a folder of sessions twice, decide every turn, and compare the two logs.
    Corpus {
        /// A folder in the layout of ~/.claude/projects.
        dir: PathBuf,
    },
    /// Measure how well the pattern store chooses models, or how well skills are ranked, on public requests.
    Quality {
        /// A folder of `*.jsonl.gz`: prompts with the score and the cost of each model. With `--skills`, a folder of
        /// `*.jsonl`: skills, and requests with the skill of each.
        dir: PathBuf,
        /// Measure the ranking of skills.
        #[arg(long)]
        skills: bool,
        /// A folder of folders with `skills/*/SKILL.md` and labelled requests in `cases.jsonl`.
        #[arg(long, requires = "skills")]
        cases: Option<PathBuf>,
        /// Print all results as JSON.
        #[arg(long, conflicts_with = "write")]
        json: bool,
        /// Write the tables of docs/quality.md, or of docs/skill-quality.md with `--skills`.
        #[arg(long)]
        write: bool,
    },
    /// Install coding agents from npm and the Python index and run turns that use tools through the gateway.
    Clients {
        /// Only the clients whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Run the official Python SDKs against the gateway.
    Sdks {
        /// Only the checks whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Run against the mock provider itself.
        #[arg(long)]
        provider: bool,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Replay recorded requests of real clients through the gateway and compare them with what the provider receives.
    Captures {
        /// A folder of `*.json`, one request each.
        dir: PathBuf,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Send many streams through the gateway, compare the log with the responses, and kill the gateway during streams.
    Load {
        /// Number of streams.
        #[arg(long, default_value_t = 10_000)]
        streams: u64,
        /// Number of kills.
        #[arg(long, default_value_t = 3)]
        kills: usize,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Run what a new user does in the first hour, on recorded sessions, and send their messages through the gateway.
    FirstHour {
        /// A folder in the layout of ~/.claude/projects.
        dir: PathBuf,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Test the page of the gateway in a real browser (chromium; installs playwright-core from npm).
    Browser {
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
    /// Run the demo in an empty home.
    Demo,
    /// Review changed snapshots.
    Snapshot,
    /// Check licences, sources, bans and advisories of the dependencies.
    Deny,
    /// Generate the built-in list of models from a price list in `LiteLLM`'s format.
    Catalogue {
        /// The price list, for example `model_prices_and_context_window.json`.
        file: PathBuf,
    },
}

/// A benchmark that `cargo xtask bench` runs only when it is named.
#[derive(Debug, Subcommand)]
enum Bench {
    /// Measure the gateway in front of a mock provider.
    Gateway {
        /// Duration of each load, in seconds.
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
        /// Number of rounds of each load, directly and through the gateway alternating.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Write the table of docs/performance.md.
        #[arg(long)]
        write: bool,
        /// Skip the build.
        #[arg(long = "built")]
        skip_build: bool,
    },
}

/// Runs the requested task; prints an error to standard output and exits with status 1 if it fails.
fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a task with its arguments.
fn run(task: Task) -> Outcome {
    match task {
        Task::Ci { keep_going } => ci::run(keep_going),
        Task::Arrows => arrows::run(),
        Task::Tidy => tidy::run(),
        Task::Docs { check } => docs::run(check),
        Task::Requirements { check } => requirements::run(check),
        Task::Bench { only: Some(Bench::Gateway { seconds, rounds, write, skip_build }), .. } => {
            bench::gateway::run(bench::gateway::Effort { seconds, rounds }, write, skip_build)
        }
        Task::Bench { log: true, only: None } => bench::log(),
        Task::Bench { log: false, only: None } => bench::run(),
        Task::Reliability { long } => reliability::run(long),
        Task::Crash { rounds, seed } => crash::run(rounds, seed).map(drop),
        Task::Fuzz { target, seconds } => fuzz::run(seconds, target.as_deref()),
        Task::Models => models::run().map(drop),
        Task::Corpus { dir } => corpus::run(&dir).map(drop),
        Task::Quality { dir, skills: true, cases, json, write } => {
            quality::run_skills(&dir, cases.as_deref(), json, write)
        }
        Task::Quality { dir, skills: false, cases: _, json, write } => quality::run(&dir, json, write),
        Task::Clients { only, skip_build } => clients::run(only.as_deref().unwrap_or_default(), skip_build).map(drop),
        Task::Sdks { only, provider, skip_build } => sdks::run(only.as_deref(), provider, skip_build).map(drop),
        Task::Captures { dir, skip_build } => captures::run(&dir, skip_build).map(drop),
        Task::Load { streams, kills, skip_build } => load::run(streams, kills, skip_build).map(drop),
        Task::FirstHour { dir, skip_build } => first_hour::run(&dir, skip_build).map(drop),
        Task::Browser { skip_build } => browser::run(skip_build).map(drop),
        Task::Demo => demo::run(),
        Task::Snapshot => snapshot::run(),
        Task::Deny => deny::run().map(drop),
        Task::Catalogue { file } => catalogue::run(&file),
    }
}
