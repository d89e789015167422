//! The checks, cheap ones first; the development profile is built once, and the release profile once.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::{
    arrows, browser, captures, clients, corpus, crash, demo, deny, docs,
    failure::Outcome,
    load, models,
    program::{self, cargo, cargo_has, execute},
    quality, sdks, tidy, workspace,
};

/// Streams that are put through the gateway: enough to have hundreds at once.
const STREAMS: u64 = 1_000;

/// A check that passed.
pub(crate) struct Done {
    /// What the summary says beside `ok`.
    pub(crate) note: String,
    /// Whether the note is also the last line of all.
    pub(crate) closes: bool,
}

impl Done {
    /// Passed, and there is nothing to say.
    pub(crate) fn all() -> Self {
        Self::noting("")
    }

    /// Passed, with something to say.
    pub(crate) fn noting(note: impl Into<String>) -> Self {
        Self { note: note.into(), closes: false }
    }
}

/// What a step runs.
type Check = fn() -> Outcome<Done>;

/// The steps of `cargo xtask ci`, in order.
pub(super) const STEPS: &[(&str, Check)] = &[
    ("fmt", || execute(&mut cargo(&["fmt", "--all", "--", "--check"])).map(|()| Done::all())),
    ("arrows", || arrows::run().map(|()| Done::all())),
    ("tidy", || tidy::run().map(|()| Done::all())),
    ("clippy", clippy),
    ("tests", tests),
    ("doctests", || {
        execute(cargo(&["test", "--doc", "--workspace", "--locked"]).env("INSTA_UPDATE", "no")).map(|()| Done::all())
    }),
    ("rustdoc", rustdoc),
    ("docs", || docs::run(true).map(|()| Done::all())),
    ("deny", deny::run),
    ("models", models::run),
    ("crash", || crash::run(50, None)),
    ("demo", || demo::run().map(|()| Done::all())),
    ("captures", real_requests),
    ("load", || load::run(STREAMS, 1, false)),
    ("sdks", || sdks::run(None, false, false)),
    ("clients", || clients::run("", false)),
    ("browser", || browser::run(false)),
    ("corpus", real_sessions),
    ("quality", public_prompts),
];

fn clippy() -> Outcome<Done> {
    execute(&mut cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"]))?;
    Ok(Done::all())
}

fn rustdoc() -> Outcome<Done> {
    execute(cargo(&["doc", "--workspace", "--no-deps", "--locked"]).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Done::all())
}

/// All tests but those in documentation; a snapshot that differs fails.
fn tests() -> Outcome<Done> {
    if cargo_has("nextest") {
        return nextest();
    }
    println!("cargo-nextest is not installed: using `cargo test`");
    let targets = ["test", "--workspace", "--lib", "--bins", "--tests", "--examples", "--no-fail-fast", "--locked"];
    execute(cargo(&targets).env("INSTA_UPDATE", "no"))?;
    Ok(Done::noting("by cargo test"))
}

/// Shows nextest's output as it comes and keeps its closing line.
fn nextest() -> Outcome<Done> {
    let mut command = cargo(&["nextest", "run", "--workspace", "--locked"]);
    command.env("INSTA_UPDATE", "no").env("NEXTEST_HIDE_PROGRESS_BAR", "1").stderr(Stdio::piped());
    println!("$ {}", program::shown(&command));
    let mut child = command.spawn().map_err(|error| program::cannot_start(&command, &error))?;
    let mut closing = String::new();
    for line in child.stderr.take().into_iter().flat_map(|stderr| BufReader::new(stderr).lines()).map_while(Result::ok)
    {
        println!("{line}");
        if line.trim_start().starts_with("Summary [") {
            line.trim().clone_into(&mut closing);
        }
    }
    let status = child.wait().map_err(|error| program::cannot_start(&command, &error))?;
    if !status.success() {
        return Err(program::failed(&command, status));
    }
    Ok(Done { note: closing, closes: true })
}

/// The shared folder of real sessions, when it stands beside the workspace.
fn real_sessions() -> Outcome<Done> {
    let sessions = workspace::root().join("../shared/corpus/claude-code/projects");
    if sessions.is_dir() {
        return corpus::run(&sessions);
    }
    println!("corpus: SKIPPED, there is no folder `{}`", sessions.display());
    Ok(Done::noting("skipped, no folder of real sessions beside the workspace"))
}

/// The shared folder of recorded requests, when it stands beside the workspace.
fn real_requests() -> Outcome<Done> {
    let requests = workspace::root().join("../shared/corpus/clients");
    if requests.is_dir() {
        return captures::run(&requests, false);
    }
    println!("captures: SKIPPED, there is no folder `{}`", requests.display());
    Ok(Done::noting("skipped, no folder of recorded requests beside the workspace"))
}

/// The shared folder of public prompts, when it stands beside the workspace.
fn public_prompts() -> Outcome<Done> {
    let sets = workspace::root().join("../shared/bench/quality");
    if sets.is_dir() {
        return quality::reduced(&sets);
    }
    println!("quality: SKIPPED, there is no folder `{}`", sets.display());
    Ok(Done::noting("skipped, no folder of public prompts beside the workspace"))
}
