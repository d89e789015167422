//! Kills the gateway while it streams: every turn whose response has started must be in the log afterwards.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::streaming_body;
use crate::{
    clients::{
        log::Log,
        programs::{self, RunningProgram, turnwise_command},
    },
    failure::{Failure, Outcome},
    http::Request,
    program::capture_output,
};

/// The number of concurrent clients, each with one stream at a time.
const CLIENTS: usize = 40;

/// The delay between the starts of two clients, so that all of them start within about the duration of one stream.
const START_DELAY: Duration = Duration::from_millis(13);

/// The number of responses that have started when the gateway is killed.
const HEADS_BEFORE_KILL: usize = 100;

/// The time limit for [`HEADS_BEFORE_KILL`] responses to start.
const HEADS_TIMEOUT: Duration = Duration::from_mins(1);

/// Kills a gateway `kills` times while it streams, with the same home folder, and checks the log after each restart.
/// Returns a summary.
pub(super) fn run(home: &Path, kills: usize) -> Outcome<String> {
    let mock = programs::start_mock(&["--plain", "--gap", "25"])?;
    let mut acknowledged_turns = BTreeSet::new();
    for kill in 1..=kills {
        let gateway = programs::start_gateway(home, &mock)?;
        let (turns, complete) = run_clients_and_kill(gateway, kill)?;
        println!("load: kill {kill}: {} turns acknowledged, {complete} answered completely", turns.len());
        let mut new_turns: BTreeSet<String> = turns.into_iter().collect();
        let gateway = programs::start_gateway(home, &mock)?;
        let stderr = fs::read_to_string(home.join("gateway.stderr")).unwrap_or_default();
        println!(
            "load: kill {kill}: ready again after {:.0} ms, {}",
            gateway.ready_after.as_secs_f64() * 1e3,
            describe_stderr(&stderr)
        );
        let turns = Mutex::new(Vec::new());
        let complete = send_stream(&gateway.url, &format!("After kill {kill}."), &turns);
        if complete != Ok(true) {
            return Err(Failure::new(format!("a stream after kill {kill} was incomplete: {complete:?}")));
        }
        new_turns.extend(turns.into_inner().unwrap_or_else(PoisonError::into_inner));
        gateway.stop()?;
        check_chains(home, &new_turns)?;
        acknowledged_turns.extend(new_turns);
        check_log(home, &acknowledged_turns)?;
    }
    Ok(format!("{} acknowledged turns survive {kills} kills", acknowledged_turns.len()))
}

/// Describes the standard error of the restarted gateway.
fn describe_stderr(stderr: &str) -> String {
    if stderr.trim().is_empty() { "no output".to_owned() } else { format!("output: {}", stderr.trim()) }
}

/// Runs clients until [`HEADS_BEFORE_KILL`] responses have started, then kills the gateway. Returns the ids of the
/// turns in response headers, and the number of complete responses. Fails if a client fails before the kill.
fn run_clients_and_kill(gateway: RunningProgram, kill: usize) -> Outcome<(Vec<String>, usize)> {
    let (turns, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
    let (complete_responses, is_killed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let url = gateway.url.clone();
    let client = |number: usize| {
        // Staggered, so that the kill hits streams at every stage.
        thread::sleep(START_DELAY.saturating_mul(u32::try_from(number).unwrap_or_default()));
        for question in 0.. {
            if is_killed.load(Ordering::Acquire) {
                return;
            }
            match send_stream(&url, &format!("Kill {kill}, client {number}, question {question}."), &turns) {
                Ok(true) => drop(complete_responses.fetch_add(1, Ordering::Relaxed)),
                Ok(false) => {}
                Err(error) if !is_killed.load(Ordering::Acquire) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return;
                }
                // Caused by the kill.
                Err(_) => return,
            }
        }
    };
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let client = &client;
            scope.spawn(move || client(number));
        }
        let started_at = Instant::now();
        let heads = || turns.lock().map_or(usize::MAX, |turns| turns.len());
        while heads() < HEADS_BEFORE_KILL && started_at.elapsed() < HEADS_TIMEOUT {
            thread::sleep(Duration::from_millis(3));
        }
        is_killed.store(true, Ordering::Release);
        gateway.kill()
    })?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Failure::new(format!("a client before the kill: {error}")));
    }
    let turns: Vec<String> = turns.into_inner().unwrap_or_else(PoisonError::into_inner);
    if turns.len() < HEADS_BEFORE_KILL {
        return Err(Failure::new(format!(
            "only {} responses started within {} s",
            turns.len(),
            HEADS_TIMEOUT.as_secs()
        )));
    }
    Ok((turns, complete_responses.into_inner()))
}

/// Sends one streaming request to the gateway. Adds the id of its turn to `turns` when the response starts. Returns
/// whether the body of the response is complete.
fn send_stream(url: &str, text: &str, turns: &Mutex<Vec<String>>) -> Result<bool, String> {
    let headers = [("content-type", "application/json"), ("x-api-key", "load"), ("anthropic-version", "2023-06-01")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = Request { method: "POST", path: "/v1/messages", headers: &headers, body: &streaming_body(text) };
    let response = request.send(url).map_err(|error| error.to_string())?;
    match response.header("x-turnwise-turn") {
        Some(turn) if response.status == 200 => {
            turns.lock().unwrap_or_else(PoisonError::into_inner).push(turn.to_owned());
        }
        _ => {
            let status = response.status;
            return Err(format!("status {status} without a turn: {:?}", response.into_text()));
        }
    }
    Ok(response.into_text().map_err(|error| error.to_string())?.contains("message_stop"))
}

/// Fails unless `turnwise why` shows a decision chain for every turn.
fn check_chains(home: &Path, turns: &BTreeSet<String>) -> Outcome {
    let mut problems = Vec::new();
    for turn in turns {
        let output = capture_output(turnwise_command(home).args(["why", turn, "--json"]))?;
        let output: Value = serde_json::from_str(&output)
            .map_err(|error| Failure::new(format!("`why {turn} --json`: {error}: {output}")))?;
        if !output.to_string().contains("chain") {
            problems.push(format!("`why {turn} --json` shows no chain: {output}"));
        }
    }
    Failure::unless_empty("acknowledged turns without a chain", &problems)?;
    println!("load: `why` shows the chain of {} acknowledged turns", turns.len());
    Ok(())
}

/// Verifies and exports the log. Fails unless every acknowledged turn has one decision and every started turn has
/// ended.
fn check_log(home: &Path, acknowledged_turns: &BTreeSet<String>) -> Outcome {
    let log = Log::export(home)?;
    let [started, decided, sent, ended] =
        ["turn.started", "route.decided", "llm.call_started", "turn.ended"].map(|kind| log.count_by(kind, "turn"));
    let mut problems = Vec::new();
    for turn in acknowledged_turns {
        if decided.get(turn.as_str()) != Some(&1) {
            problems.push(format!("acknowledged turn {turn} was decided {:?} times", decided.get(turn.as_str())));
        }
    }
    let unfinished_turns = started.keys().chain(sent.keys()).filter(|turn| ended.get(**turn) != Some(&1));
    problems.extend(unfinished_turns.map(|turn| format!("turn {turn} started and ended {:?} times", ended.get(turn))));
    Failure::unless_empty("problems in the log after a kill", &problems)?;
    println!(
        "load: `events verify` found no problem; {} of {} acknowledged turns have a decision; {} turns started, {} \
         ended: {:?}; {} calls sent, {} answered, {} failed",
        acknowledged_turns.len(),
        acknowledged_turns.len(),
        started.len(),
        ended.len(),
        log.count_by("turn.ended", "status"),
        log.payloads("llm.call_started").count(),
        log.payloads("llm.call_completed").count(),
        log.payloads("llm.call_failed").count()
    );
    Ok(())
}
