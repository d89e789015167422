//! Describes the machine and the date of a measurement.

use std::{fs, process::Command, thread};

use crate::program::capture_output;

/// Returns a sentence about the conditions of a measurement: date, processor, number of cores, compiler and command;
/// `method` completes it.
pub(super) fn describe(method: &str) -> String {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let compiler =
        capture_output(Command::new("rustc").arg("--version")).unwrap_or_else(|_| "unknown rustc".to_owned());
    let (processor, compiler) = (processor(), compiler.trim());
    format!(
        "Measured on {date} on {processor} ({processors} cores) with {compiler} by `cargo xtask bench`: \
         {method}."
    )
}

/// Returns the model name of the processor, or its architecture if that cannot be read.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = text.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(':'));
    field.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
