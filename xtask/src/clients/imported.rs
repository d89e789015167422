//! Compares the session files that a client wrote with the gateway's log: imported, they have the same events, apart from
//! listed fields.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use serde_json::Value;

use super::{log::Log, programs::turnwise_command};
use crate::{
    failure::{Failure, Outcome},
    program::capture_output,
};

/// A kind of event and a field of it that may differ. `*` stands for events that only one of the logs has.
type Difference = (&'static str, &'static str);

/// The differences of any client. docs/architecture.md has them with their reasons.
const ANY_CLIENT: [Difference; 21] = [
    // Contains ids of events, which differ.
    ("eval.completed", "signals"),
    ("llm.call_completed", "began_at"),
    ("llm.call_completed", "latency_ms"),
    ("llm.call_completed", "raw_usage"),
    ("llm.call_started", "*"),
    ("route.decided", "based_on"),
    ("route.decided", "elapsed_micros"),
    ("route.decided", "mode"),
    ("session.started", "source"),
    ("session.started", "workspace"),
    ("skill.routed", "elapsed_micros"),
    ("skill.routed", "mode"),
    ("skill.routed", "sources"),
    ("tool.finished", "output_bytes"),
    ("turn.started", "features.tokens"),
    ("turn.started", "request.imported"),
    ("turn.started", "request.requires"),
    ("turn.started", "request.web_search"),
    ("turn.started", "skills"),
    ("turn.started", "spent_today"),
    ("turn.started", "tokens"),
];

/// The further differences of Claude Code: the model that ran, and the history of a sub-agent (in the gateway's log
/// that of its session, in an import that of its file).
const CLAUDE_CODE: [Difference; 7] = [
    ("route.decided", "decision.chain"),
    ("turn.started", "features.side_effects"),
    ("turn.started", "features.tool_history"),
    ("turn.started", "features.tools"),
    ("turn.started", "request.model"),
    ("turn.started", "request.named"),
    ("turn.started", "tool_calls_in_history"),
];

/// An event's place in a log, the same whether recorded live or imported: the session, the thread, the number of the turn
/// in the thread, the kind, and the number of the event among those of its kind in the turn.
type Place = (String, String, usize, String, usize);

/// Imports the session files of a client into a log of its own, and compares it with `live`, the gateway's log in `home`.
/// `client_home` has the session files. Returns a summary; `None` for a client whose session files turnwise does not read.
///
/// # Errors
/// Lists events that only one of the logs has, and fields that differ and are not listed here.
pub(super) fn compare_with_import(name: &str, live: &Log, home: &Path, client_home: &Path) -> Outcome<Option<String>> {
    let (command, folders, differences): (_, &[&str], &[Difference]) = match name {
        "claude" => ("claude-code", &["claude/projects"], &CLAUDE_CODE),
        "codex" => ("codex", &["own/sessions", "built-in/sessions"], &[]),
        _ => return Ok(None),
    };
    let import_home = home.join("import");
    fs::create_dir_all(&import_home).map_err(|error| Failure::file("create", &import_home, &error))?;
    for file in ["routing.yaml", "gateway.yaml"] {
        let copy = import_home.join(file);
        fs::copy(home.join(file), &copy).map_err(|error| Failure::file("write", &copy, &error))?;
    }
    for folder in folders {
        capture_output(turnwise_command(&import_home).args(["import", command]).arg(client_home.join(folder)))?;
    }
    let imported = Log::export(&import_home)?;
    let (live, imported) = (events_by_place(live), events_by_place(&imported));
    let allowed_differences: BTreeSet<Difference> = ANY_CLIENT.into_iter().chain(differences.iter().copied()).collect();
    let problems: Vec<String> = problems(&live, &imported, &allowed_differences).into_iter().collect();
    Failure::unless_empty("differences of the imported session files", &problems)?;
    Ok(Some(format!("{} events equal those of the imported session files", imported.len())))
}

/// Returns the payloads of all events of turns and sessions, without those of auxiliary calls, which no session file has.
fn events_by_place(log: &Log) -> BTreeMap<Place, &Value> {
    let (mut turns, mut per_thread) = (BTreeMap::new(), BTreeMap::new());
    for data in log.payloads("turn.started") {
        let (session, thread) = (data["session"].to_string(), data["thread"].to_string());
        let number: &mut usize = per_thread.entry((session.clone(), thread.clone())).or_default();
        turns.insert(data["turn"].to_string(), (session, thread, *number));
        *number += 1;
    }
    let (mut events, mut counts) = (BTreeMap::new(), BTreeMap::new());
    for (kind, data) in log.events() {
        let turn = if kind == "session.started" {
            (data["session"].to_string(), String::new(), 0)
        } else if let Some(turn) = turns.get(&data["turn"].to_string()) {
            turn.clone()
        } else {
            continue;
        };
        if turn.1.contains("auxiliary") {
            continue;
        }
        let number: &mut usize = counts.entry((turn.clone(), kind)).or_default();
        let (session, thread, turn) = turn;
        events.insert((session, thread, turn, kind.to_owned(), *number), data);
        *number += 1;
    }
    events
}

/// Returns a sentence for each difference that is not in `allowed_differences`.
fn problems(
    live: &BTreeMap<Place, &Value>,
    imported: &BTreeMap<Place, &Value>,
    allowed_differences: &BTreeSet<Difference>,
) -> BTreeSet<String> {
    let is_allowed = |kind: &str, field: &str| {
        let is_spending = kind == "turn.started" && field.starts_with("spending.");
        // Only a request has the list of skills that the client offers.
        let is_skill_choice =
            kind == "skill.routed" && (field.starts_with("decision.") || field.starts_with("inputs."));
        is_spending || is_skill_choice || allowed_differences.contains(&(kind, field)) || field == "turn"
    };
    let mut problems = BTreeSet::new();
    for place in live.keys().chain(imported.keys()) {
        let kind = place.3.as_str();
        match (live.get(place), imported.get(place)) {
            (Some(live), Some(imported)) => {
                let (mut live_fields, mut imported_fields) = (BTreeMap::new(), BTreeMap::new());
                leaves(live, "", &mut live_fields);
                leaves(imported, "", &mut imported_fields);
                for field in live_fields
                    .keys()
                    .chain(imported_fields.keys())
                    .filter(|field| live_fields.get(*field) != imported_fields.get(*field))
                {
                    if !is_allowed(kind, field) {
                        problems.insert(format!(
                            "{kind} {field}: {:?} and {:?}",
                            live_fields.get(field),
                            imported_fields.get(field)
                        ));
                    }
                }
            }
            _ if is_allowed(kind, "*") => {}
            (live_event, _) => {
                let name = if live_event.is_some() { "live" } else { "imported" };
                problems.insert(format!("{kind}: only the {name} log has it, in session {}", place.0));
            }
        }
    }
    problems
}

/// Adds the values of a payload by the path of their fields. A list is one value.
fn leaves<'a>(value: &'a Value, path: &str, values_by_path: &mut BTreeMap<String, &'a Value>) {
    let Value::Object(fields) = value else {
        values_by_path.insert(path.to_owned(), value);
        return;
    };
    for (name, value) in fields {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        leaves(value, &path, values_by_path);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns a log of one turn, whose tool result has this outcome.
    fn log(outcome: &str, tokens: u64) -> Log {
        Log::of_events([
            ("session.started", json!({"session": "s", "source": "gateway"})),
            ("turn.started", json!({"turn": outcome, "session": "s", "thread": "main", "tokens": tokens})),
            ("turn.started", json!({"turn": "title", "session": "s", "thread": {"auxiliary": "title"}})),
            ("tool.finished", json!({"turn": outcome, "outcome": outcome})),
        ])
    }

    /// Compares two logs with the differences of any client.
    fn problems_of(live: &Log, imported: &Log) -> Vec<String> {
        let allowed = ANY_CLIENT.into_iter().collect();
        problems(&events_by_place(live), &events_by_place(imported), &allowed).into_iter().collect()
    }

    #[test]
    fn listed_fields_and_auxiliary_calls_may_differ() {
        assert_eq!(problems_of(&log("succeeded", 1), &log("succeeded", 2)), Vec::<String>::new());
    }

    #[test]
    fn other_fields_and_missing_events_are_reported() {
        let found = problems_of(&log("succeeded", 1), &log("failed", 1));
        assert_eq!(found, [r#"tool.finished outcome: Some(String("succeeded")) and Some(String("failed"))"#]);
        let found = problems_of(&log("succeeded", 1), &Log::of_events([("session.started", json!({"session": "s"}))]));
        assert!(
            found.iter().any(|problem| problem == "tool.finished: only the live log has it, in session \"s\""),
            "{found:?}"
        );
    }
}
