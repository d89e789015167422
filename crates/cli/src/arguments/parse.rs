//! Parses the arguments of the program, and prints errors about them without control characters.

use std::process::ExitCode;

use clap::Parser as _;

use super::Arguments;
use crate::screen;

/// Parses the arguments of the process. A text about invalid arguments quotes them in escaped form.
///
/// # Errors
/// The exit code if the arguments are invalid, or 0 if they ask for the help or the version. The text has been printed.
pub(crate) fn parse_process_arguments() -> Result<Arguments, ExitCode> {
    Arguments::try_parse().map_err(|error| {
        let escaped = std::env::args_os().map(|argument| screen::escape_line(&argument.to_string_lossy()).into_owned());
        // The same arguments in escaped form are invalid for the same reason; their error can be printed with colours.
        let printed = if let Err(printable) = Arguments::try_parse_from(escaped) {
            printable.print()
        } else {
            screen::print_error_line(error.to_string().trim_end());
            Ok(())
        };
        // An output that is closed or full cannot report its own failure.
        drop(printed);
        // Claude Code blocks the message of the user if a hook ends with 2.
        if is_prompt_hook() && error.use_stderr() {
            return ExitCode::FAILURE;
        }
        u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
    })
}

/// Returns whether the process was started as a hook: its arguments contain `hook prompt-submit`.
fn is_prompt_hook() -> bool {
    let arguments: Vec<_> = std::env::args_os().collect();
    arguments.windows(2).any(|pair| pair == ["hook", "prompt-submit"])
}
