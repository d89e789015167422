//! What the suites that try to break the log have counted, kept in docs/reliability.md.

use std::{fmt::Write as _, process::Command};

use crate::{
    bench::page::Part,
    crash,
    failure::{Failure, Outcome},
    models,
    program::{capture_all, cargo, shown},
    workspace,
};

/// The part of the page that is written by this command.
const COUNTS: Part =
    Part { begin: "<!-- counts: written by `cargo xtask reliability` -->\n", end: "<!-- end of counts -->\n" };

/// How the line of a suite begins that says what it counted, and of one that could not run.
const LINES: [&str; 2] = ["kept: ", "skipped: "];

/// In front of the line of a suite that could not run.
const SKIPPED: &str = "*skipped* ";

/// How the lines begin without which the page would promise more than was tried.
const SUITES: [&str; 16] = [
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

/// Runs every suite that counts, and writes what it counted to docs/reliability.md. A long run tries about twenty
/// times as much.
pub(crate) fn run(long: bool) -> Outcome {
    let mut suites = suites(long);
    println!("$ {}", shown(&suites));
    let mut counted = lines(&capture_all(&mut suites)?);
    counted.push(format!("concurrency, loom and shuttle: {}", models::run()?.note));
    counted.push(format!("killed writers: {}", crash::run(if long { 1_000 } else { 50 }, None)?.note));
    let silent = |suite: &&&str| !counted.iter().any(|line| line.trim_start_matches(SKIPPED).starts_with(**suite));
    let silent: Vec<_> =
        SUITES.iter().filter(silent).map(|suite| format!("`{suite}` has not said what it counted")).collect();
    Failure::unless_empty("suites that were silent", &silent)?;
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d");
    let command = if long { "cargo xtask reliability --long" } else { "cargo xtask reliability" };
    let mut text = format!("Counted on {date} by `{command}`:\n\n");
    for line in &counted {
        println!("{line}");
        // Writing to a `String` always succeeds.
        let _ = writeln!(text, "- {line}");
    }
    let page = workspace::root().join("docs/reliability.md");
    workspace::write(&page, &COUNTS.replaced(&workspace::read(&page)?, &text)?)?;
    println!("reliability: written to {}", workspace::shown(&page));
    Ok(())
}

fn suites(long: bool) -> Command {
    let profile = if long { "long" } else { "default" };
    let mut command = cargo(&["nextest", "run", "--locked", "--profile", profile, "--success-output", "immediate"]);
    command.args(["-p", "event-bus", "-p", "hostile-input"]).env("NEXTEST_HIDE_PROGRESS_BAR", "1");
    if long {
        command.env("TURNWISE_LONG", "1");
    }
    command
}

/// The lines of suites in the output of many, without repetition and in order.
pub(crate) fn lines(output: &str) -> Vec<String> {
    let said = |line: &str| LINES.iter().find_map(|begin| Some((*begin, line.trim().strip_prefix(begin)?.to_owned())));
    let mut lines: Vec<String> = output
        .lines()
        .filter_map(said)
        .map(|(begin, rest)| if begin == LINES[1] { format!("{SKIPPED}{rest}") } else { rest })
        .collect();
    lines.sort();
    lines.dedup();
    lines
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn the_lines_of_suites_are_found_among_everything_else() {
        let output = "    PASS x\n    kept: faults: 3 cases\n  kept: cuts: 2\nskipped: os crash: not root\n kept: cuts: 2\nkeptsake\n";
        assert_eq!(lines(output), ["*skipped* os crash: not root", "cuts: 2", "faults: 3 cases"]);
    }
}
