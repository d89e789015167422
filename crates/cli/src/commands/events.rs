//! `events`: shows, exports, imports, verifies, purges, retains and repairs the log.

mod json_lines;
mod purge;
mod retain;
mod verify;

pub(super) use retain::retain_at_start;

use engine::{event_to_json, events};
use event_core::{Position, Recorded};
use serde_json::Value;

use crate::{
    arguments::EventsCommand,
    context::{Context, local_time},
    failure::Failure,
    screen::{FAINT, HEADING, escape_line, outln, print_json, styled},
};

/// Executes a subcommand of `turnwise events`, which shows and manages the event log.
pub(super) fn run(context: &Context, command: EventsCommand) -> Result<(), Failure> {
    match command {
        EventsCommand::Tail { number, follow, kind } => {
            tail(context, number, follow, kind.as_deref().unwrap_or_default())
        }
        EventsCommand::Show { event } => show_event(context, &event),
        EventsCommand::Export { file, after } => json_lines::export(context, file.as_deref(), Position(after)),
        EventsCommand::Import { file, without_chain } => json_lines::import(context, &file, without_chain),
        EventsCommand::Verify => verify::verify(context),
        EventsCommand::Purge { text: _, before, session, yes } => {
            purge::purge(context, before.as_deref(), session.as_deref(), yes)
        }
        EventsCommand::Retain { before, max_size, yes } => {
            retain::retain(context, before.as_deref(), max_size.as_deref(), yes)
        }
        EventsCommand::Repair { yes } => verify::repair(context, yes),
    }
}

/// Prints the latest `number` events whose kind starts with `kind`, oldest first. With `follow`, then prints new events
/// as they are appended, reading the log every 200 ms until the process is ended.
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

/// Prints an event of the log on one line: text, or with `--json` a JSON object.
fn print_event(context: &Context, recorded: &Recorded) {
    let json = event_to_json(recorded);
    if context.json {
        print_json(&json.to_string());
        return;
    }
    let position = styled(FAINT, &format!("{:>8}", recorded.position.0));
    let (kind, summary) = (escape_line(&recorded.event.kind).into_owned(), summary(&json));
    outln!("{position} {} {kind:<28} {}", local_time(recorded.event.at), escape_line(&summary));
}

/// Summarises an event in at most four fields as `name=value`. Leaves out text that the user wrote.
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

/// Prints one event as JSON. `event` is its position in the log or its id.
///
/// # Errors
/// [`Failure::Invalid`] if `event` is neither, or the log has no such event.
fn show_event(context: &Context, event: &str) -> Result<(), Failure> {
    let log = context.log_reader()?;
    let found = match (event.parse::<u64>(), event.parse()) {
        (Ok(position), _) => log.event_at(Position(position))?,
        (_, Ok(id)) => log.event_with_id(id)?,
        _ => {
            return Err(Failure::Invalid(format!(
                "`{event}` is neither a position nor an id of 32 hexadecimal digits"
            )));
        }
    };
    let recorded = found.ok_or_else(|| Failure::Invalid(format!("the log has no event `{event}`")))?;
    let json = event_to_json(&recorded);
    context.print(&json, || {
        outln!("{}", styled(HEADING, &format!("{} at position {}", recorded.event.kind, recorded.position)));
        let text = serde_json::to_string_pretty(&json).unwrap_or_default();
        outln!("{text}");
    })
}
