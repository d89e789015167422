//! Measures the event log with the example `measure` of `event-bus`.

use std::process::Command;

use crate::{
    failure::Outcome,
    program::{capture_output, cargo, display_command, execute},
    workspace,
};

/// The number of events in the large log, as an argument of the program.
const EVENTS: &str = "1000000";

/// Builds the example `measure` of `event-bus`, runs it, and returns the table of the log measurements, with the text
/// `machine` before it. Each group of rows runs in its own process, so that the memory of one group is not counted for
/// another.
pub(super) fn table(machine: &str) -> Outcome<String> {
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "event-bus", "--example", "measure"]))?;
    let program = workspace::target_folder().join("release/examples/measure");
    // On the disk of the build: a file system in memory would make syncs free.
    let folder = tempfile::tempdir_in(workspace::target_folder())
        .map_err(|error| crate::failure::Failure::file("create a folder in", &workspace::target_folder(), &error))?;
    let (append_folder, fill_folder) = (folder.path().join("append"), folder.path().join("large"));
    let mut rows = String::new();
    for (group, directory, events) in [
        ("append", &append_folder, None),
        ("fill", &fill_folder, Some(EVENTS)),
        ("open", &fill_folder, None),
        ("rebuild", &fill_folder, None),
    ] {
        let mut command = Command::new(&program);
        command.arg(group).arg(directory).args(events);
        println!("$ {}", display_command(&command));
        let output = capture_output(&mut command)?;
        print!("{output}");
        rows += &output;
    }
    Ok(format!("{machine}\n\n| what | figure | target |\n| --- | --- | --- |\n{rows}"))
}
