//! Runs the benchmarks and writes their results, with the targets, into docs/performance.md.
//!
//! `estimates` reads the results of criterion, `log` and `gateway` measure the log and the gateway, `targets` has the
//! limits, and `page` writes the tables.

mod estimates;
pub(crate) mod gateway;
mod log;
mod machine;
pub(crate) mod page;
mod targets;

use std::{collections::BTreeMap, ffi::OsStr, fs};

use crate::{
    failure::{Failure, Outcome},
    program::{cargo, execute},
    workspace,
};

/// Runs every criterion benchmark and the measurement of the log, and writes both tables of docs/performance.md.
/// Removes earlier results first.
pub(crate) fn run() -> Outcome {
    let results = workspace::target_folder().join("xtask-bench");
    if results.exists() {
        // Criterion keeps the results of deleted benchmarks.
        fs::remove_dir_all(&results).map_err(|error| Failure::file("remove", &results, &error))?;
    }
    for (package, benches) in benches()? {
        let mut command = cargo(&["bench", "--locked", "--package", &package]);
        for bench in benches {
            command.args(["--bench", &bench]);
        }
        command.args(["--", "--noplot"]).env("CRITERION_HOME", results.join(&package));
        execute(&mut command)?;
    }
    let measurements = estimates::read_measurements(&results)?;
    write(&page::FIGURES, &page::table(&machine::describe("processor time of one thread"), &measurements))?;
    println!("bench: {} figures written", measurements.len());
    log()
}

/// Runs only the measurement of the log, and writes its table in docs/performance.md.
pub(crate) fn log() -> Outcome {
    let method =
        "wall-clock time unless a row states otherwise; log and plain file alternating, seven rounds of 0.4 s each";
    write(&page::LOG, &log::table(&machine::describe(method))?)
}

/// Replaces a generated section of docs/performance.md by a table; fails if the page has no markers for it.
fn write(section: &page::GeneratedSection, table: &str) -> Outcome {
    let page = workspace::root().join("docs/performance.md");
    workspace::write_file(&page, &section.replace_in(&workspace::read_file(&page)?, table)?)?;
    println!("bench: written to {}", workspace::display_path(&page));
    Ok(())
}

/// Returns the names of the criterion benchmarks by crate, from the files `benches/NAME.rs` and `benches/NAME/main.rs`
/// in `crates`.
fn benches() -> Outcome<BTreeMap<String, Vec<String>>> {
    let crates = workspace::root().join("crates");
    let mut by_crate: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in workspace::list_files(&crates)? {
        let components: Vec<_> = path.strip_prefix(&crates).unwrap_or(&path).iter().filter_map(OsStr::to_str).collect();
        let (package, bench) = match components.as_slice() {
            [package, "benches", bench, "main.rs"] => (package, *bench),
            [package, "benches", file] => (package, file.trim_end_matches(".rs")),
            _ => continue,
        };
        by_crate.entry((*package).to_owned()).or_default().push(bench.to_owned());
    }
    Ok(by_crate)
}
