//! `mock-upstream`: the mock provider as a program.
#![expect(clippy::print_stdout, reason = "a terminal program talks through its streams")]

use std::process::ExitCode;

use clap::Parser;
use mock_upstream::{MockUpstream, Settings};

#[derive(Debug, Parser)]
#[command(about = "A provider made up for tests; prints its address when it is ready.")]
struct Arguments {
    /// The port on 127.0.0.1; 0 selects a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Threads of the server.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Respond without validating or recording requests.
    #[arg(long)]
    plain: bool,
    /// Record the bodies of requests.
    #[arg(long)]
    keep: bool,
    /// Milliseconds between the events of a stream.
    #[arg(long, default_value_t = 0)]
    gap: u64,
}

/// Starts the mock, prints its URL, and serves until the process is ended. Exits with a failure if it cannot start.
fn main() -> ExitCode {
    let Arguments { port, threads, plain, keep, gap } = Arguments::parse();
    let settings = Settings { port, threads, plain, keep_bodies: keep, gap_ms: gap };
    match MockUpstream::start(settings) {
        Ok(mock) => {
            println!("{}", mock.url());
            mock.wait();
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("error: cannot start on port {port}: {error}");
            ExitCode::FAILURE
        }
    }
}
