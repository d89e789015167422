//! turnwise on the command line.
#![expect(clippy::print_stdout, reason = "a terminal program talks through its streams")]

mod arguments;
mod commands;
mod context;
mod failure;
mod interrupt;
mod moment;
mod screen;

use std::process::ExitCode;

use clap::Parser as _;

use arguments::{Arguments, Command};
use context::Context;
use failure::Failure;

/// What a gateway allocates in one thread it frees in another, which the system's allocator bears badly (ADR 18).
#[cfg(not(target_env = "msvc"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    // A pipe closed by `head` ends the program quietly, as users of a shell expect. The log bears being killed.
    sigpipe::reset();
    let arguments = Arguments::parse();
    arguments.color.write_global();
    start_tracing(arguments.verbose, matches!(arguments.command, Command::Serve(_)));
    let context = Context::new(&arguments);
    match commands::run(&context, arguments.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&context, &failure);
            failure.exit_code()
        }
    }
}

/// What the crates trace goes to the standard error, when asked for: commands say themselves what matters. A gateway has
/// nobody to say it to when something happens, so its warnings are always there.
fn start_tracing(verbose: u8, is_gateway: bool) {
    use tracing_subscriber::filter::LevelFilter;
    let level = match verbose {
        0 if is_gateway => LevelFilter::WARN,
        0 => LevelFilter::OFF,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr).without_time().init();
}

fn report(context: &Context, failure: &Failure) {
    let Some(message) = failure.message() else { return };
    if context.json {
        println!("{}", serde_json::json!({ "error": message }));
    } else {
        anstream::eprintln!("{}error:{} {message}", screen::BAD.render(), screen::BAD.render_reset());
    }
}
