//! `statusline`: prints one line about a session of Claude Code, which runs the command and shows the line.

mod line;

use std::{
    io::{IsTerminal as _, Read as _},
    path::Path,
    sync::mpsc,
    thread,
    time::Duration,
};

use contracts::SessionId;
use control::{Connection, ReportSession, SessionReport, Writer};
use serde::{Deserialize, Serialize};

use crate::{context::Context, failure::Failure, screen};

/// The longest time that the running gateway may take to respond, since Claude Code waits for the line.
const GATEWAY_LIMIT: Duration = Duration::from_millis(40);

/// The longest time to wait for Claude Code's JSON on the standard input.
const INPUT_LIMIT: Duration = Duration::from_millis(500);

/// The maximum number of bytes of the JSON that are read. Claude Code writes about two kilobytes.
const MAX_INPUT_BYTES: u64 = 1024 * 1024;

/// The JSON that Claude Code writes for a status line, with the fields that are used; any of them may be missing.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Input {
    /// The id of the session.
    session_id: Option<String>,
    /// The model that Claude Code displays.
    model: ShownModel,
    /// The counts of the session.
    cost: SessionCost,
}

/// The model that Claude Code displays, which is the one that it requests.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShownModel {
    /// The name for the user, such as `Opus`.
    display_name: Option<String>,
}

/// Claude Code's own counts of a session.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct SessionCost {
    /// The time that model calls took, in milliseconds; more than 0 once a model has answered.
    total_api_duration_ms: Option<f64>,
}

/// The gateway's report of a session, or the reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    /// The gateway reported the session.
    Report(SessionReport),
    /// No gateway runs in the home folder.
    NotRunning,
    /// The gateway did not respond within [`GATEWAY_LIMIT`].
    Busy,
    /// The gateway refused the request or the connection failed, with the message.
    Failed(String),
}

/// Executes `turnwise statusline`: reads Claude Code's JSON from the standard input, requests the state of the session
/// from the running gateway, and prints one line. Without a session in the input, the session with the latest event is
/// used. Never fails, because Claude Code shows nothing for a command with another exit code than 0.
pub(super) fn run(context: &Context) -> Result<(), Failure> {
    let input = if std::io::stdin().is_terminal() { None } else { within(INPUT_LIMIT, read_input) };
    let input = input.unwrap_or_default();
    let session = input.session_id.as_deref().and_then(|session| SessionId::try_from(session).ok());
    let home = context.home.dir.clone();
    let answer = within(GATEWAY_LIMIT, move || ask(&home, session)).unwrap_or(Answer::Busy);
    let displayed = input.model.display_name.as_deref();
    let was_answered = input.cost.total_api_duration_ms.is_some_and(|duration| 0.0 < duration);
    let line = line::status_line(&answer, displayed, was_answered);
    context.print(&serde_json::json!({ "line": line, "gateway": answer }), || screen::print_line(&line))
}

/// Calls `work` on another thread and returns its result; `None` if it takes longer than `limit`. The thread then runs until
/// the process ends.
fn within<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // The receiver is gone after the limit.
        let _ = sender.send(work());
    });
    receiver.recv_timeout(limit).ok()
}

/// Reads one JSON value from the standard input. If it is not the JSON of Claude Code, all fields are missing.
fn read_input() -> Input {
    let input = std::io::stdin().lock().take(MAX_INPUT_BYTES);
    // Ends with the value, so that a pipe that stays open does no harm.
    let mut values = serde_json::Deserializer::from_reader(input).into_iter::<Input>();
    values.next().and_then(Result::ok).unwrap_or_default()
}

/// Requests the state of a session from the gateway that uses a home folder. `None` is the session with the latest
/// event.
fn ask(home: &Path, session: Option<SessionId>) -> Answer {
    match Connection::open(home) {
        Ok(Some(connection)) => match Writer::Gateway(connection).execute(ReportSession { session }) {
            Ok(report) => Answer::Report(report),
            Err(error) => Answer::Failed(error.message),
        },
        Ok(None) => Answer::NotRunning,
        Err(error) => Answer::Failed(error.to_string()),
    }
}
