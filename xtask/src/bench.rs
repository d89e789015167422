//! Runs the benchmarks and writes the results beside their targets into docs/performance.md.

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

/// Runs every criterion benchmark and the log measurement.
pub(crate) fn run() -> Outcome {
    let results = workspace::target().join("xtask-bench");
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
    let measured = estimates::collect(&results)?;
    write(&page::FIGURES, &page::table(&machine::describe("processor time of one thread"), &measured))?;
    println!("bench: {} figures written", measured.len());
    log()
}

/// Runs the log measurement alone.
pub(crate) fn log() -> Outcome {
    let method =
        "wall-clock time unless a row states otherwise; log and plain file alternating, seven rounds of 0.4 s each";
    write(&page::LOG, &log::table(&machine::describe(method))?)
}

fn write(part: &page::Part, table: &str) -> Outcome {
    let page = workspace::root().join("docs/performance.md");
    workspace::write(&page, &part.replaced(&workspace::read(&page)?, table)?)?;
    println!("bench: written to {}", workspace::shown(&page));
    Ok(())
}

/// Names of the benchmarks by crate: `benches/NAME.rs` and `benches/NAME/main.rs`.
fn benches() -> Outcome<BTreeMap<String, Vec<String>>> {
    let crates = workspace::root().join("crates");
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in workspace::files(&crates)? {
        let parts: Vec<_> = path.strip_prefix(&crates).unwrap_or(&path).iter().filter_map(OsStr::to_str).collect();
        let (package, bench) = match parts.as_slice() {
            [package, "benches", bench, "main.rs"] => (package, *bench),
            [package, "benches", file] => (package, file.trim_end_matches(".rs")),
            _ => continue,
        };
        found.entry((*package).to_owned()).or_default().push(bench.to_owned());
    }
    Ok(found)
}
