//! Imports recorded sessions twice, replays every decision, and compares the digests of both logs. Then backtests a
//! policy with one cheap model, which measures the error of the simulated prompt cache.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    failure::{Failure, Outcome},
    passed::Passed,
    program::{capture, cargo, execute, shown},
    workspace,
};

/// The events that the first program to open an empty log records: the policy and the price list.
const EVENTS_OF_OPENING: u64 = 2;

/// The output of `turnwise --json import`.
#[derive(Debug, Deserialize)]
struct Imported {
    files: u64,
    bytes: u64,
    sessions: u64,
    turns: u64,
    decisions: u64,
    refused: u64,
    calls: u64,
    failed_calls: u64,
    tools: u64,
    compactions: u64,
    new_events: u64,
    unpriced_calls: u64,
    issues: Vec<String>,
    total_cost_nano_usd: u64,
}

/// The output of `turnwise --json events verify`.
#[derive(Debug, Deserialize)]
struct Verified {
    whole: bool,
    counts: Counts,
    digest: String,
    state_digest: String,
}

#[derive(Debug, Deserialize)]
struct Counts {
    events: u64,
    turns: u64,
    decisions: u64,
}

/// The output of `turnwise --json replay`.
#[derive(Debug, Deserialize)]
struct Replayed {
    decisions: u64,
    digest: String,
    divergence: Option<serde_json::Value>,
}

/// The output of `turnwise --json backtest`.
#[derive(Debug, Deserialize)]
struct Backtested {
    report: Report,
}

#[derive(Debug, Deserialize)]
struct Report {
    turns: u64,
    identity: Identity,
}

/// Errors of the simulated prompt cache, in basis points (hundredths of a per cent).
#[derive(Debug, Deserialize)]
struct Identity {
    total: i64,
    median: i64,
    thirds: Vec<Third>,
    predicted_total: i64,
    predicted_median: i64,
}

#[derive(Debug, Deserialize)]
struct Third {
    sessions: u64,
    shortest: u64,
    longest: u64,
    total: i64,
    median: i64,
}

/// The results of one pass: an import into an empty home, its verification, a replay and a backtest.
struct Pass {
    imported: Imported,
    verified: Verified,
    replayed: Replayed,
    backtested: Backtested,
    took: Duration,
}

/// Checks a folder of sessions in the layout of `~/.claude/projects`.
pub(crate) fn run(sessions: &Path) -> Outcome<Passed> {
    let sessions = sessions.canonicalize().map_err(|error| Failure::file("open", sessions, &error))?;
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "cli"]))?;
    let (first, second) = (pass(&sessions)?, pass(&sessions)?);
    print(&first, &second);
    let mut findings = [problems(&first), problems(&second)].concat();
    findings.dedup();
    for (what, one, other) in [
        ("events", &first.verified.digest, &second.verified.digest),
        ("state", &first.verified.state_digest, &second.verified.state_digest),
        ("replayed decisions", &first.replayed.digest, &second.replayed.digest),
    ] {
        if one != other {
            findings.push(format!("two imports differ in the digest of their {what}: {one} and {other}"));
        }
    }
    Failure::unless_empty("problems in the corpus", &findings)?;
    let Imported { sessions, turns, decisions, .. } = first.imported;
    Ok(Passed::noting(format!("{sessions} sessions, {turns} turns, {decisions} decisions, one digest")))
}

fn pass(sessions: &Path) -> Outcome<Pass> {
    let home = workspace::temporary()?;
    let turnwise = || {
        let mut command = Command::new(workspace::release_binary("turnwise"));
        // Time windows of rules use local time.
        command.env("TZ", "UTC").arg("--home").arg(home.path()).arg("--json");
        command
    };
    let begun = Instant::now();
    let imported = json(turnwise().args(["import", "claude-code"]).arg(sessions))?;
    let took = begun.elapsed();
    let verified = json(turnwise().args(["events", "verify"]))?;
    let replayed = json(turnwise().arg("replay"))?;
    let policy = home.path().join("tried.yaml");
    workspace::write(&policy, "global_default: haiku\n")?;
    let backtested = json(turnwise().args(["backtest", "--policy"]).arg(policy))?;
    Ok(Pass { imported, verified, replayed, backtested, took })
}

fn json<T: DeserializeOwned>(command: &mut Command) -> Outcome<T> {
    let text = capture(command)?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`{}` printed unexpected output: {error}", shown(command))))
}

fn print(first: &Pass, second: &Pass) {
    let Pass { imported, verified, .. } = first;
    println!(
        "corpus: {} files, {} sessions, {} turns, {} decisions ({} refused)",
        imported.files, imported.sessions, imported.turns, imported.decisions, imported.refused
    );
    println!(
        "        {} calls ({} failed, {} without a price), {} tools, {} compactions, {} events, {} issues",
        imported.calls,
        imported.failed_calls,
        imported.unpriced_calls,
        imported.tools,
        imported.compactions,
        imported.new_events,
        imported.issues.len()
    );
    let (dollars, rest) = (imported.total_cost_nano_usd / 1_000_000_000, imported.total_cost_nano_usd % 1_000_000_000);
    let took = first.took.min(second.took);
    let rate = u128::from(imported.bytes) / took.as_micros().max(1);
    println!("        cost ${dollars}.{rest:09}; imported in {:.1?} and {:.1?}: {rate} MB/s", first.took, second.took);
    println!("        digest of the events {}", verified.digest);
    println!("        digest of the state {}", verified.state_digest);
    println!("        {} decisions replayed, digest {}", first.replayed.decisions, first.replayed.digest);
    let Report { turns, identity } = &first.backtested.report;
    println!("        {turns} turns backtested");
    println!(
        "identity: total {}, median {} (given the cache read of each first call; with it predicted: total {}, median {})",
        per_cent(identity.total),
        per_cent(identity.median),
        per_cent(identity.predicted_total),
        per_cent(identity.predicted_median)
    );
    for Third { sessions, shortest, longest, total, median } in &identity.thirds {
        println!(
            "        {sessions} sessions of {shortest} to {longest} calls: total {}, median {}",
            per_cent(*total),
            per_cent(*median)
        );
    }
}

/// Formats basis points as per cent.
fn per_cent(points: i64) -> String {
    let sign = if points < 0 { "-" } else { "" };
    format!("{sign}{}.{:02} %", points.unsigned_abs() / 100, points.unsigned_abs() % 100)
}

/// Checks the results of one pass. Returns one sentence for each problem.
fn problems(pass: &Pass) -> Vec<String> {
    let Pass { imported, verified: Verified { whole, counts, .. }, replayed, .. } = pass;
    let mut findings: Vec<_> = imported.issues.iter().map(|issue| format!("not imported: {issue}")).collect();
    let mut check = |holds: bool, finding: String| {
        if !holds {
            findings.push(finding);
        }
    };
    check(*whole, "the log is not complete".to_owned());
    check(replayed.divergence.is_none(), format!("a decision differs: {:?}", replayed.divergence));
    check(
        replayed.decisions == counts.decisions,
        format!("{} decisions in the log, {} replayed", counts.decisions, replayed.decisions),
    );
    check(0 < imported.turns, "there was no turn".to_owned());
    check(imported.turns == counts.turns, format!("{} turns read, {} in the log", imported.turns, counts.turns));
    check(counts.turns == counts.decisions, format!("{} turns, {} decisions", counts.turns, counts.decisions));
    check(
        imported.new_events + EVENTS_OF_OPENING == counts.events,
        format!(
            "{} events imported and {EVENTS_OF_OPENING} recorded on opening, {} in the log",
            imported.new_events, counts.events
        ),
    );
    findings
}
