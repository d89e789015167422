//! Running other programs, cargo first of all.

use std::{
    env,
    process::{Command, Stdio},
};

use crate::{
    failure::{Failure, Outcome},
    workspace,
};

/// Cargo, in the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(workspace::root());
    command
}

/// Whether cargo knows a subcommand that is installed apart from it.
pub(crate) fn cargo_has(subcommand: &str) -> bool {
    let silent = cargo(&[subcommand, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    silent.is_ok_and(|status| status.success())
}

/// Runs a program that shows what it does, and fails when it fails.
pub(crate) fn execute(command: &mut Command) -> Outcome {
    println!("$ {}", shown(command));
    let status = command.status().map_err(|error| cannot_start(command, &error))?;
    if status.success() { Ok(()) } else { Err(failed(command, status)) }
}

/// Runs a program and returns what it printed; its complaints go to the terminal.
pub(crate) fn capture(command: &mut Command) -> Outcome<String> {
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| cannot_start(command, &error))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(text);
    }
    print!("{text}");
    Err(failed(command, output.status))
}

/// Runs a program and returns what it printed to both streams.
pub(crate) fn capture_all(command: &mut Command) -> Outcome<String> {
    let output = command.output().map_err(|error| cannot_start(command, &error))?;
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if output.status.success() {
        return Ok(text);
    }
    print!("{text}");
    Err(failed(command, output.status))
}

pub(crate) fn cannot_start(command: &Command, error: &std::io::Error) -> Failure {
    Failure::new(format!("cannot start `{}`: {error}", shown(command)))
}

pub(crate) fn failed(command: &Command, status: std::process::ExitStatus) -> Failure {
    Failure::new(format!("`{}` failed: {status}", shown(command)))
}

/// The command as one would type it, cargo without its path.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program()).to_string_lossy();
    let arguments = command.get_args().map(|argument| argument.to_string_lossy());
    std::iter::once(name).chain(arguments).collect::<Vec<_>>().join(" ")
}
