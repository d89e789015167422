//! Runs the fault-injection suites and writes their counts to docs/reliability.md.

use std::{fmt::Write as _, process::Command};

use crate::{
    bench::page::GeneratedSection,
    crash,
    failure::{Failure, Outcome},
    models,
    program::{capture_all, cargo, display_command},
    workspace,
};

/// The generated section of docs/reliability.md.
const COUNTS: GeneratedSection = GeneratedSection {
    begin: "<!-- counts: written by `cargo xtask reliability` -->\n",
    end: "<!-- end of counts -->\n",
};

/// The prefixes of lines in which a suite reports its counts, or that it could not run.
const PREFIXES: [&str; 2] = ["kept: ", "skipped: "];

/// The prefix, on the page, of a suite that could not run.
const SKIPPED: &str = "*skipped* ";

/// The suites that the page describes. Each must report a line with this beginning.
const SUITES: [&str; 17] = [
    "availability",
    "concurrency",
    "corpora",
    "crash images",
    "faults, errors",
    "faults, stalls",
    "faults, syncs",
    "faults, texts",
    "full disk",
    "killed writers",
    "model test:",
    "model test while",
    "operating system crashes of sled",
    "operating system crashes of the log",
    "torn writes, files",
    "torn writes, journal",
    "torn writes, one flipped bit in the journal",
];

/// Runs every suite and writes its counts to docs/reliability.md. A `is_long` run has about twenty times as many cases.
/// Fails if a suite reports no count.
pub(crate) fn run(is_long: bool) -> Outcome {
    let mut suites = suites_command(is_long);
    println!("$ {}", display_command(&suites));
    let mut counts = reported_lines(&capture_all(&mut suites)?);
    counts.push(format!("concurrency, loom and shuttle: {}", models::run()?.note));
    counts.push(format!("killed writers: {}", crash::run(if is_long { 1_000 } else { 50 }, None)?.note));
    let is_missing = |suite: &&&str| !counts.iter().any(|line| line.trim_start_matches(SKIPPED).starts_with(**suite));
    let is_missing: Vec<_> =
        SUITES.iter().filter(is_missing).map(|suite| format!("`{suite}` reported no count")).collect();
    Failure::unless_empty("suites without a count", &is_missing)?;
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let command = if is_long { "cargo xtask reliability --long" } else { "cargo xtask reliability" };
    let mut text = format!("Counted on {date} by `{command}`:\n\n");
    for line in &counts {
        println!("{line}");
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "- {line}");
    }
    let page = workspace::root().join("docs/reliability.md");
    workspace::write_file(&page, &COUNTS.replace_in(&workspace::read_file(&page)?, &text)?)?;
    println!("reliability: written to {}", workspace::display_path(&page));
    Ok(())
}

/// Creates the command that runs the fault-injection suites.
fn suites_command(is_long: bool) -> Command {
    let profile = if is_long { "long" } else { "default" };
    let mut command = cargo(&["nextest", "run", "--locked", "--profile", profile, "--success-output", "immediate"]);
    command
        .args(["-p", "availability", "-p", "event-bus", "-p", "hostile-input"])
        .env("NEXTEST_HIDE_PROGRESS_BAR", "1");
    if is_long {
        command.env("TURNWISE_LONG", "1");
    }
    command
}

/// Returns the lines in the output of the suites that report counts, sorted and without duplicates.
pub(crate) fn reported_lines(output: &str) -> Vec<String> {
    let count_of_line =
        |line: &str| PREFIXES.iter().find_map(|prefix| Some((*prefix, line.trim().strip_prefix(prefix)?.to_owned())));
    let mut lines: Vec<String> = output
        .lines()
        .filter_map(count_of_line)
        .map(|(prefix, rest)| if prefix == PREFIXES[1] { format!("{SKIPPED}{rest}") } else { rest })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::reported_lines;

    #[test]
    fn lines_of_suites_are_extracted_from_other_output() {
        let output = "    PASS x\n    kept: faults: 3 cases\n  kept: cuts: 2\nskipped: os crash: not root\n kept: cuts: 2\nkeptsake\n";
        assert_eq!(reported_lines(output), ["*skipped* os crash: not root", "cuts: 2", "faults: 3 cases"]);
    }
}
