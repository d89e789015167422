//! `sessions`: lists the sessions of the log, the latest first.

use std::collections::BTreeMap;

use contracts::{
    ModelId, NanoUsd, SessionId, Thread,
    events::{LlmCallCompleted, SessionSource, SessionStarted, TurnStarted},
};
use engine::EngineError;
use event_bus::EventLog;
use event_core::{Position, Recorded, Timestamp};
use serde::Serialize;

use super::turn_row::short_model;
use crate::{
    context::{Context, local_time},
    failure::Failure,
    screen::{FAINT, Table, escape_line, outln, styled, truncate},
};

/// A recorded session of a client, with the totals of its turns and calls.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionSummary {
    /// The id of the session.
    session: SessionId,
    /// The client, such as `claude-code`; `None` if unknown.
    client: Option<String>,
    /// The absolute path of the workspace; `None` if unknown.
    workspace: Option<String>,
    /// Whether the session was imported.
    imported: bool,
    /// Turns of the main conversation.
    turns: u64,
    /// Turns of sub-agents and auxiliary calls.
    other_turns: u64,
    /// The cost of all its calls, in nano-dollars.
    cost_nano_usd: NanoUsd,
    /// Calls without a known price, which the cost leaves out.
    unpriced_calls: u64,
    /// The calls of each model.
    models: BTreeMap<ModelId, u64>,
    /// The time of the latest turn or call.
    last_at: Timestamp,
}

/// Executes `turnwise sessions`: prints the latest `number` sessions of the log.
pub(super) fn run(context: &Context, number: usize) -> Result<(), Failure> {
    let mut sessions = summaries(context.log_reader()?.as_ref())?;
    let count = sessions.len();
    sessions.truncate(number);
    context.print(&sessions, || {
        if sessions.is_empty() {
            outln!("The log has no session yet: `turnwise import` or `turnwise serve` records some.");
            return;
        }
        let mut table = Table::new(&["LAST", "SESSION", "CLIENT", "PROJECT", ">TURNS", ">COST", "MODELS"]);
        for session in &sessions {
            table.add_row(session.cells());
        }
        table.print();
        let shown = sessions.len();
        let note = match count - shown {
            0 => "turnwise why SESSION walks one".to_owned(),
            more => format!("{more} more: -n {count} shows all · turnwise why SESSION walks one"),
        };
        outln!("{}", styled(FAINT, &note));
    })
}

/// Reads a log and returns a summary of each of its sessions, the latest first.
fn summaries(log: &dyn EventLog) -> Result<Vec<SessionSummary>, EngineError> {
    let mut sessions: BTreeMap<SessionId, SessionSummary> = BTreeMap::new();
    for event in engine::events(log, Position::ORIGIN) {
        apply(&mut sessions, &event?)?;
    }
    let mut sessions: Vec<_> =
        sessions.into_values().filter(|session| 0 < session.turns + session.other_turns).collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.last_at));
    Ok(sessions)
}

/// Adds an event of the log to the summary of its session; ignores events that the summaries do not contain.
fn apply(sessions: &mut BTreeMap<SessionId, SessionSummary>, event: &Recorded) -> Result<(), EngineError> {
    let at = event.event.at;
    if let Some(body) = event.read::<SessionStarted>()? {
        let session = entry(sessions, &body.session, at);
        session.workspace = body.workspace;
        session.imported = !matches!(body.source, SessionSource::Gateway | SessionSource::CommandLine);
        session.client = match body.source {
            SessionSource::ClaudeCode => Some("claude-code".to_owned()),
            SessionSource::Codex => Some("codex".to_owned()),
            SessionSource::OpenAiLog => Some("openai-log".to_owned()),
            SessionSource::Gateway | SessionSource::CommandLine => body.client,
        };
    } else if let Some(body) = event.read::<TurnStarted>()? {
        let session = entry(sessions, &body.session, at);
        match body.thread {
            Thread::Main => session.turns += 1,
            _ => session.other_turns += 1,
        }
        if let Some(client) = body.request.and_then(|request| request.client) {
            session.client = Some(client);
        }
    } else if let Some(body) = event.read::<LlmCallCompleted>()? {
        let session = entry(sessions, &body.session, at);
        *session.models.entry(body.model).or_default() += 1;
        match body.cost {
            Some(cost) => session.cost_nano_usd = session.cost_nano_usd.plus(cost),
            None => session.unpriced_calls += 1,
        }
    }
    Ok(())
}

/// Returns the summary of a session, which is created at its first event. Sets the time of its latest event to `at`.
fn entry<'a>(
    sessions: &'a mut BTreeMap<SessionId, SessionSummary>,
    id: &SessionId,
    at: Timestamp,
) -> &'a mut SessionSummary {
    let session = sessions.entry(id.clone()).or_insert_with(|| SessionSummary {
        session: id.clone(),
        client: None,
        workspace: None,
        imported: false,
        turns: 0,
        other_turns: 0,
        cost_nano_usd: NanoUsd::default(),
        unpriced_calls: 0,
        models: BTreeMap::new(),
        last_at: at,
    });
    session.last_at = session.last_at.max(at);
    session
}

impl SessionSummary {
    /// Returns the table cells of the session, for the list of sessions.
    fn cells(&self) -> [String; 7] {
        let project = self.workspace.as_deref().and_then(|path| path.rsplit('/').find(|part| !part.is_empty()));
        let most = self.models.iter().max_by_key(|(_, calls)| **calls).map(|(model, _)| short_model(model.as_str()));
        let more = match self.models.len() {
            0 | 1 => String::new(),
            count => format!(" +{}", count - 1),
        };
        let unpriced = if 0 < self.unpriced_calls { "+?" } else { "" };
        [
            local_time(self.last_at).get(5..16).unwrap_or_default().to_owned(),
            self.session.as_str().chars().take(8).collect(),
            truncate(self.client.as_deref().unwrap_or("-"), 12).to_owned(),
            truncate(&escape_line(project.unwrap_or("-")), 14).to_owned(),
            self.turns.to_string(),
            format!("{}{unpriced}", self.cost_nano_usd),
            format!("{}{more}", truncate(&most.unwrap_or_default(), 10)),
        ]
    }
}
