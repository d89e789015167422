//! Checks the log after clients ran: one decision per turn, one result per tool call, one cost per model call.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use serde_json::Value;

use super::ExpectedLog;
use crate::{
    failure::{Failure, Outcome},
    program::capture_output,
    workspace,
};

/// The exported events of a log, in order, and the output of `turnwise why` for its last turn.
pub(crate) struct Log {
    /// The kind and the payload of each event.
    events: Vec<(String, Value)>,
    /// The output of `turnwise why last --json`.
    why: Value,
}

impl Log {
    /// Exports the log of a gateway that has ended, given the gateway's home folder. Fails if the log is damaged.
    pub(crate) fn export(home: &Path) -> Outcome<Self> {
        let file = home.join("log.jsonl");
        capture_output(super::programs::turnwise_command(home).args(["events", "verify"]))?;
        capture_output(super::programs::turnwise_command(home).args(["events", "export"]).arg(&file))?;
        let why_output = capture_output(super::programs::turnwise_command(home).args(["why", "last", "--json"]))?;
        let text = workspace::read_file(&file)?;
        let event = |line: &str| {
            let mut line: Value = serde_json::from_str(line).ok()?;
            Some((line["kind"].as_str()?.to_owned(), line["data"].take()))
        };
        let why_output = serde_json::from_str(&why_output)
            .map_err(|error| Failure::new(format!("`why --json`: {error}: {why_output}")))?;
        Ok(Self { events: text.lines().filter_map(event).collect(), why: why_output })
    }

    /// Returns the payloads of all events of a kind, in order.
    pub(crate) fn payloads<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Value> {
        self.events.iter().filter(move |(known, _)| known == kind).map(|(_, data)| data)
    }

    /// Returns the kind and the payload of all events, in order.
    pub(super) fn events(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.events.iter().map(|(kind, data)| (kind.as_str(), data))
    }

    /// Creates a log of these events, for tests.
    #[cfg(test)]
    pub(super) fn of_events<const N: usize>(events: [(&str, Value); N]) -> Self {
        Self { events: events.map(|(kind, data)| (kind.to_owned(), data)).to_vec(), why: Value::Null }
    }

    /// Counts the events of a kind by the value of a text field. Events without the field are counted under an empty
    /// value.
    pub(crate) fn count_by<'a>(&'a self, kind: &'a str, field: &str) -> BTreeMap<&'a str, usize> {
        let mut counts = BTreeMap::new();
        for data in self.payloads(kind) {
            *counts.entry(data[field].as_str().unwrap_or_default()).or_default() += 1;
        }
        counts
    }

    /// Checks the log against the expected content. `response_count` is the number of requests that the mock provider
    /// answered. Returns a summary.
    ///
    /// # Errors
    /// Lists every problem.
    pub(super) fn check(&self, expected: &ExpectedLog, response_count: usize) -> Outcome<String> {
        let mut problems = Vec::new();
        let decisions = self.count_by("route.decided", "turn");
        let starts = self.count_by("turn.started", "turn");
        for (turn, count) in &starts {
            if *count != 1 || decisions.get(turn) != Some(&1) {
                problems
                    .push(format!("turn {turn} started {count} times and was decided {:?} times", decisions.get(turn)));
            }
        }
        if let Some(turn) = decisions.keys().find(|turn| !starts.contains_key(*turn)) {
            problems.push(format!("turn {turn} was decided and never started"));
        }
        self.check_turns(expected, &mut problems);
        self.check_tools(expected, &mut problems);
        self.check_calls(expected, response_count, &mut problems);
        if !self.why.to_string().contains("chain") {
            problems.push(format!("`why --json` shows no chain: {}", self.why));
        }
        Failure::unless_empty("problems in the log", &problems)?;
        let calls = self.payloads("llm.call_completed").count();
        Ok(format!(
            "{} turns decided once each, {} tools with results, {calls} calls with costs",
            starts.len(),
            expected.tools.len()
        ))
    }

    /// Checks sessions, the number of turns in the main conversations, and the turn of a sub-agent; adds a sentence to
    /// `problems` for each difference.
    fn check_turns(&self, expected: &ExpectedLog, problems: &mut Vec<String>) {
        let sessions = self.count_by("session.started", "session");
        for session in &expected.sessions {
            if !sessions.keys().any(|recorded_session| recorded_session.contains(session.as_str())) {
                problems.push(format!("session {session} is not among {sessions:?}"));
            }
        }
        // Auxiliary calls and sub-agents have turns of their own.
        let is_main = |data: &&Value| data["thread"] == "main";
        let main_turns = self.payloads("turn.started").filter(is_main).count();
        if main_turns != expected.turns {
            problems.push(format!("{main_turns} turns of the user instead of {}", expected.turns));
        }
        if expected.sub_agent && self.payloads("turn.started").all(|data| data["thread"]["sub_agent"].is_null()) {
            problems.push("no turn of a sub-agent".to_owned());
        }
    }

    /// Checks that every tool call has a result and that the expected tools were called; adds a sentence to `problems`
    /// for each difference.
    fn check_tools(&self, expected: &ExpectedLog, problems: &mut Vec<String>) {
        let calls = self.count_by("tool.called", "call");
        let results = self.count_by("tool.finished", "call");
        if calls != results {
            problems.push(format!("tools called {calls:?} and finished {results:?}"));
        }
        let mut names: Vec<&str> = self.payloads("tool.called").filter_map(|data| data["name"].as_str()).collect();
        let mut expected_names = expected.tools.clone();
        names.sort_unstable();
        expected_names.sort_unstable();
        if names != expected_names {
            problems.push(format!("tools {names:?} instead of {expected_names:?}"));
        }
    }

    /// Checks that every response is recorded with its cost, that no call failed, and that the expected models were
    /// used; adds a sentence to `problems` for each difference.
    fn check_calls(&self, expected: &ExpectedLog, response_count: usize, problems: &mut Vec<String>) {
        let completed_calls: Vec<&Value> = self.payloads("llm.call_completed").collect();
        if completed_calls.len() != response_count {
            problems
                .push(format!("{} responses recorded, {response_count} sent by the provider", completed_calls.len()));
        }
        for data in &completed_calls {
            if data["cost"].is_null() || data["raw_usage"].is_null() {
                problems.push(format!("a call without cost or the provider's usage: {data}"));
            }
        }
        let (cancelled_calls, failed_calls): (Vec<_>, Vec<_>) =
            self.payloads("llm.call_failed").partition(|data| data["class"] == "cancelled");
        problems.extend(failed_calls.iter().map(|data| format!("a failed call: {data}")));
        // With a client that is killed, its call for a title is cancelled as well.
        let main_turns: BTreeSet<&str> = self
            .payloads("turn.started")
            .filter(|data| data["thread"] == "main")
            .filter_map(|data| data["turn"].as_str())
            .collect();
        let is_main = |data: &&&Value| data["turn"].as_str().is_some_and(|turn| main_turns.contains(turn));
        let interrupted_calls = cancelled_calls.iter().filter(is_main).count();
        if interrupted_calls != expected.interrupted {
            problems.push(format!("{interrupted_calls} cancelled calls instead of {}", expected.interrupted));
        }
        let (started_by_turn, mut ended_by_turn) =
            (self.count_by("llm.call_started", "turn"), self.count_by("llm.call_completed", "turn"));
        for data in &cancelled_calls {
            *ended_by_turn.entry(data["turn"].as_str().unwrap_or_default()).or_default() += 1;
        }
        if started_by_turn != ended_by_turn {
            problems.push(format!("calls sent {started_by_turn:?} and answered {ended_by_turn:?}"));
        }
        let models: BTreeSet<&str> = completed_calls.iter().filter_map(|data| data["model"].as_str()).collect();
        if let Some(missing_model) = expected.models.iter().find(|model| !models.contains(**model)) {
            problems.push(format!("{missing_model} was not used, only {models:?}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a correct log of one turn with a tool.
    fn log() -> Log {
        let events = [
            ("session.started", json!({"session": "s"})),
            ("turn.started", json!({"turn": "t", "session": "s", "thread": "main"})),
            ("route.decided", json!({"turn": "t"})),
            ("llm.call_started", json!({"turn": "t"})),
            ("llm.call_completed", json!({"turn": "t", "model": "m", "cost": 1, "raw_usage": "{}"})),
            ("tool.called", json!({"turn": "t", "call": "c", "name": "Bash"})),
            ("tool.finished", json!({"turn": "t", "call": "c"})),
        ];
        Log { events: events.map(|(kind, data)| (kind.to_owned(), data)).to_vec(), why: json!({"chain": []}) }
    }

    /// Returns the expected content of [`log`].
    fn expected() -> ExpectedLog {
        ExpectedLog {
            sessions: vec!["s".to_owned()],
            turns: 1,
            tools: vec!["Bash"],
            models: vec!["m"],
            sub_agent: false,
            interrupted: 0,
        }
    }

    #[test]
    fn correct_log_is_summarised() {
        let summary = log().check(&expected(), 1).unwrap();
        assert_eq!(summary, "1 turns decided once each, 1 tools with results, 1 calls with costs");
    }

    #[test]
    fn every_missing_event_is_reported() {
        for (kind, found) in [
            ("session.started", "session s is not among"),
            ("turn.started", "was decided and never started"),
            ("route.decided", "was decided None times"),
            ("llm.call_started", "calls sent"),
            ("llm.call_completed", "0 responses recorded, 1 sent"),
            ("tool.called", "tools called"),
            ("tool.finished", "tools called"),
        ] {
            let mut log = log();
            log.events.retain(|(known, _)| known != kind);
            let failure = log.check(&expected(), 1).unwrap_err().to_string();
            assert!(failure.contains(found), "{kind}: {failure}");
        }
    }

    #[test]
    fn a_cancelled_call_is_a_problem_unless_the_client_was_killed() {
        let mut log = log();
        log.events.push(("llm.call_started".to_owned(), json!({"turn": "t"})));
        log.events.push(("llm.call_failed".to_owned(), json!({"turn": "t", "class": "cancelled"})));
        let failure = log.check(&expected(), 1).unwrap_err().to_string();
        assert!(failure.contains("1 cancelled calls instead of 0"), "{failure}");
        log.check(&ExpectedLog { interrupted: 1, ..expected() }, 1).unwrap();
    }

    #[test]
    fn second_decision_and_call_without_cost_are_reported() {
        let mut log = log();
        log.events.push(("route.decided".to_owned(), json!({"turn": "t"})));
        log.events[4].1["cost"] = Value::Null;
        let failure = log.check(&expected(), 1).unwrap_err().to_string();
        assert!(failure.contains("Some(2) times") && failure.contains("without cost"), "{failure}");
    }
}
