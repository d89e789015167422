//! Measures a log on this disk, and prints rows of a Markdown table: `measure append DIR`, `measure fill DIR FACTS`,
//! `measure open DIR`, `measure rebuild DIR`.
#![expect(clippy::print_stdout, reason = "the figures are the output")]
#![expect(clippy::cast_precision_loss, reason = "rates need no more digits than an `f64` has")]

mod append;
mod event;
mod plain;
mod process;
mod walk;

use std::{error::Error, path::Path};

/// Result of a measurement.
type Outcome = Result<(), Box<dyn Error>>;

/// Runs the measurement that the arguments name.
fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["append", directory] => append::measure(Path::new(directory)),
        ["fill", directory, events] => walk::fill(Path::new(directory), events.parse()?),
        ["open", directory] => walk::open(Path::new(directory)),
        ["rebuild", directory] => walk::rebuild(Path::new(directory)),
        _ => Err("usage: measure append DIR | fill DIR FACTS | open DIR | rebuild DIR".into()),
    }
}

/// Prints a row of the table: the measurement, its figures, and for each target whether it was met.
fn row(what: &str, figure: &str, targets: &[(&str, bool)]) {
    let verdict = |(target, met): &(&str, bool)| format!("{target}: {}", if *met { "met" } else { "**missed**" });
    let verdicts: Vec<_> = targets.iter().map(verdict).collect();
    let verdicts = if verdicts.is_empty() { "-".to_owned() } else { verdicts.join("; ") };
    println!("| {what} | {figure} | {verdicts} |");
}
