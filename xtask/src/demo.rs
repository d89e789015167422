//! The demo as a newcomer runs it, in an empty home.

use std::{env, ffi::OsString};

use crate::{
    failure::{Failure, Outcome},
    program::{capture, cargo, shown},
    workspace,
};

/// What the demo shows: a decision with its chain, and what it all cost.
const SHOWN: &[&str] = &["Chose:", "Chain:", "$"];

pub(crate) fn run() -> Outcome {
    let home = workspace::temporary()?;
    let mut command = cargo(&["run", "--release", "--locked", "--", "demo"]);
    // Cargo and rustup stay where they are.
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
        SHOWN.iter().filter(|text| !printed.contains(**text)).map(|text| format!("`{text}`")).collect();
    Failure::unless_empty("things the demo should show and does not", &missing)
}

fn tool_home(variable: &str, folder: &str) -> Option<OsString> {
    env::var_os(variable).or_else(|| env::home_dir().map(|home| home.join(folder).into_os_string()))
}
