//! `statusline`: prints one line about a session of Claude Code, which runs the command and shows the line.

mod line;

use std::{path::Path, time::Duration};

use contracts::SessionId;
use control::{Connection, ReportSession, SessionReport, Writer};
use serde::{Deserialize, Serialize};

use crate::{client_input::read_client_input, context::Context, failure::Failure, screen, time_limit::within};

/// The longest time that the running gateway may take to respond, since Claude Code waits for the line.
const GATEWAY_LIMIT: Duration = Duration::from_millis(40);

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

/// The field `model` of the input: the model that the user has selected in Claude Code.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ShownModel {
    /// The name for the user, such as `Opus`.
    display_name: Option<String>,
}

/// The field `cost` of the input.
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
    let input: Input = read_client_input().unwrap_or_default();
    let session = input.session_id.as_deref().and_then(|session| SessionId::try_from(session).ok());
    let home = context.home.dir.clone();
    let answer = within(GATEWAY_LIMIT, move || ask(&home, session)).unwrap_or(Answer::Busy);
    let displayed = input.model.display_name.as_deref();
    let was_answered = input.cost.total_api_duration_ms.is_some_and(|duration| 0.0 < duration);
    let line = line::status_line(&answer, displayed, was_answered);
    context.print(&serde_json::json!({ "line": line, "gateway": answer }), || screen::print_line(&line))
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
