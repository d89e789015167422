//! `events`: shows, exports, imports, verifies, purges and repairs the log.

mod json_lines;
mod purge;
mod verify;

use engine::{event_to_json, events};
use event_bus::EventLog;
use event_core::{Position, Recorded};
use serde_json::Value;

use crate::{
    arguments::EventsCommand,
    context::{Context, local_time},
    failure::Failure,
    screen::{FAINT, HEADING, styled},
};

/// Executes a subcommand of `events`.
pub(super) fn run(context: &Context, command: EventsCommand) -> Result<(), Failure> {
    match command {
        EventsCommand::Tail { number, follow, kind } => {
            tail(context, number, follow, kind.as_deref().unwrap_or_default())
        }
        EventsCommand::Show { event } => show(context, &event),
        EventsCommand::Export { file, after } => json_lines::export(context, file.as_deref(), Position(after)),
        EventsCommand::Import { file, without_chain } => json_lines::import(context, &file, without_chain),
        EventsCommand::Verify => verify::verify(context),
        EventsCommand::Purge { text: _, before, session, yes } => {
            purge::purge(context, before.as_deref(), session.as_deref(), yes)
        }
        EventsCommand::Repair { yes } => verify::repair(context, yes),
    }
}

/// Prints the latest `number` events whose kind starts with `kind`, oldest first. With `follow`, then prints events as
/// they are appended, checking the log every 200 ms until the process is ended.
fn tail(context: &Context, number: usize, follow: bool, kind: &str) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let mut latest = std::collections::VecDeque::new();
    let mut last = Position::ORIGIN;
    for recorded in events(log.as_ref(), Position::ORIGIN) {
        let recorded = recorded?;
        last = recorded.position;
        if recorded.event.kind.starts_with(kind) {
            latest.push_back(recorded);
            if number < latest.len() {
                latest.pop_front();
            }
        }
    }
    for recorded in &latest {
        print_event(context, recorded);
    }
    if !follow {
        return Ok(());
    }
    loop {
        std::thread::sleep(std::time::Duration::from_millis(200));
        // A reader sees only the events that were in the log when it was opened.
        let log = context.log_reader()?;
        for recorded in events(log.as_ref(), last) {
            let recorded = recorded?;
            last = recorded.position;
            if recorded.event.kind.starts_with(kind) {
                print_event(context, &recorded);
            }
        }
    }
}

/// Prints an event on one line: text, or with `--json` a JSON object.
fn print_event(context: &Context, recorded: &Recorded) {
    let json = event_to_json(recorded);
    if context.json {
        println!("{json}");
        return;
    }
    let position = styled(FAINT, &format!("{:>8}", recorded.position.0));
    let summary = summary(&json);
    anstream::println!("{position} {} {:<28} {summary}", local_time(recorded.event.at), recorded.event.kind);
}

/// Returns up to four informative fields of an event as `name=value`, without text that the user wrote.
fn summary(json: &Value) -> String {
    /// The most informative fields of all kinds, in the order of preference.
    const SUMMARY_FIELDS: [&str; 16] = [
        "model",
        "name",
        "status",
        "outcome",
        "class",
        "cost",
        "original",
        "scope",
        "trigger",
        "score",
        "action",
        "path",
        "models",
        "side_effect",
        "workspace",
        "session",
    ];
    if json.get("purged").is_some() {
        return "(its text was removed)".to_owned();
    }
    let Some(data) = json.get("data") else { return "(a kind or version this program does not know)".to_owned() };
    let decided = data.get("decision").and_then(|decision| decision.get("model"));
    let fields = SUMMARY_FIELDS.iter().filter_map(|name| Some((*name, data.get(name)?)));
    let fields = fields.chain(decided.map(|model| ("model", model)));
    let shown: Vec<_> = fields
        .filter(|(_, value)| !value.is_null() && !value.as_str().is_some_and(str::is_empty))
        .map(|(name, value)| format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .take(4)
        .collect();
    shown.join(" ")
}

/// Prints the event with a position or an id as JSON.
///
/// # Errors
/// [`Failure::Invalid`] if `event` is neither, or the log has no such event.
fn show(context: &Context, event: &str) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let position = match (event.parse::<u64>(), event.parse()) {
        (Ok(position), _) => Some(Position(position)),
        (_, Ok(id)) => log.find(id)?,
        _ => {
            return Err(Failure::Invalid(format!(
                "`{event}` is neither a position nor an id of 32 hexadecimal digits"
            )));
        }
    };
    let found = position
        .filter(|position| Position::ORIGIN < *position)
        .map(|position| read_event(log.as_ref(), position))
        .transpose()?;
    let recorded = found.flatten().ok_or_else(|| Failure::Invalid(format!("the log has no event `{event}`")))?;
    let json = event_to_json(&recorded);
    context.print(&json, || {
        anstream::println!(
            "{}",
            styled(HEADING, &format!("{} at position {}", recorded.event.kind, recorded.position))
        );
        let text = serde_json::to_string_pretty(&json).unwrap_or_default();
        anstream::println!("{text}");
    })
}

/// Reads the event at `position`, which must not be 0; `None` beyond the end of the log.
fn read_event(log: &dyn EventLog, position: Position) -> Result<Option<Recorded>, Failure> {
    let events = log.read_after(Position(position.0 - 1), 1)?;
    Ok(events.into_iter().next().filter(|recorded| recorded.position == position))
}
