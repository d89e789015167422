//! Runs the demo in an empty home.

use std::{env, ffi::OsString};

use crate::{
    failure::{Failure, Outcome},
    program::{capture, cargo, shown},
    workspace,
};

/// Texts that the demo must print: a decision with its chain, and a cost.
const EXPECTED: &[&str] = &["Chose:", "Chain:", "$"];

/// Fails unless the demo succeeds and prints a decision with its chain and cost.
pub(crate) fn run() -> Outcome {
    let home = workspace::temporary()?;
    let mut command = cargo(&["run", "--release", "--locked", "--", "demo"]);
    // Cargo and rustup keep their folders, only the home changes.
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        if let Some(path) = tool_home(variable, folder) {
            command.env(variable, path);
        }
    }
    command.env("HOME", home.path()).env_remove("TURNWISE_HOME");
    println!("$ HOME=(empty) {}", shown(&command));
    let printed = capture(&mut command)?;
    println!("{printed}");
    let missing: Vec<_> =
        EXPECTED.iter().filter(|text| !printed.contains(**text)).map(|text| format!("`{text}`")).collect();
    Failure::unless_empty("texts missing in the output of the demo", &missing)
}

/// The folder of a build tool: from its variable, or below the home.
fn tool_home(variable: &str, folder: &str) -> Option<OsString> {
    env::var_os(variable).or_else(|| env::home_dir().map(|home| home.join(folder).into_os_string()))
}
