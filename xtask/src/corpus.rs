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
    program::{capture_output, cargo, display_command, execute},
    workspace,
};

/// The number of events that the first program to open an empty log records: the policy and the price list.
const EVENTS_OF_OPENING: u64 = 2;

/// The counts that `turnwise --json import` prints.
#[derive(Debug, Deserialize)]
struct Imported {
    /// Session files read.
    files: u64,
    /// The size of those files in bytes.
    bytes: u64,
    /// Sessions in the files.
    sessions: u64,
    /// Turns recorded.
    turns: u64,
    /// Decisions recorded, one for each turn.
    decisions: u64,
    /// Decisions that no model may handle the turn.
    refused: u64,
    /// Answered model calls.
    calls: u64,
    /// Failed model calls.
    failed_calls: u64,
    /// Tool calls.
    tools: u64,
    /// Compactions of sessions.
    compactions: u64,
    /// Events appended to the log.
    new_events: u64,
    /// Calls of models without a known price.
    unpriced_calls: u64,
    /// A message for each part that could not be imported.
    issues: Vec<String>,
    /// The cost of all calls with a known price, in nano-dollars.
    total_cost_nano_usd: u64,
}

/// The result that `turnwise --json events verify` prints.
#[derive(Debug, Deserialize)]
struct Verified {
    /// Whether no event is missing in the log.
    whole: bool,
    /// Counts of the events in the log.
    counts: Counts,
    /// The digest of all events.
    digest: String,
    /// The digest of the state that the events lead to.
    state_digest: String,
}

/// The numbers of events in a log.
#[derive(Debug, Deserialize)]
struct Counts {
    /// All events.
    events: u64,
    /// Turns that started.
    turns: u64,
    /// Decisions.
    decisions: u64,
}

/// The result that `turnwise --json replay` prints.
#[derive(Debug, Deserialize)]
struct Replayed {
    /// The number of decisions replayed.
    decisions: u64,
    /// The digest of those decisions.
    digest: String,
    /// The first decision that differs from the recorded one; `None` if all are equal.
    divergence: Option<serde_json::Value>,
}

/// The result that `turnwise --json backtest` prints.
#[derive(Debug, Deserialize)]
struct Backtested {
    /// The result of the simulation.
    report: Report,
}

/// The fields of a simulation's result that are used.
#[derive(Debug, Deserialize)]
struct Report {
    /// The number of turns simulated.
    turns: u64,
    /// The errors of the cost simulation for the recorded models.
    calibration: Calibration,
}

/// The errors of the cost simulation when it keeps the recorded models. They come from the simulated prompt cache
/// alone; in basis points (hundredths of a per cent).
#[derive(Debug, Deserialize)]
struct Calibration {
    /// The relative error of the total cost; negative if the simulation is too cheap.
    total: i64,
    /// The median over sessions of the absolute relative error.
    median: i64,
    /// The errors of the shortest, the middle and the longest third of the sessions.
    thirds: Vec<Third>,
    /// The relative error of the total if the cache read of each first call is simulated as well.
    predicted_total: i64,
    /// The median over sessions if the cache read of each first call is simulated as well.
    predicted_median: i64,
}

/// The errors of the simulated costs of a third of the sessions. The sessions are divided by their number of calls.
#[derive(Debug, Deserialize)]
struct Third {
    /// The number of sessions.
    sessions: u64,
    /// The number of calls of the shortest session.
    shortest: u64,
    /// The number of calls of the longest session.
    longest: u64,
    /// The relative error of the total cost, in basis points.
    total: i64,
    /// The median over sessions of the absolute relative error, in basis points.
    median: i64,
}

/// The results of one import into an empty home, and of the commands that followed.
struct ImportRun {
    /// The counts of the import.
    imported: Imported,
    /// The result of the verification of the log.
    verified: Verified,
    /// The result of the replay of all decisions.
    replayed: Replayed,
    /// The result of the backtest of a policy with one cheap model.
    backtested: Backtested,
    /// The duration of the import.
    import_time: Duration,
}

/// Imports a folder of sessions, in the layout of `~/.claude/projects`, twice, each into an empty log. Fails if an
/// import has problems or if the two logs differ.
pub(crate) fn run(sessions: &Path) -> Outcome<Passed> {
    let sessions = sessions.canonicalize().map_err(|error| Failure::file("open", sessions, &error))?;
    execute(&mut cargo(&["build", "--release", "--locked", "--package", "cli"]))?;
    let (first, second) = (import_once(&sessions)?, import_once(&sessions)?);
    print_report(&first, &second);
    let mut findings = [find_problems(&first), find_problems(&second)].concat();
    findings.dedup();
    for (name, one, other) in [
        ("events", &first.verified.digest, &second.verified.digest),
        ("state", &first.verified.state_digest, &second.verified.state_digest),
        ("replayed decisions", &first.replayed.digest, &second.replayed.digest),
    ] {
        if one != other {
            findings.push(format!("two imports differ in the digest of their {name}: {one} and {other}"));
        }
    }
    Failure::unless_empty("problems in the corpus", &findings)?;
    let Imported { sessions, turns, decisions, .. } = first.imported;
    Ok(Passed::with_note(format!("{sessions} sessions, {turns} turns, {decisions} decisions, one digest")))
}

/// Imports the sessions into an empty home, then verifies, replays and backtests its log.
fn import_once(sessions: &Path) -> Outcome<ImportRun> {
    let home = workspace::temporary_folder()?;
    let turnwise = || {
        let mut command = Command::new(workspace::release_binary("turnwise"));
        // Time windows of rules use local time.
        command.env("TZ", "UTC").arg("--home").arg(home.path()).arg("--json");
        command
    };
    let import_start = Instant::now();
    let imported = capture_json(turnwise().args(["import", "claude-code"]).arg(sessions))?;
    let import_time = import_start.elapsed();
    let verified = capture_json(turnwise().args(["events", "verify"]))?;
    let replayed = capture_json(turnwise().arg("replay"))?;
    let policy = home.path().join("tried.yaml");
    workspace::write_file(&policy, "gateway: {client_model: auto}\nglobal_default: haiku\n")?;
    let backtested = capture_json(turnwise().args(["backtest", "--policy"]).arg(policy))?;
    Ok(ImportRun { imported, verified, replayed, backtested, import_time })
}

/// Runs a command and parses its output as JSON.
fn capture_json<T: DeserializeOwned>(command: &mut Command) -> Outcome<T> {
    let text = capture_output(command)?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("`{}` printed unexpected output: {error}", display_command(command))))
}

/// Prints the counts, the digests and the errors of the first import, and the durations of both.
fn print_report(first: &ImportRun, second: &ImportRun) {
    let ImportRun { imported, verified, .. } = first;
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
    let import_time = first.import_time.min(second.import_time);
    let rate = u128::from(imported.bytes) / import_time.as_micros().max(1);
    println!(
        "        cost ${dollars}.{rest:09}; imported in {:.1?} and {:.1?}: {rate} MB/s",
        first.import_time, second.import_time
    );
    println!("        digest of the events {}", verified.digest);
    println!("        digest of the state {}", verified.state_digest);
    println!("        {} decisions replayed, digest {}", first.replayed.decisions, first.replayed.digest);
    let Report { turns, calibration } = &first.backtested.report;
    println!("        {turns} turns backtested");
    println!(
        "calibration error: total {}, median {} (given the cache read of each first call; with it predicted: total {}, median {})",
        per_cent(calibration.total),
        per_cent(calibration.median),
        per_cent(calibration.predicted_total),
        per_cent(calibration.predicted_median)
    );
    for Third { sessions, shortest, longest, total, median } in &calibration.thirds {
        println!(
            "        {sessions} sessions of {shortest} to {longest} calls: total {}, median {}",
            per_cent(*total),
            per_cent(*median)
        );
    }
}

/// Formats basis points as per cent with two decimals, such as `-0.25 %`.
fn per_cent(points: i64) -> String {
    let sign = if points < 0 { "-" } else { "" };
    format!("{sign}{}.{:02} %", points.unsigned_abs() / 100, points.unsigned_abs() % 100)
}

/// Returns a sentence for every inconsistency between the results of one import and the commands that followed it.
fn find_problems(run: &ImportRun) -> Vec<String> {
    let ImportRun { imported, verified: Verified { whole, counts, .. }, replayed, .. } = run;
    let mut findings: Vec<_> = imported.issues.iter().map(|issue| format!("not imported: {issue}")).collect();
    let mut check = |is_consistent: bool, finding: String| {
        if !is_consistent {
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
