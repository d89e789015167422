//! Measures the log with the example `measure` of `event-bus`.

use std::process::Command;

use crate::{
    failure::Outcome,
    program::{capture, cargo, execute, shown},
    workspace,
};

/// Number of events in the large log.
const EVENTS: &str = "1000000";

/// Returns the table, preceded by `machine`. Each group of rows runs in a process of its own, so that the memory of one
/// is not counted for another.
pub(super) fn table(machine: &str) -> Outcome<String> {
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "event-bus", "--example", "measure"]))?;
    let program = workspace::target().join("release/examples/measure");
    // On the disk of the build: a file system in memory would make syncs free.
    let folder = tempfile::tempdir_in(workspace::target())
        .map_err(|error| crate::failure::Failure::file("create a folder in", &workspace::target(), &error))?;
    let (small, large) = (folder.path().join("append"), folder.path().join("large"));
    let mut rows = String::new();
    for (what, directory, events) in
        [("append", &small, None), ("fill", &large, Some(EVENTS)), ("open", &large, None), ("rebuild", &large, None)]
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
