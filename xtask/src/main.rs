//! Automation: `cargo xtask ci` runs every check; each command has a file of its own here.
#![expect(clippy::print_stdout, reason = "a terminal program talks through its streams")]

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
mod fuzz;
mod http;
mod load;
mod models;
mod passed;
mod program;
mod quality;
mod reliability;
mod sdks;
mod snapshot;
mod tidy;
mod workspace;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use failure::Outcome;

#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", about = "Checks, measurements and generated files of turnwise.")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Run every check, stopping at the first that fails.
    Ci {
        /// Run the checks after a failed one too.
        #[arg(long)]
        keep_going: bool,
    },
    /// Check that crates depend only on what the architecture allows.
    Arrows,
    /// Check what neither the compiler nor clippy checks: openings, lengths, forbidden words, links.
    Tidy,
    /// Write docs/events.md and docs/routing.schema.json from the code.
    Docs {
        /// Fail when they are out of date instead of writing them.
        #[arg(long)]
        check: bool,
    },
    /// Run all benchmarks and write the tables of docs/performance.md.
    Bench {
        /// Only what the log costs.
        #[arg(long)]
        log: bool,
        #[command(subcommand)]
        only: Option<Bench>,
    },
    /// Run every suite that tries to break the log, and write what it counted to docs/reliability.md.
    Reliability {
        /// Try about twenty times as much.
        #[arg(long)]
        long: bool,
    },
    /// Kill a writer of the log at random moments and check what is left.
    Crash {
        /// How often.
        #[arg(long, default_value_t = 50)]
        rounds: u32,
        /// Of the random moments; the clock chooses one when omitted, and it is printed.
        #[arg(long)]
        seed: Option<u64>,
    },
    /// Fuzz everything that reads bytes from outside (nightly compiler; installs cargo-fuzz).
    Fuzz {
        /// Only this target.
        target: Option<String>,
        /// For how long each, in seconds.
        #[arg(long, default_value_t = 30)]
        seconds: u32,
    },
    /// Run the bus under two model checkers: its threads in every order within a bound, and in random ones.
    Models,
    /// Import a folder of real sessions twice, decide every turn, and compare the two logs.
    Corpus {
        /// A folder in the layout of ~/.claude/projects.
        dir: PathBuf,
    },
    /// Measure how well the pattern store chooses models, on public prompts with known outcomes.
    Quality {
        /// A folder of `*.jsonl.gz`: prompts with the score and the cost of each model.
        dir: PathBuf,
        /// Print everything that was measured as JSON.
        #[arg(long, conflicts_with = "write")]
        json: bool,
        /// Write the tables of docs/quality.md.
        #[arg(long)]
        write: bool,
    },
    /// Install Claude Code and Codex from npm and run turns that use tools through the gateway.
    Clients {
        /// Only the client whose name holds this.
        #[arg(long)]
        only: Option<String>,
        /// Run what was built before.
        #[arg(long)]
        built: bool,
    },
    /// Run the official Python SDKs against the gateway.
    Sdks {
        /// Only the checks whose name holds this.
        #[arg(long)]
        only: Option<String>,
        /// Against the mock provider itself instead.
        #[arg(long)]
        provider: bool,
        /// Run what was built before.
        #[arg(long)]
        built: bool,
    },
    /// Send recorded requests of real clients through the gateway, and compare what a provider gets.
    Captures {
        /// A folder of `*.json`, each a request.
        dir: PathBuf,
        /// Run what was built before.
        #[arg(long)]
        built: bool,
    },
    /// Put many streams through the gateway, compare the log with what was answered, and kill the gateway in mid-stream.
    Load {
        /// How many streams.
        #[arg(long, default_value_t = 10_000)]
        streams: u64,
        /// How often to kill it.
        #[arg(long, default_value_t = 3)]
        kills: usize,
        /// Run what was built before.
        #[arg(long)]
        built: bool,
    },
    /// Use the page of the gateway in a real browser (chromium; installs playwright-core from npm).
    Browser {
        /// Run what was built before.
        #[arg(long)]
        built: bool,
    },
    /// Run the bundled session in an empty home.
    Demo,
    /// Review changed snapshots.
    Snapshot,
    /// Check licences, sources, bans and advisories of the dependencies.
    Deny,
    /// Write the built-in list of models from a price list in `LiteLLM`'s format.
    Catalogue {
        /// The price list, such as `model_prices_and_context_window.json`.
        file: PathBuf,
    },
}

/// A benchmark that runs alone.
#[derive(Debug, Subcommand)]
enum Bench {
    /// What the gateway costs, before a mock provider.
    Gateway {
        /// How long each load is put on, in seconds.
        #[arg(long, default_value_t = 2.0)]
        seconds: f64,
        /// How often each load is put on, directly and through the gateway in turn.
        #[arg(long, default_value_t = 5)]
        rounds: usize,
        /// Write the table of docs/performance.md.
        #[arg(long)]
        write: bool,
        /// Measure what was built before.
        #[arg(long)]
        built: bool,
    },
}

fn main() -> ExitCode {
    match run(Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            println!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> Outcome {
    match task {
        Task::Ci { keep_going } => ci::run(keep_going),
        Task::Arrows => arrows::run(),
        Task::Tidy => tidy::run(),
        Task::Docs { check } => docs::run(check),
        Task::Bench { only: Some(Bench::Gateway { seconds, rounds, write, built }), .. } => {
            bench::gateway::run(bench::gateway::Effort { seconds, rounds }, write, built)
        }
        Task::Bench { log: true, only: None } => bench::log(),
        Task::Bench { log: false, only: None } => bench::run(),
        Task::Reliability { long } => reliability::run(long),
        Task::Crash { rounds, seed } => crash::run(rounds, seed).map(drop),
        Task::Fuzz { target, seconds } => fuzz::run(seconds, target.as_deref()),
        Task::Models => models::run().map(drop),
        Task::Corpus { dir } => corpus::run(&dir).map(drop),
        Task::Quality { dir, json, write } => quality::run(&dir, json, write),
        Task::Clients { only, built } => clients::run(only.as_deref().unwrap_or_default(), built).map(drop),
        Task::Sdks { only, provider, built } => sdks::run(only.as_deref(), provider, built).map(drop),
        Task::Captures { dir, built } => captures::run(&dir, built).map(drop),
        Task::Load { streams, kills, built } => load::run(streams, kills, built).map(drop),
        Task::Browser { built } => browser::run(built).map(drop),
        Task::Demo => demo::run(),
        Task::Snapshot => snapshot::run(),
        Task::Deny => deny::run().map(drop),
        Task::Catalogue { file } => catalogue::run(&file),
    }
}
