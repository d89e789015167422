//! Execution of cargo and other programs.

use std::{
    env,
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// Creates a cargo command that runs in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Returns whether a cargo subcommand that is installed separately, such as `nextest`, is available.
pub(crate) fn cargo_has(subcommand: &str) -> bool {
    let status = cargo(&[subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

/// Runs a program with its output on the terminal, after printing its command line; fails unless it exits successfully.
pub(crate) fn execute(command: &mut Command) -> Outcome {
    println!("$ {}", display_command(command));
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(exit_failure(command, status)) }
}

/// Runs a program and returns its standard output; standard error goes to the terminal. Fails, after printing the
/// output, unless the program exits successfully.
pub(crate) fn capture_output(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    print!("{text}");
    Err(exit_failure(command, output.status))
}

/// Runs a program and returns its standard output, followed by its standard error. Fails, after printing both, unless
/// the program exits successfully.
pub(crate) fn capture_all(command: &mut Command) -> Outcome<String> {
    let output = command.output().map_err(|error| cannot_start(command, &error))?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return Ok(text);
    }
    print!("{text}");
    Err(exit_failure(command, output.status))
}

/// Creates the failure of a program that could not be started or waited for.
pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start `{}`: {error}", display_command(command)))
}

/// Creates the failure of a program that exited unsuccessfully.
pub(crate) fn exit_failure(command: &Command, status: std::process::ExitStatus) -> Failure {
    Failure::new(format!("`{}` failed: {status}", display_command(command)))
}

/// Formats a command for display, with the program reduced to its file name.
pub(crate) fn display_command(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}
