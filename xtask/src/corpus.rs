//! Real sessions end to end: imported, decided turn by turn, folded and decided again from the log; twice, with one
//! digest. Then tried with the cheapest model for everything, which shows how far the simulated prompt cache is off.

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

/// What `turnwise --json import` prints.
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

/// What `turnwise --json events verify` prints.
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

/// What `turnwise --json replay` prints.
#[derive(Debug, Deserialize)]
struct Replayed {
    decisions: u64,
    digest: String,
    divergence: Option<serde_json::Value>,
}

/// What `turnwise --json backtest` prints.
#[derive(Debug, Deserialize)]
struct Tried {
    report: Report,
}

#[derive(Debug, Deserialize)]
struct Report {
    turns: u64,
    identity: Identity,
}

/// In hundredths of a per cent.
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

/// One import into a home of its own.
struct Pass {
    imported: Imported,
    verified: Verified,
    replayed: Replayed,
    tried: Tried,
    took: Duration,
}

pub(crate) fn run(sessions: &Path) -> Outcome<Passed> {
    let sessions = sessions.canonicalize().map_err(|error| Failure::file("open", sessions, &error))?;
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "cli"]))?;
    let (first, second) = (pass(&sessions)?, pass(&sessions)?);
    print(&first, &second);
    let mut findings = [wrong(&first), wrong(&second)].concat();
    findings.dedup();
    for (what, one, other) in [
        ("events", &first.verified.digest, &second.verified.digest),
        ("state", &first.verified.state_digest, &second.verified.state_digest),
        ("decisions made again", &first.replayed.digest, &second.replayed.digest),
    ] {
        if one != other {
            findings.push(format!("two imports differ in the digest of their {what}: {one} and {other}"));
        }
    }
    Failure::unless_empty("things wrong with the corpus", &findings)?;
    let Imported { sessions, turns, decisions, .. } = first.imported;
    Ok(Passed::noting(format!("{sessions} sessions, {turns} turns, {decisions} decisions, one digest")))
}

fn pass(sessions: &Path) -> Outcome<Pass> {
    let home = workspace::temporary()?;
    let turnwise = || {
        let mut command = Command::new(workspace::release_binary("turnwise"));
        // Time windows of rules read the user's clock.
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
    let tried = json(turnwise().args(["backtest", "--policy"]).arg(policy))?;
    Ok(Pass { imported, verified, replayed, tried, took })
}

fn json<T: DeserializeOwned>(command: &mut Command) -> Outcome<T> {
    let text = capture(command)?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`{}` printed something else than expected: {error}", shown(command))))
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
    println!("        {} decisions made again, digest {}", first.replayed.decisions, first.replayed.digest);
    let Report { turns, identity } = &first.tried.report;
    println!("        {turns} turns tried with another policy");
    println!(
        "identity: total {}, median {} (what the first call of a thread read is given; predicted as well: total {}, median {})",
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

/// Hundredths of a per cent as per cent.
fn per_cent(points: i64) -> String {
    let sign = if points < 0 { "-" } else { "" };
    format!("{sign}{}.{:02} %", points.unsigned_abs() / 100, points.unsigned_abs() % 100)
}

/// What no import of real sessions may leave behind.
fn wrong(pass: &Pass) -> Vec<String> {
    let Pass { imported, verified: Verified { whole, counts, .. }, replayed, .. } = pass;
    let mut findings: Vec<_> = imported.issues.iter().map(|issue| format!("not imported: {issue}")).collect();
    let mut check = |holds: bool, finding: String| {
        if !holds {
            findings.push(finding);
        }
    };
    check(*whole, "the log is not whole".to_owned());
    check(replayed.divergence.is_none(), format!("a decision comes out differently: {:?}", replayed.divergence));
    check(
        replayed.decisions == counts.decisions,
        format!("{} decisions in the log, {} made again", counts.decisions, replayed.decisions),
    );
    check(0 < imported.turns, "there was no turn".to_owned());
    check(imported.turns == counts.turns, format!("{} turns read, {} in the log", imported.turns, counts.turns));
    check(counts.turns == counts.decisions, format!("{} turns, {} decisions", counts.turns, counts.decisions));
    check(
        imported.new_events == counts.events,
        format!("{} events written, {} in the log", imported.new_events, counts.events),
    );
    findings
}
