//! Runs `turnwise demo` with an empty home folder.

use std::{env, ffi::OsString};

use crate::{
    failure::{Failure, Outcome},
    program::{capture_output, cargo, display_command},
    workspace,
};

/// Texts that the output must contain: those of a decision with its chain, and of a cost.
const EXPECTED_TEXTS: &[&str] = &["Chose:", "Chain:", "$", "Under the starter policy", "rm -r"];

/// Runs the demo and prints its output. Fails unless it exits successfully and prints a decision with its chain and
/// cost.
pub(crate) fn run() -> Outcome {
    let home = workspace::temporary_folder()?;
    let mut command = cargo(&["run", "--release", "--locked", "--", "demo"]);
    // Cargo and rustup keep their folders, only the home changes.
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let Some(path) = tool_home(variable, folder) {
            command.env(variable, path);
        }
    }
    // The demo leaves a folder for temporary files behind.
    command.env("HOME", home.path()).env("TMPDIR", home.path()).env_remove("TURNWISE_HOME");
    println!("$ HOME=(empty) {}", display_command(&command));
    let output = capture_output(&mut command)?;
    println!("{output}");
    let missing_texts: Vec<_> =
        EXPECTED_TEXTS.iter().filter(|text| !output.contains(**text)).map(|text| format!("`{text}`")).collect();
    Failure::unless_empty("texts missing in the output of the demo", &missing_texts)
}

/// Returns the folder of a build tool: from its environment variable, or below the user's home.
fn tool_home(variable: &str, folder: &str) -> Option<OsString> {
    env::var_os(variable).or_else(|| env::home_dir().map(|home| home.join(folder).into_os_string()))
}
