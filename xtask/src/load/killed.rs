//! The gateway killed in mid-stream: what clients were told must be in the log that the next one finds.

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

use super::body;
use crate::{
    clients::{
        log::Log,
        programs::{self, Running, turnwise},
    },
    failure::{Failure, Outcome},
    http::Request,
    program::capture,
};

/// Streams at the same time.
const CLIENTS: usize = 40;

/// Between the first streams of two clients: all clients together take about as long as one stream.
const APART: Duration = Duration::from_millis(13);

/// Heads of answers that arrive before the kill.
const HEADS: usize = 100;

/// For these to arrive.
const PATIENCE: Duration = Duration::from_mins(1);

/// Kills a gateway so many times, always on the same home.
pub(super) fn run(home: &Path, kills: usize) -> Outcome<String> {
    let mock = programs::mock(&["--plain", "--gap", "25"])?;
    let mut told = BTreeSet::new();
    for kill in 1..=kills {
        let gateway = programs::gateway(home, &mock)?;
        let (noted, whole) = clients(gateway, kill)?;
        println!("load: kill {kill}: {} turns told to clients, {whole} answered to the end", noted.len());
        let mut new: BTreeSet<String> = noted.into_iter().collect();
        let again = programs::gateway(home, &mock)?;
        let said = fs::read_to_string(home.join("gateway.stderr")).unwrap_or_default();
        println!("load: kill {kill}: ready again after {:.0} ms, {}", again.ready.as_secs_f64() * 1e3, saying(&said));
        let noted = Mutex::new(Vec::new());
        let works = stream(&again.url, &format!("After kill {kill}."), &noted);
        if works != Ok(true) {
            return Err(Failure::new(format!("a stream after kill {kill} did not come whole: {works:?}")));
        }
        new.extend(noted.into_inner().unwrap_or_else(PoisonError::into_inner));
        again.stop()?;
        explained(home, &new)?;
        told.extend(new);
        check(home, &told)?;
    }
    Ok(format!("{} turns told to clients survive {kills} kills", told.len()))
}

fn saying(said: &str) -> String {
    if said.trim().is_empty() { "saying nothing".to_owned() } else { format!("saying: {}", said.trim()) }
}

/// Streams until the gateway is killed; the turns that clients were told, and how many answers they had whole.
fn clients(gateway: Running, kill: usize) -> Outcome<(Vec<String>, usize)> {
    let (noted, failure) = (Mutex::new(Vec::new()), Mutex::new(None));
    let (whole, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let url = gateway.url.clone();
    let client = |number: usize| {
        // One after the other, so that the kill finds streams at every stage.
        thread::sleep(APART.saturating_mul(u32::try_from(number).unwrap_or_default()));
        for question in 0.. {
            if over.load(Ordering::Acquire) {
                return;
            }
            match stream(&url, &format!("Kill {kill}, client {number}, question {question}."), &noted) {
                Ok(true) => drop(whole.fetch_add(1, Ordering::Relaxed)),
                Ok(false) => {}
                Err(error) if !over.load(Ordering::Acquire) => {
                    failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                    return;
                }
                // The kill, which may come at any moment.
                Err(_) => return,
            }
        }
    };
    thread::scope(|scope| {
        for number in 0..CLIENTS {
            let client = &client;
            scope.spawn(move || client(number));
        }
        let begun = Instant::now();
        let heads = || noted.lock().map_or(usize::MAX, |noted| noted.len());
        while heads() < HEADS && begun.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(3));
        }
        over.store(true, Ordering::Release);
        gateway.kill()
    })?;
    if let Some(error) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(Failure::new(format!("a client before the kill: {error}")));
    }
    let noted: Vec<String> = noted.into_inner().unwrap_or_else(PoisonError::into_inner);
    if noted.len() < HEADS {
        return Err(Failure::new(format!("only {} answers began within {} s", noted.len(), PATIENCE.as_secs())));
    }
    Ok((noted, whole.into_inner()))
}

/// One stream: notes its turn as soon as it is told, and says whether the answer came whole.
fn stream(url: &str, text: &str, noted: &Mutex<Vec<String>>) -> Result<bool, String> {
    let headers = [("content-type", "application/json"), ("x-api-key", "load"), ("anthropic-version", "2023-06-01")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let request = Request { method: "POST", path: "/v1/messages", headers: &headers, body: &body(text) };
    let answer = request.send(url).map_err(|error| error.to_string())?;
    match answer.header("x-turnwise-turn") {
        Some(turn) if answer.status == 200 => {
            noted.lock().unwrap_or_else(PoisonError::into_inner).push(turn.to_owned());
        }
        _ => {
            let status = answer.status;
            return Err(format!("status {status} without a turn: {:?}", answer.rest()));
        }
    }
    Ok(answer.rest().map_err(|error| error.to_string())?.contains("message_stop"))
}

/// Every one of these turns has a chain that can be shown.
fn explained(home: &Path, turns: &BTreeSet<String>) -> Outcome {
    let mut wrong = Vec::new();
    for turn in turns {
        let why = capture(turnwise(home).args(["why", turn, "--json"]))?;
        let why: Value =
            serde_json::from_str(&why).map_err(|error| Failure::new(format!("`why {turn} --json`: {error}: {why}")))?;
        if !why.to_string().contains("chain") {
            wrong.push(format!("`why {turn} --json` shows no chain: {why}"));
        }
    }
    Failure::unless_empty("turns told to clients without a chain", &wrong)?;
    println!("load: `why` shows the chain of {} turns told to clients", turns.len());
    Ok(())
}

/// Every turn that a client was told is in the log with its decision, and none is left running.
fn check(home: &Path, told: &BTreeSet<String>) -> Outcome {
    let log = Log::exported(home)?;
    let [started, decided, sent, ended] =
        ["turn.started", "route.decided", "llm.call_started", "turn.ended"].map(|kind| log.counted(kind, "turn"));
    let mut wrong = Vec::new();
    for turn in told {
        if decided.get(turn.as_str()) != Some(&1) {
            wrong.push(format!("turn {turn} was told to a client and decided {:?} times", decided.get(turn.as_str())));
        }
    }
    let running = started.keys().chain(sent.keys()).filter(|turn| ended.get(**turn) != Some(&1));
    wrong.extend(running.map(|turn| format!("turn {turn} began and ended {:?} times", ended.get(turn))));
    Failure::unless_empty("things wrong in the log after a kill", &wrong)?;
    println!(
        "load: `events verify` finds nothing wrong; {} of {} told turns have a decision; {} turns began, {} \
         ended: {:?}; {} calls sent, {} answered, {} failed",
        told.len(),
        told.len(),
        started.len(),
        ended.len(),
        log.counted("turn.ended", "status"),
        log.all("llm.call_started").count(),
        log.all("llm.call_completed").count(),
        log.all("llm.call_failed").count()
    );
    Ok(())
}
