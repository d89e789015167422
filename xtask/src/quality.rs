//! Measures how well the pattern store selects models, and writes the tables of docs/quality.md.

use std::{path::Path, process::Command};

use crate::{
    bench::page::GeneratedSection,
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture, cargo},
    workspace,
};

/// The generated section of docs/quality.md.
const TABLES: GeneratedSection =
    GeneratedSection { begin: "<!-- tables: written by `cargo xtask quality` -->\n", end: "<!-- end of tables -->\n" };

/// Measures every data set in `folder` and prints tables, or JSON if `json`; `write` also writes the tables to the
/// page.
pub(crate) fn run(folder: &Path, json: bool, write: bool) -> Outcome {
    if json {
        print!("{}", measure(folder, &["--json"])?);
        return Ok(());
    }
    let tables = measure(folder, &[])?;
    print!("{tables}");
    if write {
        let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
        let page = workspace::root().join("docs/quality.md");
        let tables = format!("Measured on {date} by `cargo xtask quality`.\n\n{tables}");
        workspace::write(&page, &TABLES.replace_in(&workspace::read(&page)?, &tables)?)?;
        println!("quality: written to {}", workspace::display_path(&page));
    }
    Ok(())
}

/// Runs a reduced measurement of a few seconds on every data set, and prints its summary.
pub(crate) fn run_reduced(folder: &Path) -> Outcome<Passed> {
    let summary = measure(folder, &["--reduced"])?;
    print!("{summary}");
    Ok(Passed::with_note(summary.trim()))
}

/// Builds the program `quality` and runs it on `folder`; returns its output.
fn measure(folder: &Path, arguments: &[&str]) -> Outcome<String> {
    let folder = folder.canonicalize().map_err(|error| Failure::file("open", folder, &error))?;
    // Quiet, since the output may be JSON.
    capture(&mut cargo(&["build", "--release", "--locked", "--quiet", "--package", "quality"]))?;
    capture(Command::new(workspace::release_binary("quality")).args(arguments).arg(folder))
}
