//! The command line program `turnwise`.

mod arguments;
mod client_input;
mod commands;
mod context;
mod failure;
mod interrupt;
mod logging;
mod machine;
mod moment;
mod screen;
mod time_limit;

use std::process::ExitCode;

use arguments::{Arguments, Command, LogFormat};
use context::Context;
use failure::Failure;

/// jemalloc: a gateway allocates and frees memory on different threads, which is slow in the system's allocator (ADR
/// 18).
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let arguments = match arguments::parse_process_arguments() {
        Ok(arguments) => arguments,
        Err(exit_code) => return exit_code,
    };
    arguments.color.write_global();
    let context = Context::new(&arguments);
    if let Command::Hook(command) = arguments.command {
        commands::run_hook(&context, command);
        return ExitCode::SUCCESS;
    }
    match run(&context, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            report(&context, &failure);
            failure.exit_code()
        }
    }
}

/// Configures logging and executes the command of the arguments. Commands other than `serve` end without an error if
/// the reader of their output has closed it.
fn run(context: &Context, arguments: Arguments) -> Result<(), Failure> {
    let log_format = if let Command::Serve(serve) = &arguments.command {
        Some(serve.log_format)
    } else {
        // With the default handler of SIGPIPE, a pipe closed by `head` ends the program without an error; the log
        // survives that. A gateway must keep running when the reader of its output is gone.
        sigpipe::reset();
        None
    };
    logging::init(arguments.verbose, log_format.is_some(), log_format.unwrap_or(LogFormat::Text))?;
    // `doctor` reports the fault instead.
    if !matches!(arguments.command, Command::Doctor { .. }) {
        context.protect_home()?;
    }
    commands::run(context, arguments.command)
}

/// Prints the message of a failure: as JSON on standard output with `--json`, otherwise on standard error.
fn report(context: &Context, failure: &Failure) {
    let Some(message) = failure.message() else { return };
    if context.json {
        screen::print_line(&serde_json::json!({ "error": message }).to_string());
    } else {
        screen::print_error_line(&format!("{} {message}", screen::styled(screen::BAD, "error:")));
    }
}
