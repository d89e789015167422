//! What the log costs: the rows that `event-bus`'s example `measure` prints.

use std::process::Command;

use crate::{
    failure::Outcome,
    program::{capture, cargo, execute, shown},
    workspace,
};

/// Events in the large log.
const FACTS: &str = "1000000";

/// The table, with the sentence above it. Each row is measured by a process of its own kind, so that the memory one
/// needs is not counted for another.
pub(super) fn table(machine: &str) -> Outcome<String> {
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "event-bus", "--example", "measure"]))?;
    let program = workspace::target().join("release/examples/measure");
    // On the disk that is built on: a file system in memory would not wait for anything.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| crate::failure::Failure::file("create a folder in", &workspace::target(), &error))?;
    let (small, large) = (folder.path().join("append"), folder.path().join("large"));
    let mut rows = String::new();
    for (what, directory, events) in
        [("append", &small, None), ("fill", &large, Some(FACTS)), ("open", &large, None), ("rebuild", &large, None)]
    {
        let mut command = Command::new(&program);
        command.arg(what).arg(directory).args(events);
        println!("$ {}", shown(&command));
        let printed = capture(&mut command)?;
        print!("{printed}");
        rows += &printed;
    }
    Ok(format!("{machine}\n\n| what | figure | target |\n| --- | --- | --- |\n{rows}"))
}
