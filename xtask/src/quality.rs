//! Measures how well the pattern store selects models, and how well skills are ranked, and writes the tables of
//! docs/quality.md and docs/skill-quality.md.

use std::{path::Path, process::Command};

use crate::{
    bench::page::GeneratedSection,
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture_output, cargo},
    workspace,
};

/// The generated section of docs/quality.md and docs/skill-quality.md.
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
    if write { write_tables(&tables, "quality.md") } else { Ok(()) }
}

/// Measures the ranking of skills on every data set in `folder`, and on the labelled requests in the folders of `cases`.
/// Prints tables, or JSON if `json`; `write` also writes the tables to the page.
pub(crate) fn run_skills(folder: &Path, cases: Option<&Path>, json: bool, write: bool) -> Outcome {
    let cases = cases.map(|cases| cases.canonicalize().map_err(|error| Failure::file("open", cases, &error)));
    let cases = cases.transpose()?.map(|cases| cases.to_string_lossy().into_owned());
    let mut arguments = vec!["--skills"];
    if let Some(cases) = &cases {
        arguments.extend(["--cases", cases]);
    }
    if json {
        arguments.push("--json");
    }
    let tables = measure(folder, &arguments)?;
    print!("{tables}");
    if write { write_tables(&tables, "skill-quality.md") } else { Ok(()) }
}

/// Runs a reduced measurement of the skills on every data set in `folder` and on the labelled requests in the folders of
/// `cases`, and prints its summary. Fails if a figure is below its floor (`floors.rs` in the crate `quality`).
pub(crate) fn run_skills_reduced(folder: &Path, cases: &Path) -> Outcome<Passed> {
    let cases = cases.canonicalize().map_err(|error| Failure::file("open", cases, &error))?;
    let summary = measure(folder, &["--skills", "--reduced", "--cases", &cases.to_string_lossy()])?;
    print!("{summary}");
    Ok(Passed::with_note(summary.trim()))
}

/// Replaces the tables of a page of docs, given by its file name, with the date.
fn write_tables(tables: &str, page: &str) -> Outcome {
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let page = workspace::root().join("docs").join(page);
    let tables = format!("Measured on {date} by `cargo xtask quality`.\n\n{tables}");
    workspace::write_file(&page, &TABLES.replace_in(&workspace::read_file(&page)?, &tables)?)?;
    println!("quality: written to {}", workspace::display_path(&page));
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
    capture_output(&mut cargo(&["build", "--release", "--locked", "--quiet", "--package", "quality"]))?;
    capture_output(Command::new(workspace::release_binary("quality")).args(arguments).arg(folder))
}
