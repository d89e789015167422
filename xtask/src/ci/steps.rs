//! The steps of `cargo xtask ci`: fast ones first, steps that build the release profile last.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::{
    arrows, browser, captures, clients, corpus, crash, demo, deny, docs,
    failure::Outcome,
    first_hour, load, models,
    passed::Passed,
    program::{self, cargo, cargo_has, execute},
    quality, requirements, sdks, tidy, workspace,
};

/// The number of streams sent through the gateway: enough for hundreds of concurrent ones.
const STREAMS: u64 = 1_000;

/// The function that runs a step and returns the note for the summary.
pub(super) type CheckFn = fn() -> Outcome<Passed>;

/// The steps of `cargo xtask ci`, in order, each with its name.
pub(super) const STEPS: &[(&str, CheckFn)] = &[
    ("fmt", || execute(&mut cargo(&["fmt", "--all", "--", "--check"])).map(|()| Passed::without_note())),
    ("arrows", || arrows::run().map(|()| Passed::without_note())),
    ("tidy", || tidy::run().map(|()| Passed::without_note())),
    ("clippy", clippy),
    ("tests", tests),
    ("doctests", || {
        execute(cargo(&["test", "--doc", "--workspace", "--locked"]).env("INSTA_UPDATE", "no"))
            .map(|()| Passed::without_note())
    }),
    ("benches", run_benchmarks_once),
    ("rustdoc", rustdoc),
    ("docs", || docs::run(true).map(|()| Passed::without_note())),
    ("requirements", || requirements::run(true).map(|()| Passed::without_note())),
    ("deny", deny::run),
    ("models", models::run),
    ("crash", || crash::run(50, None)),
    ("demo", || demo::run().map(|()| Passed::without_note())),
    ("captures", check_recorded_requests),
    ("load", || load::run(STREAMS, 1, false)),
    ("sdks", || sdks::run(None, false, false)),
    ("clients", || clients::run("", false)),
    ("browser", || browser::run(false)),
    ("first-hour", first_hour_of_a_user),
    ("corpus", check_recorded_sessions),
    ("quality", check_public_prompts),
    ("skills", check_skill_choices),
];

/// The steps that a slow machine or network can fail: they start programs that others wrote, or install them.
pub(super) const REPEATED: &[&str] = &["load", "sdks", "clients", "browser"];

/// Runs clippy on all targets; any warning fails.
fn clippy() -> Outcome<Passed> {
    execute(&mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    Ok(Passed::without_note())
}

/// Runs every benchmark once in the test profile, without a measurement, so that one that panics is noticed.
fn run_benchmarks_once() -> Outcome<Passed> {
    execute(&mut cargo(&["test", "--workspace", "--bench", "*", "--locked"]))?;
    Ok(Passed::without_note())
}

/// Builds the documentation of all crates; any warning fails.
fn rustdoc() -> Outcome<Passed> {
    execute(cargo(&["doc", "--workspace", "--no-deps", "--locked"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Passed::without_note())
}

/// Runs all tests except doctests, with `cargo nextest` if it is installed. Snapshots that differ fail.
fn tests() -> Outcome<Passed> {
    if cargo_has("nextest") {
        return nextest();
    }
    println!("cargo-nextest is not installed: using `cargo test`");
    let targets = ["test", "--workspace", "--lib", "--bins", "--tests", "--examples", "--no-fail-fast", "--locked"];
    execute(cargo(&targets).env("INSTA_UPDATE", "no"))?;
    Ok(Passed::with_note("by cargo test"))
}

/// Runs `cargo nextest` with its output on the terminal, and returns its summary line as the note.
fn nextest() -> Outcome<Passed> {
    let mut command = cargo(&["nextest", "run", "--workspace", "--locked"]);
    command.env("INSTA_UPDATE", "no").env("NEXTEST_HIDE_PROGRESS_BAR", "1").stderr(Stdio::piped());
    println!("$ {}", program::display_command(&command));
    let mut child = command.spawn().map_err(|error| program::cannot_start(&command, &error))?;
    let mut summary = String::new();
    for line in child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).lines()).map_while(Result::ok)
    {
        println!("{line}");
        if line.trim_start().starts_with("Summary [") {
            line.trim().clone_into(&mut summary);
        }
    }
    let status = child.wait().map_err(|error| program::cannot_start(&command, &error))?;
    if !status.success() {
        return Err(program::exit_failure(&command, status));
    }
    Ok(Passed { note: summary, repeat_at_end: true })
}

/// Imports recorded sessions of real clients; skipped if their folder does not exist next to the workspace.
fn check_recorded_sessions() -> Outcome<Passed> {
    let sessions = workspace::root().join("../shared/corpus/claude-code/projects");
    if sessions.is_dir() {
        return corpus::run(&sessions);
    }
    println!("corpus: SKIPPED, no folder `{}`", sessions.display());
    Ok(Passed::with_note("skipped, no folder of recorded sessions beside the workspace"))
}

/// Runs the commands of a new user's first hour on recorded sessions; skipped if their folder does not exist next to
/// the workspace.
fn first_hour_of_a_user() -> Outcome<Passed> {
    let sessions = workspace::root().join("../shared/corpus/claude-code/projects");
    if sessions.is_dir() {
        return first_hour::run(&sessions, false);
    }
    println!("first-hour: SKIPPED, no folder `{}`", sessions.display());
    Ok(Passed::with_note("skipped, no folder of recorded sessions beside the workspace"))
}

/// Replays recorded requests of real clients; skipped if their folder does not exist next to the workspace.
fn check_recorded_requests() -> Outcome<Passed> {
    let requests = workspace::root().join("../shared/corpus/clients");
    if requests.is_dir() {
        return captures::run(&requests, false);
    }
    println!("captures: SKIPPED, no folder `{}`", requests.display());
    Ok(Passed::with_note("skipped, no folder of recorded requests beside the workspace"))
}

/// Runs the reduced quality benchmark; skipped if the prompt sets do not exist next to the workspace.
fn check_public_prompts() -> Outcome<Passed> {
    let sets = workspace::root().join("../shared/bench/quality");
    if sets.is_dir() {
        return quality::run_reduced(&sets);
    }
    println!("quality: SKIPPED, no folder `{}`", sets.display());
    Ok(Passed::with_note("skipped, no folder of public prompts beside the workspace"))
}

/// Runs the reduced benchmark of skills, which fails if a figure is below its floor; skipped if its data do not exist next
/// to the workspace.
fn check_skill_choices() -> Outcome<Passed> {
    let shared = workspace::root().join("../shared");
    let (sets, cases) = (shared.join("bench/skills"), shared.join("corpus/skills"));
    if sets.is_dir() && cases.is_dir() {
        return quality::run_skills_reduced(&sets, &cases);
    }
    println!("skills: SKIPPED, no folders `{}` and `{}`", sets.display(), cases.display());
    Ok(Passed::with_note("skipped, no folders of labelled requests for skills beside the workspace"))
}
